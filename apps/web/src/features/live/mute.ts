import { useSyncExternalStore } from 'react'
import { browserStorage } from '../../browser/browser-storage.ts'

const storageKey = 'soundMuted'
const listeners = new Set<() => void>()

/**
 * Returns whether sound is muted in this browser. Unlike the preferences, muting does not affect
 * other devices.
 */
export function isMuted(): boolean {
  return browserStorage.getItem(storageKey) === 'true'
}

export function setMuted(muted: boolean): void {
  if (muted) browserStorage.setItem(storageKey, 'true')
  else browserStorage.removeItem(storageKey)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', listener)
  }
}

export function useMuted(): boolean {
  return useSyncExternalStore(subscribe, isMuted)
}
