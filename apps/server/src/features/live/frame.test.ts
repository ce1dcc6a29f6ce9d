import { describe, expect, it } from 'vitest'
import { alertAt } from '../../../test/support/handover-test-bed.ts'
import { deliveryFrame, encodeMessage, joinFrames, type Piece, plainFrame, proofFrame } from './frame.ts'

const failure = (length: number) => ({ type: 'authentication_failed', message: 'é'.repeat(length) }) as const

/** Parses frames as defined in RFC 6455, section 5.2. */
function decode(bytes: Buffer): string[] {
  const texts: string[] = []
  for (let index = 0; index < bytes.length; ) {
    expect(bytes[index]).toBe(0x81)
    const short = bytes.readUInt8(index + 1)
    const extended = { 126: 2, 127: 8 }[short] ?? 0
    const length = extended === 0 ? short : bytes.readUIntBE(index + (extended === 2 ? 2 : 4), extended === 2 ? 2 : 6)
    const start = index + 2 + extended
    texts.push(bytes.toString('utf8', start, start + length))
    index = start + length
  }
  return texts
}

describe('the summary format', () => {
  it('encodes an alert as title and text, omits proofs, and leaves status messages unchanged', () => {
    const alert = { ...alertAt(7), asset: 'BTC/USDT', anomalyType: 'Spread', summary: 'Wide' }
    const live = plainFrame({ type: 'live', lastIndex: 7, logId: '0x', recovered: true })
    const { short } = joinFrames([
      deliveryFrame({ seq: 1, at: new Date(0), alert, isOutcome: false }),
      proofFrame(alert),
      live,
    ])
    const [market, word] = decode(short() ?? Buffer.alloc(0)).map((text) => JSON.parse(text))
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
    expect(joinFrames([proofFrame(alert), proofFrame(alert)]).short()).toBeNull()
  })
})

describe('compact proofs', () => {
  const alert = {
    ...alertAt(7),
    merklePath: ['0x01'],
    treeSize: 8,
    root: '0x02',
    avalancheTx: '0x03',
    anchoredAt: null,
  }
  const compactOf = (piece: Piece) => decode(piece.compact?.() ?? piece.bytes).map((text) => JSON.parse(text))

  it('contain only the fields that an anchor changes', () => {
    const proof = { merklePath: ['0x01'], treeSize: 8, root: '0x02', avalancheTx: '0x03', anchoredAt: null }
    expect(compactOf(proofFrame(alert))).toEqual([{ type: 'alert_proof', id: 'alert-7', logIndex: 7, ...proof }])
    expect(compactOf(joinFrames([proofFrame(alert), proofFrame(alert)]))).toHaveLength(2)
  })

  it('leave new alerts, outcomes and status messages unchanged', () => {
    const delivery = { seq: 1, at: new Date(0), alert }
    const frames = [
      deliveryFrame({ ...delivery, isOutcome: false }),
      deliveryFrame({ ...delivery, isOutcome: true }),
      plainFrame({ type: 'live', lastIndex: 7, logId: '0x', recovered: true }),
    ]
    for (const frame of frames) expect(compactOf(frame)).toEqual(decode(frame.bytes).map((text) => JSON.parse(text)))
    const [, ...rest] = compactOf(joinFrames([proofFrame(alert), ...frames]))
    expect(rest).toEqual(decode(joinFrames(frames).bytes).map((text) => JSON.parse(text)))
  })
})

describe('a text frame', () => {
  it.each([1, 30, 38, 39, 40, 60, 1_000, 32_740, 32_750, 40_000])('carries a message with %i characters', (length) => {
    const message = failure(length)
    expect(decode(encodeMessage(message))).toEqual([JSON.stringify(message)])
  })

  it('joins with others into one write', () => {
    const messages = [failure(3), failure(100), failure(40_000)]
    const { bytes } = joinFrames(messages.map(plainFrame))
    expect(decode(bytes)).toEqual(messages.map((message) => JSON.stringify(message)))
  })
})
