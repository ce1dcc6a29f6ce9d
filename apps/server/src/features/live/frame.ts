import type { Alert, ServerMessage } from '@tocsin/protocol'
import type { Delivered } from '../../issued-deliveries.ts'

/** A critical alert, and when it was broadcast. */
export interface Critical {
  logIndex: number
  atMs: number
}

/** An encoded message, built once and written to every socket unchanged. */
export interface Piece {
  bytes: Buffer
  /**
   * Returns the message in the summary format for programs that requested it, or null if the
   * message has none. It is encoded on first use.
   */
  short(): Buffer | null
  /**
   * Returns the message for clients that requested compact proofs. It is encoded on first use.
   * Undefined if the message is the same for all clients.
   */
  compact?: (() => Buffer) | undefined
  /** The new critical alerts in the message. */
  critical?: readonly Critical[]
}

/** One message. */
export interface Frame extends Piece {
  /**
   * The position of the delivery in the order of deliveries. Null for messages without a position:
   * an update of an earlier alert, or a status message.
   */
  seq: number | null
}

/** Several frames joined into one buffer, so that queued alerts go out in one write. */
export interface Batch extends Piece {
  frames: readonly Frame[]
}

export function joinFrames(frames: readonly Frame[]): Batch {
  const [only] = frames
  const critical = frames.flatMap((frame) => frame.critical ?? [])
  if (only && frames.length === 1)
    return { frames, bytes: only.bytes, short: only.short, compact: only.compact, critical }
  const bytes = Buffer.concat(frames.map((frame) => frame.bytes))
  const compact = frames.some((frame) => frame.compact) ? memoize(() => joinCompact(frames)) : undefined
  return { frames, bytes, short: memoize(() => joinShort(frames)), compact, critical }
}

function joinShort(frames: readonly Frame[]): Buffer | null {
  const parts = frames.flatMap((frame) => frame.short() ?? [])
  return parts.length > 0 ? Buffer.concat(parts) : null
}

const joinCompact = (frames: readonly Frame[]) => Buffer.concat(frames.map((frame) => frame.compact?.() ?? frame.bytes))

export function deliveryFrame({ seq, at, alert, isOutcome }: Omit<Delivered, 'logIndex'>): Frame {
  if (!isOutcome) {
    const critical = alert.priority === 'critical' ? [{ logIndex: alert.logIndex, atMs: at.getTime() }] : []
    return {
      seq,
      bytes: encodeMessage({ type: 'new_alert', alert }),
      short: memoize(() => encodeShort(alert)),
      critical,
    }
  }
  // Sends an earlier alert again, now with its outcome. Omitted in the summary format.
  return { seq, bytes: encodeMessage({ type: 'new_alert', alert, isUpdate: true }), short: () => null }
}

/** Creates the frame for an earlier alert that now has its proof. Omitted in the summary format. */
export function proofFrame(alert: Alert): Frame {
  return {
    seq: null,
    bytes: encodeMessage({ type: 'new_alert', alert, isUpdate: true }),
    short: () => null,
    compact: memoize(() => encodeProof(alert)),
  }
}

function encodeProof({ id, logIndex, merklePath, treeSize, root, avalancheTx, anchoredAt }: Alert): Buffer {
  return encodeMessage({ type: 'alert_proof', id, logIndex, merklePath, treeSize, root, avalancheTx, anchoredAt })
}

export function plainFrame(message: ServerMessage): Frame {
  const bytes = encodeMessage(message)
  return { seq: null, bytes, short: () => bytes }
}

function encodeShort({ id, asset, anomalyType, summary, priority, createdAt, logIndex }: Alert): Buffer {
  const title = anomalyType === '' ? asset : `${asset}: ${anomalyType}`
  const data = { id, title, description: summary, priority, timestamp: createdAt, logIndex }
  return encodeMessage({ type: 'market_alert', data })
}

/** Encodes an unmasked, unfragmented text frame (RFC 6455, section 5.2). */
export function encodeMessage(message: ServerMessage): Buffer {
  const text = JSON.stringify(message)
  const length = Buffer.byteLength(text)
  const start = headerLength(length)
  const frame = Buffer.allocUnsafeSlow(start + length)
  frame[0] = 0x81
  if (start === 2) frame[1] = length
  else if (start === 4) {
    frame[1] = 126
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = 127
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  frame.write(text, start)
  return frame
}

function headerLength(payloadLength: number): 2 | 4 | 10 {
  if (payloadLength < 126) return 2
  return payloadLength < 0x1_0000 ? 4 : 10
}

function memoize<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
