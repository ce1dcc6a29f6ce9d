import type { Alert, ServerMessage } from '@tocsin/protocol'
import type { IssuedDelivery } from '../../issued-deliveries.ts'

/** A critical alert, and when it was broadcast. */
export interface CriticalAlert {
  logIndex: number
  atMs: number
}

/** An encoded message, built once and written to every socket unchanged. */
export interface EncodedMessage {
  bytes: Buffer
  /**
   * Returns the message in the summary format for programs that requested it, or null if the
   * message has none. It is encoded on first use.
   */
  summary(): Buffer | null
  /**
   * Returns the message for clients that requested compact proofs. It is encoded on first use.
   * Undefined if the message is the same for all clients.
   */
  compact?: (() => Buffer) | undefined
  /** The new critical alerts in the message. */
  critical?: readonly CriticalAlert[]
}

/** One message. */
export interface Frame extends EncodedMessage {
  /**
   * The position of the delivery in the order of deliveries. Null for messages without a position:
   * the proof of an earlier alert, or a status message.
   */
  seq: number | null
}

/** Several frames joined into one buffer, so that queued alerts go out in one write. */
export interface Batch extends EncodedMessage {
  frames: readonly Frame[]
}

export function joinFrames(frames: readonly Frame[]): Batch {
  const [onlyFrame] = frames
  const criticalAlerts = frames.flatMap((frame) => frame.critical ?? [])
  if (onlyFrame && frames.length === 1)
    return {
      frames,
      bytes: onlyFrame.bytes,
      summary: onlyFrame.summary,
      compact: onlyFrame.compact,
      critical: criticalAlerts,
    }
  const bytes = Buffer.concat(frames.map((frame) => frame.bytes))
  const compact = frames.some((frame) => frame.compact) ? memoize(() => joinCompact(frames)) : undefined
  return { frames, bytes, summary: memoize(() => joinSummaries(frames)), compact, critical: criticalAlerts }
}

function joinSummaries(frames: readonly Frame[]): Buffer | null {
  const summaryBuffers = frames.flatMap((frame) => frame.summary() ?? [])
  return summaryBuffers.length > 0 ? Buffer.concat(summaryBuffers) : null
}

const joinCompact = (frames: readonly Frame[]) => Buffer.concat(frames.map((frame) => frame.compact?.() ?? frame.bytes))

export function createDeliveryFrame({ seq, at, alert, isOutcome }: Omit<IssuedDelivery, 'logIndex'>): Frame {
  if (!isOutcome) {
    const criticalAlerts = alert.priority === 'critical' ? [{ logIndex: alert.logIndex, atMs: at.getTime() }] : []
    return {
      seq,
      bytes: encodeMessage({ type: 'new_alert', alert }),
      summary: memoize(() => encodeSummary(alert)),
      critical: criticalAlerts,
    }
  }
  // Sends an earlier alert again, now with its outcome. Omitted in the summary format.
  return { seq, bytes: encodeMessage({ type: 'new_alert', alert, isUpdate: true }), summary: () => null }
}

/** Creates the frame for an earlier alert that now has its proof. Omitted in the summary format. */
export function createProofFrame(alert: Alert): Frame {
  return {
    seq: null,
    bytes: encodeMessage({ type: 'new_alert', alert, isUpdate: true }),
    summary: () => null,
    compact: memoize(() => encodeProof(alert)),
  }
}

function encodeProof({ id, logIndex, merklePath, treeSize, root, avalancheTx, anchoredAt }: Alert): Buffer {
  return encodeMessage({ type: 'alert_proof', id, logIndex, merklePath, treeSize, root, avalancheTx, anchoredAt })
}

export function createPlainFrame(message: ServerMessage): Frame {
  const bytes = encodeMessage(message)
  return { seq: null, bytes, summary: () => bytes }
}

function encodeSummary({ id, asset, anomalyType, summary, priority, createdAt, logIndex }: Alert): Buffer {
  const title = anomalyType === '' ? asset : `${asset}: ${anomalyType}`
  const data = { id, title, description: summary, priority, timestamp: createdAt, logIndex }
  return encodeMessage({ type: 'market_alert', data })
}

/** Encodes an unmasked, unfragmented text frame (RFC 6455, section 5.2). */
export function encodeMessage(message: ServerMessage): Buffer {
  const text = JSON.stringify(message)
  const length = Buffer.byteLength(text)
  const payloadStart = getHeaderLength(length)
  const frame = Buffer.allocUnsafeSlow(payloadStart + length)
  frame[0] = 0x81
  if (payloadStart === 2) frame[1] = length
  else if (payloadStart === 4) {
    frame[1] = 126
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = 127
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  frame.write(text, payloadStart)
  return frame
}

function getHeaderLength(payloadLength: number): 2 | 4 | 10 {
  if (payloadLength < 126) return 2
  return payloadLength < 0x1_0000 ? 4 : 10
}

function memoize<T>(make: () => T): () => T {
  let cachedValue: { value: T } | null = null
  return () => {
    cachedValue ??= { value: make() }
    return cachedValue.value
  }
}
