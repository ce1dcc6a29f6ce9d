import { useState, useSyncExternalStore } from 'react'

function subscribe(onChange: () => void): () => void {
  for (const name of ['online', 'offline']) window.addEventListener(name, onChange)
  return () => {
    for (const name of ['online', 'offline']) window.removeEventListener(name, onChange)
  }
}

/** False if the browser has no network. True does not mean that the server answers. */
export function useOnline(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => navigator.onLine,
    () => true,
  )
}

/**
 * True on a page that was opened without a network, until there is one. A page that was open before
 * keeps what it shows.
 */
export function useOpenedOffline(pathname: string): boolean {
  const isOnline = useOnline()
  const [opened, setOpened] = useState({ pathname, isOffline: !isOnline })
  const isOffline = opened.pathname === pathname ? opened.isOffline && !isOnline : !isOnline
  if (opened.pathname !== pathname || opened.isOffline !== isOffline) setOpened({ pathname, isOffline })
  return isOffline
}
