import { outcomeNames } from './outcome-state.ts'

/** Names of verdicts outside of lists. A list has space only for "Not true". */
export const outcomeSentences = { ...outcomeNames, 'did-not': 'Did not come true' } as const
