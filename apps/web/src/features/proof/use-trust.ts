import { useEffect, useState } from 'react'
import { readStored, store } from '../../browser/stored-json.ts'
import type { Trust } from './proof-task.ts'
import {
  getRpcUrl,
  getTrust,
  isSameTrust,
  type PublishedLog,
  parseStoredTrust,
  pinTrust,
  publishedTrust,
  type StoredTrust,
  trustStorageKey,
} from './trust.ts'

export interface TrustChoice {
  trust: Trust
  /** When the trust anchors were pinned (ISO); null before the first check. */
  since: string | null
  /** True if the user entered them. */
  isOwn: boolean
  /** The published trust anchors, if they differ. */
  published: Trust | null
  rpcUrl: string
  setRpcUrl: (url: string) => void
  /**
   * Pins the current trust anchors unless some are pinned already, and returns the pinned ones. A
   * check must use these, because another tab may have changed them.
   */
  pin: () => Trust
  enter: (trust: Trust) => void
  acceptPublished: () => void
}

const readStoredTrust = () => parseStoredTrust(readStored(trustStorageKey))

/**
 * Trust anchors and chain node of this browser, kept in local storage. Null until the configuration
 * is loaded.
 */
export function useTrust(config: PublishedLog | undefined): TrustChoice | null {
  const [storedTrust, setStoredTrust] = useState(readStoredTrust)
  useEffect(() => {
    const follow = ({ key }: StorageEvent) => {
      // The key is null if the tab has cleared the storage.
      if (key === trustStorageKey || key === null) setStoredTrust(readStoredTrust())
    }
    window.addEventListener('storage', follow)
    return () => window.removeEventListener('storage', follow)
  }, [])
  if (!config) return null
  const trust = getTrust(storedTrust, config)
  const published = publishedTrust(config)

  function change(changes: Partial<StoredTrust>) {
    const next = { ...readStoredTrust(), ...changes }
    store(trustStorageKey, next)
    setStoredTrust(next)
  }

  return {
    trust,
    since: storedTrust.pin?.at ?? null,
    isOwn: storedTrust.pin?.isOwn ?? false,
    published: isSameTrust(trust, published) ? null : published,
    rpcUrl: getRpcUrl(storedTrust, config),
    setRpcUrl: (url) => change({ rpcUrl: url }),
    pin: () => {
      const newest = readStoredTrust()
      if (newest.pin === null) change({ pin: pinTrust(published, false, new Date()) })
      else setStoredTrust(newest)
      return getTrust(newest, config)
    },
    enter: (entered) => change({ pin: pinTrust(entered, true, new Date()) }),
    acceptPublished: () => change({ pin: pinTrust(published, false, new Date()) }),
  }
}
