import { useState, useSyncExternalStore } from 'react'

/**
 * 'offline' if the browser reports no network. 'no-server' if the browser reports a network, but
 * the service worker opened the page because the server did not answer. This state lasts until the
 * server answers.
 */
export type Connection = 'online' | 'offline' | 'no-server'

const connectionEvents = ['online', 'offline'] as const

function subscribe(onChange: () => void): () => void {
  for (const name of connectionEvents) window.addEventListener(name, onChange)
  return () => {
    for (const name of connectionEvents) window.removeEventListener(name, onChange)
  }
}

/**
 * True on the page that the service worker stores. The build sets the `data-offline` attribute on
 * that page only (scripts/write-service-worker.ts).
 */
export const isOfflinePage = () => 'offline' in document.documentElement.dataset

function readConnection(): Connection {
  if (!navigator.onLine) return 'offline'
  return isOfflinePage() ? 'no-server' : 'online'
}

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, readConnection, () => 'online')
}

/** True unless the network or the server is known to be unavailable. A request may still fail. */
export function useOnline(): boolean {
  return useConnection() === 'online'
}

/**
 * True if the current page was opened without a network or server, until there is a connection. A
 * page that was opened before the connection was lost keeps its content.
 */
export function useOpenedOffline(pathname: string): boolean {
  const isOnline = useOnline()
  const [opened, setOpened] = useState({ pathname, isOffline: !isOnline })
  const isOffline = opened.pathname === pathname ? opened.isOffline && !isOnline : !isOnline
  if (opened.pathname !== pathname || opened.isOffline !== isOffline) setOpened({ pathname, isOffline })
  return isOffline
}
