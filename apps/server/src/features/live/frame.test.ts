import { describe, expect, it } from 'vitest'
import { createTestAlert } from '../../../test/support/handover-test-bed.ts'
import {
  createDeliveryFrame,
  createPlainFrame,
  createProofFrame,
  type EncodedMessage,
  encodeMessage,
  joinFrames,
} from './frame.ts'

const createFailure = (length: number) => ({ type: 'authentication_failed', message: 'é'.repeat(length) }) as const

/** Parses frames as defined in RFC 6455, section 5.2. */
function decodeFrames(bytes: Buffer): string[] {
  const texts: string[] = []
  for (let index = 0; index < bytes.length; ) {
    expect(bytes[index]).toBe(0x81)
    const shortLength = bytes.readUInt8(index + 1)
    const extraLengthBytes = { 126: 2, 127: 8 }[shortLength] ?? 0
    const length =
      extraLengthBytes === 0
        ? shortLength
        : bytes.readUIntBE(index + (extraLengthBytes === 2 ? 2 : 4), extraLengthBytes === 2 ? 2 : 6)
    const start = index + 2 + extraLengthBytes
    texts.push(bytes.toString('utf8', start, start + length))
    index = start + length
  }
  return texts
}

describe('the summary format', () => {
  it('encodes an alert as title and text, omits proofs, and leaves status messages unchanged', () => {
    const alert = { ...createTestAlert(7), asset: 'BTC/USDT', anomalyType: 'Spread', summary: 'Wide' }
    const liveFrame = createPlainFrame({ type: 'live', lastIndex: 7, logId: '0x', recovered: true })
    const { summary } = joinFrames([
      createDeliveryFrame({ seq: 1, at: new Date(0), alert, isOutcome: false }),
      createProofFrame(alert),
      liveFrame,
    ])
    const [market, word] = decodeFrames(summary() ?? Buffer.alloc(0)).map((text) => JSON.parse(text))
    expect(market).toEqual({
      type: 'market_alert',
      data: {
        id: 'alert-7',
        title: 'BTC/USDT: Spread',
        description: 'Wide',
        priority: 'low',
        timestamp: alert.createdAt,
        logIndex: 7,
      },
    })
    expect(word.type).toBe('live')
    expect(joinFrames([createProofFrame(alert), createProofFrame(alert)]).summary()).toBeNull()
  })
})

describe('compact proofs', () => {
  const alert = {
    ...createTestAlert(7),
    merklePath: ['0x01'],
    treeSize: 8,
    root: '0x02',
    avalancheTx: '0x03',
    anchoredAt: null,
  }
  const compactOf = (piece: EncodedMessage) =>
    decodeFrames(piece.compact?.() ?? piece.bytes).map((text) => JSON.parse(text))

  it('contain only the fields that an anchor changes', () => {
    const proof = { merklePath: ['0x01'], treeSize: 8, root: '0x02', avalancheTx: '0x03', anchoredAt: null }
    expect(compactOf(createProofFrame(alert))).toEqual([{ type: 'alert_proof', id: 'alert-7', logIndex: 7, ...proof }])
    expect(compactOf(joinFrames([createProofFrame(alert), createProofFrame(alert)]))).toHaveLength(2)
  })

  it('leave new alerts, outcomes and status messages unchanged', () => {
    const delivery = { seq: 1, at: new Date(0), alert }
    const frames = [
      createDeliveryFrame({ ...delivery, isOutcome: false }),
      createDeliveryFrame({ ...delivery, isOutcome: true }),
      createPlainFrame({ type: 'live', lastIndex: 7, logId: '0x', recovered: true }),
    ]
    for (const frame of frames)
      expect(compactOf(frame)).toEqual(decodeFrames(frame.bytes).map((text) => JSON.parse(text)))
    const [, ...rest] = compactOf(joinFrames([createProofFrame(alert), ...frames]))
    expect(rest).toEqual(decodeFrames(joinFrames(frames).bytes).map((text) => JSON.parse(text)))
  })
})

describe('a text frame', () => {
  it.each([1, 30, 38, 39, 40, 60, 1_000, 32_740, 32_750, 40_000])('carries a message with %i characters', (length) => {
    const message = createFailure(length)
    expect(decodeFrames(encodeMessage(message))).toEqual([JSON.stringify(message)])
  })

  it('can be joined with other frames into one write', () => {
    const messages = [createFailure(3), createFailure(100), createFailure(40_000)]
    const { bytes } = joinFrames(messages.map(createPlainFrame))
    expect(decodeFrames(bytes)).toEqual(messages.map((message) => JSON.stringify(message)))
  })
})
