import { bytesToHex, type Hex } from '@tocsin/proof'
import type { LogAnchor, LogEntries, LogHead, LogKeys } from '@tocsin/protocol'
import type { Head } from './log.ts'
import type { AnchorRow, EntryWithAnchor, ReadableEntryRow } from './store.ts'

export function presentHead(head: Head, anchor: AnchorRow | null): LogHead {
  return { size: head.size, root: bytesToHex(head.root), anchored: anchor && presentAnchor(anchor) }
}

export function presentAnchor({ size, root, txHash, blockNumber, blockHash, blockAt }: AnchorRow): LogAnchor {
  return { size, root: bytesToHex(root), transactionHash: txHash, blockNumber, blockHash, at: blockAt.toISOString() }
}

export function presentOpenEntry({
  index,
  leafHash,
  bytes,
  signature,
}: ReadableEntryRow): LogEntries['entries'][number] {
  return { index, leafHash: bytesToHex(leafHash), bytes: bytes && presentBytes(bytes), signature }
}

export function presentSignedEntry({ entry, anchor }: EntryWithAnchor, merklePath: Hex[]): LogKeys['entries'][number] {
  return {
    bytes: presentBytes(entry.bytes),
    signature: entry.signature,
    leafHash: bytesToHex(entry.leafHash),
    index: entry.index,
    merklePath,
    treeSize: anchor?.size ?? null,
    root: anchor && bytesToHex(anchor.root),
    avalancheTx: anchor?.txHash ?? null,
  }
}

/** Returns canonical bytes as text. They are UTF-8. */
export function presentBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString()
}
