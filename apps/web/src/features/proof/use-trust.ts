import { useState } from 'react'
import { readStored, store } from '../../browser/stored-json.ts'
import type { Trust } from './proof-task.ts'
import {
  isSameTrust,
  type PublishedLog,
  parseStoredTrust,
  pinTrust,
  publishedTrust,
  rpcUrlOf,
  type StoredTrust,
  trustOf,
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
  /** Pins the current trust anchors unless some are pinned already. */
  pin: () => void
  enter: (trust: Trust) => void
  acceptPublished: () => void
}

/**
 * Trust anchors and chain node of this browser, kept in local storage. Null until the configuration
 * is loaded.
 */
export function useTrust(config: PublishedLog | undefined): TrustChoice | null {
  const [stored, setStored] = useState(() => parseStoredTrust(readStored(trustStorageKey)))
  if (!config) return null
  const trust = trustOf(stored, config)
  const published = publishedTrust(config)

  function change(changes: Partial<StoredTrust>) {
    const next = { ...parseStoredTrust(readStored(trustStorageKey)), ...changes }
    store(trustStorageKey, next)
    setStored(next)
  }

  return {
    trust,
    since: stored.pin?.at ?? null,
    isOwn: stored.pin?.isOwn ?? false,
    published: isSameTrust(trust, published) ? null : published,
    rpcUrl: rpcUrlOf(stored, config),
    setRpcUrl: (url) => change({ rpcUrl: url }),
    pin: () => {
      if (stored.pin === null) change({ pin: pinTrust(trust, false, new Date()) })
    },
    enter: (entered) => change({ pin: pinTrust(entered, true, new Date()) }),
    acceptPublished: () => change({ pin: pinTrust(published, false, new Date()) }),
  }
}
