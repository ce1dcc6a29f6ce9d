import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Frame, joinFrames } from './frame.ts'
import { SendQueue } from './send-queue.ts'

const createFrame = (seq: number): Frame => ({ seq, bytes: Buffer.from(`${seq} `), summary: () => null })
const createNote = (text: string): Frame => ({ seq: null, bytes: Buffer.from(`${text} `), summary: () => null })

function createRecordedQueue() {
  let writtenText = ''
  const sendQueue = new SendQueue({
    deliver({ bytes }) {
      writtenText += bytes.toString()
    },
  })
  return { sendQueue, written: () => writtenText.trim().split(' ').filter(Boolean) }
}

describe('a send queue', () => {
  it('writes every delivery at most once and in order', () => {
    const { sendQueue, written } = createRecordedQueue()
    for (const seq of [3, 3, 2, 4, 1]) sendQueue.push(createFrame(seq))
    sendQueue.pushBatch(joinFrames([createFrame(4), createFrame(5)]))
    expect(written()).toEqual(['3', '4', '5'])
  })

  it('writes no live frame before the last hold is released', () => {
    const { sendQueue, written } = createRecordedQueue()
    sendQueue.hold()
    sendQueue.hold()
    sendQueue.push(createFrame(2))
    sendQueue.release()
    expect(written()).toEqual([])
    sendQueue.backfill(joinFrames([createFrame(1)]))
    sendQueue.backfill(joinFrames([createFrame(2)]))
    sendQueue.pushBatch(joinFrames([createFrame(2), createFrame(3)]))
    sendQueue.push(createNote('live'))
    sendQueue.release()
    sendQueue.push(createFrame(4))
    expect(written()).toEqual(['1', '2', '3', 'live', '4'])
  })

  it('writes every update of a known alert, in the order of arrival', () => {
    const { sendQueue, written } = createRecordedQueue()
    sendQueue.push(createFrame(1))
    sendQueue.pushBatch(joinFrames([createNote('proof'), createNote('proof')]))
    sendQueue.pushBatch(joinFrames([createFrame(2), createFrame(3)]))
    expect(written()).toEqual(['1', 'proof', 'proof', '2', '3'])
  })
})

/** Steps of a server, in any order. `doubt` holds the send queue and `settle` releases it. */
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
        const seenSeq = Math.min(seenAtMost, before)
        const { sendQueue, written } = createRecordedQueue()
        let publishedSeq = before
        let liveCursor = before
        let historyCursor = seenSeq
        let isHistoryDone = false
        let holdCount = 0
        const createFrames = (after: number, limit: number) =>
          Array.from({ length: Math.min(limit, publishedSeq - after) }, (_, index) => createFrame(after + 1 + index))
        const readLive = () => {
          sendQueue.pushBatch(joinFrames(createFrames(liveCursor, Number.POSITIVE_INFINITY)))
          liveCursor = publishedSeq
        }
        const readHistory = () => {
          if (isHistoryDone) return
          const frames = createFrames(historyCursor, page)
          sendQueue.backfill(joinFrames(frames))
          historyCursor += frames.length
          if (frames.length === page) return
          isHistoryDone = true
          sendQueue.push(createNote('live'))
          sendQueue.release()
        }
        const performStep: Record<Step, () => void> = {
          publish: () => {
            publishedSeq += 1
          },
          'read live': readLive,
          'read history': readHistory,
          doubt: () => {
            holdCount += 1
            sendQueue.hold()
          },
          settle: () => {
            if (holdCount === 0) return
            holdCount -= 1
            sendQueue.release()
          },
        }
        sendQueue.hold()
        for (const name of steps) performStep[name]()
        while (!isHistoryDone) readHistory()
        readLive()
        while (holdCount > 0) performStep.settle()
        const deliveries = written().filter((text) => text !== 'live')
        expect(deliveries.map(Number)).toEqual(createFrames(seenSeq, Number.POSITIVE_INFINITY).map(({ seq }) => seq))
        expect(written().filter((text) => text === 'live')).toHaveLength(1)
      }),
      { seed: 20260115, numRuns: 300 },
    )
  })
})
