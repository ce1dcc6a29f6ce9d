import { bytesToHex } from '@tocsin/proof'
import type { LogHead } from '@tocsin/protocol'
import type { Head } from './log.ts'
import type { AnchorRow } from './store.ts'

export function presentHead(head: Head, anchor: AnchorRow | null): LogHead {
  return {
    size: head.size,
    root: bytesToHex(head.root),
    anchored: anchor && {
      size: anchor.size,
      root: bytesToHex(anchor.root),
      transactionHash: anchor.txHash,
      blockNumber: anchor.blockNumber,
      at: anchor.blockAt.toISOString(),
    },
  }
}
