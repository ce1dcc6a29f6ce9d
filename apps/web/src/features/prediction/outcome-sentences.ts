import { outcomeNames } from './outcome-state.ts'

/** Names of verdicts outside of lists. A list may say "Did not", which is unclear on its own. */
export const outcomeSentences = { ...outcomeNames, 'did-not': 'Did not come true' } as const
