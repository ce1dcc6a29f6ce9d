import type { Alert, ServerMessage } from '@tocsin/protocol'

/** A message ready for the wire: made once, written to every socket as it is. */
export interface Frame {
  /** Place in the order of deliveries; null for what has none: an update of something sent before, or a word about the stream. */
  seq: number | null
  bytes: Buffer
}

/** Several frames and their bytes in one piece: alerts that wait together go out as one write. */
export interface Batch {
  frames: readonly Frame[]
  bytes: Buffer
}

export function joinFrames(frames: readonly Frame[]): Batch {
  const [only] = frames
  if (only && frames.length === 1) return { frames, bytes: only.bytes }
  return { frames, bytes: Buffer.concat(frames.map((frame) => frame.bytes)) }
}

export function deliveryFrame(seq: number, alert: Alert): Frame {
  return { seq, bytes: encodeMessage({ type: 'new_alert', alert }) }
}

export function plainFrame(message: ServerMessage): Frame {
  return { seq: null, bytes: encodeMessage(message) }
}

/** An unmasked, unfragmented text frame (RFC 6455, section 5.2). */
export function encodeMessage(message: ServerMessage): Buffer {
  const payload = Buffer.from(JSON.stringify(message))
  const header = Buffer.alloc(headerLength(payload.length))
  header[0] = 0x81
  if (header.length === 2) header[1] = payload.length
  else if (header.length === 4) {
    header[1] = 126
    header.writeUInt16BE(payload.length, 2)
  } else {
    header[1] = 127
    header.writeBigUInt64BE(BigInt(payload.length), 2)
  }
  return Buffer.concat([header, payload])
}

function headerLength(payloadLength: number): 2 | 4 | 10 {
  if (payloadLength < 126) return 2
  return payloadLength < 0x1_0000 ? 4 : 10
}
