import { ApiError } from './api.ts'
import { shellTexts } from './texts/shell.tsx'

const texts = shellTexts.confirmed

/** Runs a call that the server may want confirmed first. */
export type Confirmed = <Answer>(run: () => Promise<Answer>) => Promise<Answer>

/** The person was asked to confirm who they are, and did not. */
export class NotConfirmed extends Error {
  constructor() {
    super(texts.youDidNotConfirm)
    this.name = 'NotConfirmed'
  }
}

/**
 * Runs a call; where the server first wants to know that it is still the same person, asks for that and runs it again, once.
 * @throws NotConfirmed from `ask` when the person would not, else whatever the call threw
 */
export async function runConfirmed<Answer>(run: () => Promise<Answer>, ask: () => Promise<void>): Promise<Answer> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'reauthentication_required')) throw error
    await ask()
    return run()
  }
}
