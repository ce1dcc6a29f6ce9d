import { useEffect, useState } from 'react'

/**
 * The secret of a mailed link. It is read once and taken out of the address bar, so that it stays
 * out of the history, of bookmarks and of screenshots.
 */
export function useTokenOnce(): string | null {
  return useSecretOnce(() => new URLSearchParams(window.location.search).get('token'))
}

/**
 * The secret of the link that makes the first admin. It is in the fragment, which browsers send to
 * no server.
 */
export function useSetupTokenOnce(): string | null {
  return useSecretOnce(() => new URLSearchParams(window.location.hash.slice(1)).get('setup'))
}

function useSecretOnce(read: () => string | null): string | null {
  const [secret] = useState(read)
  useEffect(() => {
    if (secret !== null) window.history.replaceState(window.history.state, '', window.location.pathname)
  }, [secret])
  return secret || null
}
