import { useEffect, useState } from 'react'
import { readStoredValue, store } from '../../browser/stored-json.ts'
import type { Trust } from './proof-task.ts'
import {
  getPublishedTrust,
  getTrust,
  isSameTrust,
  type PublishedLog,
  parseStoredTrust,
  pinTrust,
  resolveRpcUrl,
  type StoredTrust,
  trustStorageKey,
} from './trust.ts'

export interface TrustSettings {
  trust: Trust
  /** When the trust anchors were pinned (ISO); null before the first check. */
  since: string | null
  /** True if the user entered the trust anchors. */
  isOwn: boolean
  /** The published trust anchors; null if `trust` is the same. */
  published: Trust | null
  rpcUrl: string
  setRpcUrl: (url: string) => void
  /**
   * Pins the published trust anchors unless some are pinned already, and returns the pinned ones. A
   * check must use the returned trust anchors and not `trust`, because another tab may have changed
   * the pinned ones.
   */
  pin: () => Trust
  enter: (trust: Trust) => void
  acceptPublished: () => void
}

const readStoredTrust = () => parseStoredTrust(readStoredValue(trustStorageKey))

/**
 * Trust anchors and chain node of this browser, kept in local storage. Null until the configuration
 * is loaded.
 */
export function useTrust(config: PublishedLog | undefined): TrustSettings | null {
  const [storedTrust, setStoredTrust] = useState(readStoredTrust)
  useEffect(() => {
    const followStorage = ({ key }: StorageEvent) => {
      // The key is null if another tab has cleared the storage.
      if (key === trustStorageKey || key === null) setStoredTrust(readStoredTrust())
    }
    window.addEventListener('storage', followStorage)
    return () => window.removeEventListener('storage', followStorage)
  }, [])
  if (!config) return null
  const trust = getTrust(storedTrust, config)
  const published = getPublishedTrust(config)

  function changeStoredTrust(changes: Partial<StoredTrust>) {
    const nextTrust = { ...readStoredTrust(), ...changes }
    store(trustStorageKey, nextTrust)
    setStoredTrust(nextTrust)
  }

  return {
    trust,
    since: storedTrust.pin?.at ?? null,
    isOwn: storedTrust.pin?.isOwn ?? false,
    published: isSameTrust(trust, published) ? null : published,
    rpcUrl: resolveRpcUrl(storedTrust, config),
    setRpcUrl: (url) => changeStoredTrust({ rpcUrl: url }),
    pin: () => {
      const newestTrust = readStoredTrust()
      if (newestTrust.pin === null) changeStoredTrust({ pin: pinTrust(published, false, new Date()) })
      else setStoredTrust(newestTrust)
      return getTrust(newestTrust, config)
    },
    enter: (enteredTrust) => changeStoredTrust({ pin: pinTrust(enteredTrust, true, new Date()) }),
    acceptPublished: () => changeStoredTrust({ pin: pinTrust(published, false, new Date()) }),
  }
}
