import { createContext, use, useCallback } from 'react'
import { ApiError } from '../api/api.ts'

/** Runs a call for which the server may require reauthentication. */
export type Confirmed = <Answer>(run: () => Promise<Answer>) => Promise<Answer>

/** Thrown if the user declined to reauthenticate. */
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

/**
 * Opens the reauthentication dialog. Resolves when the user has confirmed; rejects with
 * NotConfirmed.
 */
export const ConfirmationContext = createContext<(() => Promise<void>) | null>(null)

/**
 * Returns a function that runs a call. If the server requires reauthentication, the user is
 * prompted for password, wallet or provider and the call is retried. Rejects with NotConfirmed if
 * the user declines.
 */
export function useConfirmed(): Confirmed {
  const ask = use(ConfirmationContext)
  if (!ask) throw new Error('useConfirmed must be used behind the guard')
  return useCallback((run) => runConfirmed(run, ask), [ask])
}
