import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Frame, joinFrames } from './frame.ts'
import { Outbox } from './outbox.ts'

const frame = (seq: number): Frame => ({ seq, bytes: Buffer.from(`${seq} `), short: () => null })
const note = (text: string): Frame => ({ seq: null, bytes: Buffer.from(`${text} `), short: () => null })

function createRecorded() {
  let written = ''
  const outbox = new Outbox({
    deliver({ bytes }) {
      written += bytes.toString()
    },
  })
  return { outbox, written: () => written.trim().split(' ').filter(Boolean) }
}

describe('an outbox', () => {
  it('writes every delivery at most once and in order', () => {
    const { outbox, written } = createRecorded()
    for (const seq of [3, 3, 2, 4, 1]) outbox.push(frame(seq))
    outbox.pushBatch(joinFrames([frame(4), frame(5)]))
    expect(written()).toEqual(['3', '4', '5'])
  })

  it('writes no live frame before the last hold is released', () => {
    const { outbox, written } = createRecorded()
    outbox.hold()
    outbox.hold()
    outbox.push(frame(2))
    outbox.release()
    expect(written()).toEqual([])
    outbox.backfill(joinFrames([frame(1)]))
    outbox.backfill(joinFrames([frame(2)]))
    outbox.pushBatch(joinFrames([frame(2), frame(3)]))
    outbox.push(note('live'))
    outbox.release()
    outbox.push(frame(4))
    expect(written()).toEqual(['1', '2', '3', 'live', '4'])
  })

  it('writes updates every time, in the order of arrival', () => {
    const { outbox, written } = createRecorded()
    outbox.push(frame(1))
    outbox.pushBatch(joinFrames([note('proof'), note('proof')]))
    outbox.pushBatch(joinFrames([frame(2), frame(3)]))
    expect(written()).toEqual(['1', 'proof', 'proof', '2', '3'])
  })
})

/** The steps of a server. Its history reader, live reader and publisher interleave in any order. */
type Step = 'publish' | 'read live' | 'read history' | 'doubt' | 'settle'

describe('backfill and live frames together', () => {
  it('deliver everything after the cursor exactly once and in order, for every interleaving', () => {
    const step = fc.constantFrom<Step>('publish', 'publish', 'read live', 'read history', 'doubt', 'settle')
    const scene = fc.record({
      before: fc.integer({ min: 0, max: 12 }),
      seen: fc.integer({ min: 0, max: 12 }),
      page: fc.integer({ min: 1, max: 4 }),
      steps: fc.array(step, { maxLength: 60 }),
    })
    fc.assert(
      fc.property(scene, ({ before, seen: seenAtMost, page, steps }) => {
        const seen = Math.min(seenAtMost, before)
        const { outbox, written } = createRecorded()
        let published = before
        let liveCursor = before
        let historyCursor = seen
        let isHistoryDone = false
        let doubts = 0
        const range = (after: number, limit: number) =>
          Array.from({ length: Math.min(limit, published - after) }, (_, at) => frame(after + 1 + at))
        const readLive = () => {
          outbox.pushBatch(joinFrames(range(liveCursor, Number.POSITIVE_INFINITY)))
          liveCursor = published
        }
        const readHistory = () => {
          if (isHistoryDone) return
          const frames = range(historyCursor, page)
          outbox.backfill(joinFrames(frames))
          historyCursor += frames.length
          if (frames.length === page) return
          isHistoryDone = true
          outbox.push(note('live'))
          outbox.release()
        }
        const perform: Record<Step, () => void> = {
          publish: () => {
            published += 1
          },
          'read live': readLive,
          'read history': readHistory,
          doubt: () => {
            doubts += 1
            outbox.hold()
          },
          settle: () => {
            if (doubts === 0) return
            doubts -= 1
            outbox.release()
          },
        }
        outbox.hold()
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
