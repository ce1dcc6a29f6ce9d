import { expect, test } from 'vitest'
import { createHandoverContext, createTestAlert } from '../../../test/support/handover-test-bed.ts'
import type { IssuedDelivery } from '../../issued-deliveries.ts'
import type { Frame } from './frame.ts'
import { createReader } from './reader.ts'

const deliveredAt = new Date('2026-01-15T12:00:00.000Z')
const createDelivered = (seq: number, root: string | null = null): IssuedDelivery => ({
  ...{ seq, at: deliveredAt, logIndex: seq - 1, isOutcome: false },
  alert: { ...createTestAlert(seq - 1), root },
})

/** Starts a reader of a log with one delivery. Records the cursors of its reads and its frames. */
async function startReader() {
  const { ctx, wake, reconnect, anchor, heartbeat } = createHandoverContext(deliveredAt)
  Object.assign(ctx.logger, { warn() {} })
  const rows = [createDelivered(1)]
  const readCursors: number[] = []
  const passed: Frame[][] = []
  const sources = {
    loadDeliveries: async (_ctx: unknown, afterSeq: number) => {
      readCursors.push(afterSeq)
      return rows.filter(({ seq }) => seq > afterSeq)
    },
    findLastDeliverySeq: async () => rows.at(-1)?.seq ?? 0,
    findHighestDeliveredIndex: async () => rows.at(-1)?.logIndex ?? null,
    loadAlertsAnchoredBetween: async (_ctx: unknown, from: number, to: number) =>
      rows.map(({ alert }) => alert).filter(({ logIndex }) => logIndex >= from && logIndex < to),
  }
  let passInterval = () => {}
  let runDelayed = () => {}
  const scheduler = {
    after(_ms: number, run: () => void) {
      runDelayed = run
      return () => {}
    },
    every(_ms: number, run: () => void) {
      passInterval = run
      return () => {}
    },
  }
  let recordedReads = 0
  let lossCount = 0
  const reader = createReader(
    ctx,
    sources,
    (frames) => passed.push(frames),
    scheduler,
    () => {
      recordedReads += 1
    },
    () => {
      lossCount += 1
    },
  )
  await reader.ready
  const settle = async () => {
    for (let turnsLeft = 50; turnsLeft > 0; turnsLeft -= 1) await Promise.resolve()
  }
  await settle()
  readCursors.length = 0
  const issue = (delivered: IssuedDelivery) =>
    ctx.issued.registerCommit(
      Promise.resolve({ previousSeq: delivered.seq - 1, lastSeq: delivered.seq, deliveries: () => [delivered] }),
    )
  return {
    ctx,
    wake,
    reconnect,
    anchor,
    heartbeat,
    passInterval: () => passInterval(),
    runDelayed: () => runDelayed(),
    sources,
    countReads: () => recordedReads,
    countLosses: () => lossCount,
    highestIndex: reader.highestIndex,
    rows,
    reads: readCursors,
    passed,
    settle,
    issue,
    close: reader.close,
  }
}

const getSeqs = (passed: Frame[][]) => passed.flat().map(({ seq }) => seq)

test('reader: sends an alert of this instance without reading it, once its notification arrives', async () => {
  const { wake, rows, reads, passed, settle, issue, close } = await startReader()
  rows.push(createDelivered(2))
  issue(createDelivered(2))
  await settle()
  expect(passed).toEqual([])
  wake(2)
  await settle()
  expect(getSeqs(passed)).toEqual([2])
  expect(reads).toEqual([])
  await close()
})

test('reader: reads an alert of another instance before it sends its own later alert', async () => {
  const { wake, rows, reads, passed, settle, issue, close } = await startReader()
  rows.push(createDelivered(2), createDelivered(3))
  issue(createDelivered(3))
  wake(3)
  await settle()
  expect(getSeqs(passed)).toEqual([2, 3])
  expect(reads).toEqual([1])
  await close()
})

test('reader: reads an alert that was anchored before it was sent, so that it comes with its proof', async () => {
  const { wake, anchor, rows, passed, settle, issue, close } = await startReader()
  issue(createDelivered(2))
  rows.push(createDelivered(2, '0xroot'))
  anchor({ size: 2, blockHash: '0xblock' })
  await settle()
  wake(2)
  await settle()
  expect(passed.flat().at(-1)?.bytes.toString()).toContain('0xroot')
  await close()
})

test('reader: sends a delivery whose notification was lost, after the next heartbeat', async () => {
  const { heartbeat, rows, passed, settle, close } = await startReader()
  rows.push(createDelivered(2))
  heartbeat({ seq: 2, anchor: null })
  await settle()
  expect(getSeqs(passed)).toEqual([2])
  await close()
})

