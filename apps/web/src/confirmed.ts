import { ApiError } from './api.ts'

/** Runs a call for which the server may require reauthentication. */
export type Confirmed = <Answer>(run: () => Promise<Answer>) => Promise<Answer>

/** The user declined to reauthenticate. */
export class NotConfirmed extends Error {
  constructor() {
    super('You did not confirm that it is you. Nothing was changed.')
    this.name = 'NotConfirmed'
  }
}

/**
 * Runs a call. If the server requires reauthentication, prompts the user with `ask` and retries
 * once.
 * @throws NotConfirmed from `ask` if the user declines; otherwise whatever the call throws
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
