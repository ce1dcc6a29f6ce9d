import { bytesToHex, computeInclusionSteps, hexToBytes } from '@tocsin/proof'
import type { LadderRung } from '../../ui/identity/ladder-layout.ts'

interface InclusionProof {
  leafHash?: string | undefined
  logIndex?: number | undefined
  treeSize?: number | null | undefined
  merklePath: readonly string[]
}

/**
 * Recomputes the Merkle path from an alert's leaf to the root. Empty if the alert has no path yet
 * or the path is invalid.
 */
export function computeRungs({ leafHash, logIndex, treeSize, merklePath }: InclusionProof): LadderRung[] {
  if (treeSize === null || treeSize === undefined || leafHash === undefined || logIndex === undefined) return []
  try {
    const path = merklePath.map(hexToBytes)
    const steps = computeInclusionSteps({ leafHash: hexToBytes(leafHash), index: logIndex, size: treeSize, path }) ?? []
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
