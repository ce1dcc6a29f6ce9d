import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Frame, joinFrames } from './frame.ts'
import { SendQueue } from './send-queue.ts'

const frame = (seq: number): Frame => ({ seq, bytes: Buffer.from(`${seq} `), short: () => null })
const note = (text: string): Frame => ({ seq: null, bytes: Buffer.from(`${text} `), short: () => null })

function createRecorded() {
  let written = ''
  const sendQueue = new SendQueue({
    deliver({ bytes }) {
      written += bytes.toString()
    },
  })
  return { sendQueue, written: () => written.trim().split(' ').filter(Boolean) }
}

describe('a send queue', () => {
  it('writes every delivery at most once and in order', () => {
    const { sendQueue, written } = createRecorded()
    for (const seq of [3, 3, 2, 4, 1]) sendQueue.push(frame(seq))
    sendQueue.pushBatch(joinFrames([frame(4), frame(5)]))
    expect(written()).toEqual(['3', '4', '5'])
  })

  it('writes no live frame before the last hold is released', () => {
    const { sendQueue, written } = createRecorded()
    sendQueue.hold()
    sendQueue.hold()
    sendQueue.push(frame(2))
    sendQueue.release()
    expect(written()).toEqual([])
    sendQueue.backfill(joinFrames([frame(1)]))
    sendQueue.backfill(joinFrames([frame(2)]))
    sendQueue.pushBatch(joinFrames([frame(2), frame(3)]))
    sendQueue.push(note('live'))
    sendQueue.release()
    sendQueue.push(frame(4))
    expect(written()).toEqual(['1', '2', '3', 'live', '4'])
  })

  it('writes every update of a known alert, in the order of arrival', () => {
    const { sendQueue, written } = createRecorded()
    sendQueue.push(frame(1))
    sendQueue.pushBatch(joinFrames([note('proof'), note('proof')]))
    sendQueue.pushBatch(joinFrames([frame(2), frame(3)]))
    expect(written()).toEqual(['1', 'proof', 'proof', '2', '3'])
  })
})

/** The steps of a server. Its history reader, live reader and publisher interleave in any order. */
type Step = 'publish' | 'read live' | 'read history' | 'doubt' | 'settle'

describe('backfill and live frames together', () => {
  it('deliver everything after the cursor exactly once and in order, for every interleaving', () => {
    const step = fc.constantFrom<Step>('publish', 'publish', 'read live', 'read history', 'doubt', 'settle')
    const fixture = fc.record({
      before: fc.integer({ min: 0, max: 12 }),
      seen: fc.integer({ min: 0, max: 12 }),
      page: fc.integer({ min: 1, max: 4 }),
      steps: fc.array(step, { maxLength: 60 }),
    })
    fc.assert(
      fc.property(fixture, ({ before, seen: seenAtMost, page, steps }) => {
        const seen = Math.min(seenAtMost, before)
        const { sendQueue, written } = createRecorded()
        let published = before
        let liveCursor = before
        let historyCursor = seen
        let isHistoryDone = false
        let doubts = 0
        const range = (after: number, limit: number) =>
          Array.from({ length: Math.min(limit, published - after) }, (_, index) => frame(after + 1 + index))
        const readLive = () => {
          sendQueue.pushBatch(joinFrames(range(liveCursor, Number.POSITIVE_INFINITY)))
          liveCursor = published
        }
        const readHistory = () => {
          if (isHistoryDone) return
          const frames = range(historyCursor, page)
          sendQueue.backfill(joinFrames(frames))
          historyCursor += frames.length
          if (frames.length === page) return
          isHistoryDone = true
          sendQueue.push(note('live'))
          sendQueue.release()
        }
        const perform: Record<Step, () => void> = {
          publish: () => {
            published += 1
          },
          'read live': readLive,
          'read history': readHistory,
          doubt: () => {
            doubts += 1
            sendQueue.hold()
          },
          settle: () => {
            if (doubts === 0) return
            doubts -= 1
            sendQueue.release()
          },
        }
        sendQueue.hold()
        for (const name of steps) perform[name]()
        while (!isHistoryDone) readHistory()
        readLive()
        while (doubts > 0) perform.settle()
        const deliveries = written().filter((text) => text !== 'live')
        expect(deliveries.map(Number)).toEqual(range(seen, Number.POSITIVE_INFINITY).map(({ seq }) => seq))
        expect(written().filter((text) => text === 'live')).toHaveLength(1)
      }),
      { seed: 20260115, numRuns: 300 },
    )
  })
})
