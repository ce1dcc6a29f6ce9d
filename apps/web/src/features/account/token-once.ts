import { useEffect, useState } from 'react'

/**
 * The secret of a mailed link. It is read once and taken out of the address bar, so that it stays out of the history, of bookmarks and of
 * screenshots.
 */
export function useTokenOnce(): string | null {
  const [token] = useState(() => new URLSearchParams(window.location.search).get('token'))
  useEffect(() => {
    window.history.replaceState(window.history.state, '', window.location.pathname)
  }, [])
  return token || null
}