test('reader: sends the proofs of an anchor whose notification was lost, once, after the next heartbeat', async () => {
  const { anchor, heartbeat, passed, settle, close } = await startReader()
  const mark = { size: 1, blockHash: '0xblock' }
  anchor(mark, false)
  await settle()
  expect(passed).toEqual([])
  heartbeat({ seq: 1, anchor: mark })
  await settle()
  heartbeat({ seq: 1, anchor: mark })
  await settle()
  expect(passed).toHaveLength(1)
  await close()
})

test('reader: sends the proof of an alert after which 500 entries were logged before the next anchor', async () => {
  const { anchor, wake, rows, passed, settle, close } = await startReader()
  anchor({ size: 1, blockHash: '0xfirst' })
  await settle()
  rows.push(createDelivered(2))
  wake(2)
  await settle()
  anchor({ size: 502, blockHash: '0xsecond' })
  for (let page = 1; page <= 3; page += 1) await settle()
  expect(getSeqs(passed)).toEqual([null, 2, null])
  expect(passed.flat().at(-1)?.bytes.toString()).toMatch(/"logIndex":1\b/)
  await close()
})

test('reader: counts a heartbeat without new deliveries as a read, and does not query the database', async () => {
  const { heartbeat, reads, countReads, settle, close } = await startReader()
  const before = countReads()
  heartbeat({ seq: 1, anchor: null })
  await settle()
  expect(reads).toEqual([])
  expect(countReads()).toBe(before + 1)
  await close()
})

test('reader: reads from the database without a heartbeat when the connection for notifications is lost', async () => {
  const { heartbeat, passInterval, rows, reads, passed, settle, close } = await startReader()
  heartbeat({ seq: 1, anchor: null })
  rows.push(createDelivered(2))
  passInterval()
  await settle()
  expect(reads).toEqual([])
  passInterval()
  await settle()
  expect(getSeqs(passed)).toEqual([2])
  await close()
})

const createReplacement = (seq: number): IssuedDelivery => ({
  ...createDelivered(seq),
  alert: { ...createTestAlert(seq - 1), id: `other-${seq}` },
})

test('reader: continues at the newest stored delivery when a heartbeat shows that later ones were lost', async () => {
  const { wake, heartbeat, rows, passed, settle, countLosses, highestIndex, close } = await startReader()
  rows.push(createDelivered(2), createDelivered(3))
  wake(3)
  await settle()
  rows.splice(1)
  heartbeat({ seq: 1, anchor: null })
  await settle()
  expect(countLosses()).toBe(1)
  expect(highestIndex()).toBe(0)
  rows.push(createReplacement(2))
  wake(2)
  await settle()
  expect(getSeqs(passed)).toEqual([2, 3, 2])
  expect(countLosses()).toBe(1)
  await close()
})

test('reader: detects lost deliveries in the next poll even if new deliveries have the same numbers', async () => {
  const { wake, passInterval, rows, passed, settle, countLosses, close } = await startReader()
  rows.push(createDelivered(2))
  wake(2)
  await settle()
  rows.splice(1, 1, createReplacement(2), createReplacement(3))
  passInterval()
  await settle()
  expect(countLosses()).toBe(1)
  rows.push(createReplacement(4))
  wake(4)
  await settle()
  expect(getSeqs(passed)).toEqual([2, 4])
  await close()
})

test('reader: reports no lost deliveries when a heartbeat is older than the newest delivery', async () => {
  const { wake, heartbeat, rows, passed, settle, countLosses, close } = await startReader()
  rows.push(createDelivered(2))
  wake(2)
  await settle()
  heartbeat({ seq: 1, anchor: null })
  await settle()
  expect(getSeqs(passed)).toEqual([2])
  expect(countLosses()).toBe(0)
  await close()
})

test('reader: after a reconnect, abandons a read that waits for a dead connection and reads again', async () => {
  const { wake, reconnect, rows, passed, settle, runDelayed, sources, close } = await startReader()
  const load = sources.loadDeliveries
  let answerHungRead = () => {}
  sources.loadDeliveries = (_ctx, afterSeq) =>
    new Promise((resolve) => {
      answerHungRead = () => resolve(rows.filter(({ seq }) => seq > afterSeq))
    })
  rows.push(createDelivered(2))
  wake(2)
  await settle()
  sources.loadDeliveries = load
  expect(getSeqs(passed)).toEqual([])
  reconnect()
  await settle()
  runDelayed()
  await settle()
  expect(getSeqs(passed)).toEqual([2])
  answerHungRead()
  await settle()
  expect(getSeqs(passed)).toEqual([2])
  await close()
})
