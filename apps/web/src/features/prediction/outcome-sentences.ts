import { outcomeNames } from './outcome-state.ts'

/** Verdicts outside of lists, where nothing says what an alert did not do. */
export const outcomeSentences = { ...outcomeNames, 'did-not': 'Did not come true' } as const
