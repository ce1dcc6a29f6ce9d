import type { RecordSummary } from '@tocsin/proof'
import { DAY_MS } from '@tocsin/protocol/durations'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { sql } from 'drizzle-orm'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFeedTestBed, type FeedTestBed } from '../../../test/support/feed-test-bed.ts'
import { createCandles, createOutcomeMessage, createPredictedSignal } from '../../../test/support/outcome-test-bed.ts'
import { recordAlerts } from '../../db/schema/alerts.ts'
import { anchors } from '../../db/schema/log.ts'
import { createIssuer } from '../alerts/issue-alerts.ts'
import { receiveSignals } from '../feed/receive-signals.ts'
import { findHead } from '../tlog/store.ts'
import { createSelectedReader } from './selected-alerts.ts'
import { createTrackRecords } from './track-record.ts'

const database = useTestDatabase()
let bed: FeedTestBed

beforeEach(async () => {
  bed = await createFeedTestBed(database)
})
afterEach(() => bed.close())

async function receiveTexts(...texts: string[]): Promise<void> {
  const { ctx } = bed.testContext
  await receiveSignals(ctx, createIssuer(ctx), texts, new AbortController().signal)
}

/** Stores an anchor of the whole log in a block with the current time. */
async function anchorWholeLog(blockNumber: number): Promise<void> {
  const { size, root } = await findHead(bed.testContext.ctx.db)
  const blockHash = `0x${blockNumber.toString(16).padStart(64, '0')}`
  await bed.testContext.ctx.db
    .insert(anchors)
    .values({ size, root, blockNumber, blockHash, txHash: blockHash, blockAt: bed.clock.now() })
}

/** Returns the control rates of all alerts that have one, newest first. */
async function findControls(record: RecordSummary | null) {
  if (!record) throw new Error('There is a record')
  const read = await createSelectedReader(bed.testContext.ctx, record, { origin: 'feed', set: 'with-controls' })
  return (await read(record.asOf.size, 10)).map(({ controlRate }) => controlRate)
}

test('track record: is computed once for each anchor, and not before the first', async () => {
  const records = createTrackRecords()
  const findRecord = () => records.find(bed.testContext.ctx, 'feed')
  expect(await findRecord()).toBeNull()
  await anchorWholeLog(1)
  const [firstRecord, sameRecord] = await Promise.all([findRecord(), findRecord()])
  expect(firstRecord?.asOf.size).toBe(1)
  expect(sameRecord).toBe(firstRecord)
  expect(records.peek(bed.testContext.ctx, 'feed')).toBe(firstRecord)
  await receiveTexts(createPredictedSignal('one', bed.clock.now()))
  expect(await findRecord()).toBe(firstRecord)
  await anchorWholeLog(2)
  await expect.poll(async () => (await findRecord())?.asOf.size).toBe(2)
  expect((await findRecord())?.overall.statuses.pending).toBe(1)
})

test('track record: callers get 429 with a retry time while the first computation takes long', async () => {
  await anchorWholeLog(1)
  const records = createTrackRecords({ firstWaitMs: 0 })
  const findRecord = () => records.find(bed.testContext.ctx, 'feed')
  const refused = { status: 429, code: 'being_computed', details: { retryAfterSeconds: 30 } }
  await expect(findRecord()).rejects.toMatchObject(refused)
  await expect.poll(() => records.peek(bed.testContext.ctx, 'feed')?.asOf.size).toBe(1)
})

