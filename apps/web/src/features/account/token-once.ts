import { useEffect, useState } from 'react'
import { ApiError } from '../../api/api.ts'

/**
 * Reads the token of an emailed link once and removes it from the URL, so that it does not end up
 * in the history, bookmarks or screenshots.
 */
export function useTokenOnce(): string | null {
  return useSecretOnce(() => new URLSearchParams(window.location.search).get('token'))
}

/**
 * Reads the token of the setup link. It is in the fragment, which browsers do not send to servers.
 */
export function useSetupTokenOnce(): string | null {
  return useSecretOnce(() => new URLSearchParams(window.location.hash.slice(1)).get('setup'))
}

/**
 * True if the server refused the token of an emailed link, so that trying again cannot help. False
 * for temporary errors.
 */
export function isTokenRefused(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500 && error.status !== 429
}

function useSecretOnce(readSecret: () => string | null): string | null {
  const [secret] = useState(readSecret)
  useEffect(() => {
    if (secret !== null) window.history.replaceState(window.history.state, '', window.location.pathname)
  }, [secret])
  return secret || null
}
