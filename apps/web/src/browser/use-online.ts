import { useState, useSyncExternalStore } from 'react'

/**
 * 'offline' if the browser has no network. 'no-server' if it claims to have one, but the service
 * worker had to open the page because the server did not answer, until the server answers.
 */
export type Connection = 'online' | 'offline' | 'no-server'

const changes = ['online', 'offline'] as const

function subscribe(onChange: () => void): () => void {
  for (const name of changes) window.addEventListener(name, onChange)
  return () => {
    for (const name of changes) window.removeEventListener(name, onChange)
  }
}

/** The build marks the page that the service worker keeps: see scripts/write-service-worker.ts. */
export const isKeptPage = () => 'offline' in document.documentElement.dataset

function readConnection(): Connection {
  if (!navigator.onLine) return 'offline'
  return isKeptPage() ? 'no-server' : 'online'
}

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, readConnection, () => 'online')
}

/** True does not mean that the server answers now. */
export function useOnline(): boolean {
  return useConnection() === 'online'
}

/**
 * True on a page that was opened without a network or server, until there is one. A page that was
 * open before keeps what it shows.
 */
export function useOpenedOffline(pathname: string): boolean {
  const isOnline = useOnline()
  const [opened, setOpened] = useState({ pathname, isOffline: !isOnline })
  const isOffline = opened.pathname === pathname ? opened.isOffline && !isOnline : !isOnline
  if (opened.pathname !== pathname || opened.isOffline !== isOffline) setOpened({ pathname, isOffline })
  return isOffline
}
