import { bytesToHex, climbInclusion, hexToBytes } from '@tocsin/proof'
import type { LadderRung } from '../../ui/identity/ladder-layout.ts'

interface Placed {
  leafHash?: string | undefined
  logIndex?: number | undefined
  treeSize?: number | null | undefined
  merklePath: readonly string[]
}

/** The way up from an alert's leaf, recomputed; empty where there is none yet or the path does not fit. */
export function rungsOf({ leafHash, logIndex, treeSize, merklePath }: Placed): LadderRung[] {
  if (treeSize === null || treeSize === undefined || leafHash === undefined || logIndex === undefined) return []
  try {
    const path = merklePath.map(hexToBytes)
    const steps = climbInclusion({ leafHash: hexToBytes(leafHash), index: logIndex, size: treeSize, path }) ?? []
    return steps.map(({ side, sibling, hash }, i) => ({
      level: i + 1,
      side,
      sibling: bytesToHex(sibling),
      hash: bytesToHex(hash),
    }))
  } catch {
    return []
  }
}
