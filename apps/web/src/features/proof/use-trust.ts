import type { PublicConfig } from '@tocsin/protocol'
import { useState } from 'react'
import { keep, readKept } from './browser-store.ts'
import type { Trust } from './proof-task.ts'
import {
  isSameTrust,
  type KeptTrust,
  keptTrustKey,
  pinTrust,
  publishedTrust,
  readKeptTrust,
  rpcUrlOf,
  trustOf,
} from './trust.ts'

export interface TrustChoice {
  trust: Trust
  /** Since when this browser trusts it; null before the first check. */
  since: string | null
  /** The reader has entered it. */
  isOwn: boolean
  /** What the site says of itself by now, where that is something else. */
  published: Trust | null
  rpcUrl: string
  setRpcUrl: (url: string) => void
  /** Remembers what is trusted, if nothing is remembered yet. */
  pin: () => void
  enter: (trust: Trust) => void
  takePublished: () => void
}

/** Whom this browser trusts, and which node it asks. Both stay in this browser. Null until the site has named its log. */
export function useTrust(config: PublicConfig | undefined): TrustChoice | null {
  const [kept, setKept] = useState(() => readKeptTrust(readKept(keptTrustKey)))
  if (!config) return null
  const trust = trustOf(kept, config)
  const published = publishedTrust(config)

  function change(changes: Partial<KeptTrust>) {
    const next = { ...readKeptTrust(readKept(keptTrustKey)), ...changes }
    keep(keptTrustKey, next)
    setKept(next)
  }

  return {
    trust,
    since: kept.pin?.at ?? null,
    isOwn: kept.pin?.isOwn ?? false,
    published: isSameTrust(trust, published) ? null : published,
    rpcUrl: rpcUrlOf(kept, config),
    setRpcUrl: (url) => change({ rpcUrl: url }),
    pin: () => {
      if (kept.pin === null) change({ pin: pinTrust(trust, false, new Date()) })
    },
    enter: (entered) => change({ pin: pinTrust(entered, true, new Date()) }),
    takePublished: () => change({ pin: pinTrust(published, false, new Date()) }),
  }
}