test('track record: stopping waits for the running query, and nothing is computed or logged afterwards', async () => {
  const { db } = bed.testContext.ctx
  const lines: string[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  await receiveTexts(createPredictedSignal('one', bed.clock.now()))
  await anchorWholeLog(1)
  const records = createTrackRecords()
  let isStopped = false
  const stopped = await db.transaction(async (tx) => {
    await tx.execute(sql`lock table record_alerts in access exclusive mode`)
    records.peek({ ...bed.testContext.ctx, logger }, 'feed')
    const waiting = sql`select count(*)::int as waiting from pg_locks
      where relation = 'record_alerts'::regclass and not granted`
    await expect.poll(async () => (await tx.execute(waiting)).rows[0]).not.toEqual({ waiting: 0 })
    const stop = records.stop().then(() => {
      isStopped = true
    })
    await tx.execute(waiting)
    expect(isStopped).toBe(false)
    return { stop }
  })
  await stopped.stop
  await expect(records.find(bed.testContext.ctx, 'feed')).rejects.toMatchObject({ code: 'unavailable' })
  expect(records.peek(bed.testContext.ctx, 'feed')).toBeNull()
  expect(await db.$count(recordAlerts)).toBe(0)
  expect(lines).toEqual([])
})

test('track record: is null while the block of the newest anchor is later than the current time', async () => {
  await anchorWholeLog(1)
  bed.clock.advance(-1)
  expect(await createTrackRecords().find(bed.testContext.ctx, 'feed')).toBeNull()
})

test('track record: recomputes the control rates of a day when more candles of that day arrive', async () => {
  const signal = createPredictedSignal('one', bed.clock.now())
  const { prediction } = JSON.parse(signal)
  const day = prediction.startsAt.slice(0, 10)
  await receiveTexts(signal)
  await anchorWholeLog(1)
  bed.clock.advance(420_000)
  const start = Date.parse(`${day}T00:00:00.000Z`)
  const minutes = Array.from({ length: 1_440 }, (_, index) => [
    start / 1000 + index * 60,
    '100',
    '200',
    '50',
    '100',
    '1',
  ])
  const createCandlesMessage = (candles: unknown[]) => {
    const { venue, market } = prediction
    return JSON.stringify({ type: 'candles', venue, market, day, candles })
  }
  await receiveTexts(
    createOutcomeMessage(signal, { candles: createCandles(prediction, '101') }),
    createCandlesMessage(minutes.slice(0, 720)),
  )
  bed.clock.advance(2 * DAY_MS)
  await receiveTexts(createPredictedSignal('two', bed.clock.now(), { asset: 'ETH/USDT' }))
  // The block of the first anchor on a later day selects the control minutes, once it has twelve
  // confirmations.
  await anchorWholeLog(20)
  bed.clock.advance(1_000)
  await receiveTexts(createPredictedSignal('three', bed.clock.now(), { asset: 'SOL/USDT' }))
  await anchorWholeLog(31)

  const records = createTrackRecords()
  const halfDayRecord = await records.find(bed.testContext.ctx, 'feed')
  expect(halfDayRecord?.overall).toMatchObject({ strict: { n: 1, count: 1 }, baseRate: 0 })
  expect(await findControls(halfDayRecord)).toEqual([{ minutes: 20, cameTrue: 0 }])
  // With the candles of the second half of the day, other control minutes can be used, so the
  // control rates of the day are measured again.
  const movingCandles = minutes.slice(720).map(([at, open, high, low, close, volume], place) => {
    return [at, open, high, low, place % 2 === 0 ? close : '102', volume]
  })
  await receiveTexts(createCandlesMessage(movingCandles))
  await receiveTexts(createPredictedSignal('four', bed.clock.now(), { asset: 'XRP/USDT' }))
  await anchorWholeLog(32)
  await expect.poll(async () => (await records.find(bed.testContext.ctx, 'feed'))?.asOf.blockNumber).toBe(32)
  const wholeDayRecord = await records.find(bed.testContext.ctx, 'feed')
  const [newControls] = await findControls(wholeDayRecord)
  expect(newControls?.cameTrue).toBeGreaterThan(0)
})

test('track record: gets its base rate without a new anchor when the candles arrive later', async () => {
  const signal = createPredictedSignal('one', bed.clock.now())
  const { prediction } = JSON.parse(signal)
  const { venue, market, startsAt } = prediction
  await receiveTexts(signal)
  await anchorWholeLog(1)
  bed.clock.advance(420_000)
  await receiveTexts(createOutcomeMessage(signal, { candles: createCandles(prediction, '101') }))
  bed.clock.advance(2 * DAY_MS)
  await receiveTexts(createPredictedSignal('two', bed.clock.now(), { asset: 'ETH/USDT' }))
  await anchorWholeLog(20)
  bed.clock.advance(1_000)
  await receiveTexts(createPredictedSignal('three', bed.clock.now(), { asset: 'SOL/USDT' }))
  await anchorWholeLog(31)
  const records = createTrackRecords()
  const findRecord = () => records.find(bed.testContext.ctx, 'feed')
  expect((await findRecord())?.overall).toMatchObject({ baseRate: null, withoutControls: 1 })
  const day = startsAt.slice(0, 10)
  const start = Date.parse(`${day}T00:00:00.000Z`) / 1_000
  const candles = Array.from({ length: 1_440 }, (_, index) => [start + index * 60, '100', '200', '50', '100', '1'])
  await receiveTexts(JSON.stringify({ type: 'candles', venue, market, day, candles }))
  await expect.poll(async () => (await findRecord())?.overall).toMatchObject({ baseRate: 0, withoutControls: 0 })
  expect((await findRecord())?.asOf.blockNumber).toBe(31)
})
