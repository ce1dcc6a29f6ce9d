import { createContext, use, useCallback } from 'react'
import { ApiError } from '../api/api.ts'

/** Runs a call for which the server may require reauthentication. */
export type WithReauthentication = <Result>(run: () => Promise<Result>) => Promise<Result>

/** Thrown if the user declined to reauthenticate. */
export class ReauthenticationDeclined extends Error {
  constructor() {
    super('Your identity was not confirmed. Nothing was changed.')
    this.name = 'ReauthenticationDeclined'
  }
}

/**
 * Runs a call. If the server requires reauthentication, prompts the user with
 * `requestReauthentication` and retries once.
 * @throws ReauthenticationDeclined from `requestReauthentication` if the user declines; otherwise
 *   whatever the call throws
 */
export async function retryAfterReauthentication<Result>(
  run: () => Promise<Result>,
  requestReauthentication: () => Promise<void>,
): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'reauthentication_required')) throw error
    await requestReauthentication()
    return run()
  }
}

/**
 * Opens the reauthentication dialog. The promise resolves when the user has confirmed, and rejects
 * with ReauthenticationDeclined if the user declines.
 */
export const ReauthenticationContext = createContext<(() => Promise<void>) | null>(null)

/**
 * Returns a function that runs a call. If the server requires reauthentication, the
 * reauthentication dialog is shown and the call is retried. Rejects with ReauthenticationDeclined
 * if the user declines.
 */
export function useReauthentication(): WithReauthentication {
  const requestReauthentication = use(ReauthenticationContext)
  if (!requestReauthentication) throw new Error('useReauthentication must be used behind the guard')
  return useCallback((run) => retryAfterReauthentication(run, requestReauthentication), [requestReauthentication])
}
