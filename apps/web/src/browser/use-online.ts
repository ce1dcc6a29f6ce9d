import { useSyncExternalStore } from 'react'

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
