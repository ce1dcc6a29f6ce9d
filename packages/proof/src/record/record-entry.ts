import type { AnchoredEvent } from '../anchored-event.ts'
import type { Hex } from '../hex.ts'
import type { Statement } from '../statement.ts'

/** An anchor with its block, as read from the chain. */
export type RecordAnchor = Pick<AnchoredEvent, 'size' | 'blockAt' | 'blockNumber' | 'blockHash'>

/** An entry that createLogCheck has accepted, with the message whose hash it states. */
export interface RecordEntry {
  index: number
  leafHash: Hex
  /** Null if the content is not available. */
  statement: Statement | null
  /** The signal message of an alert, the outcome message of an outcome, or null. */
  message: string | null
}
