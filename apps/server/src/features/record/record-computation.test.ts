import {
  type Candle,
  computeRecord,
  formatDay,
  type RecordAnchor,
  type RecordEntry,
  type TrackRecord,
} from '@tocsin/proof'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { createTestContext, fakeClock, type TestContext, testConfig } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  createFlatCandle,
  createPrediction,
  createTestRecord,
  getCandles,
  testStartSeconds,
} from '../../../../../packages/proof/test/support/test-record.ts'
import { buildLog, logSteps, type Step } from '../../../../../packages/proof/test/support/test-steps.ts'
import { storeAnchor, storeEntries } from '../../../test/support/record-test-bed.ts'
import type { Context } from '../../context.ts'
import { alertOutcomes, alertSignals, alerts, marketCandles, recordAlerts } from '../../db/schema/alerts.ts'
import { anchors } from '../../db/schema/log.ts'
import { truncateLog } from '../tlog/store.ts'
import { presentRecordAlert } from './present.ts'
import { createRecordComputation } from './record-computation.ts'
import { findView, listCountedRows } from './record-store.ts'
import { createSelectedReader } from './selected-alerts.ts'

const HOURS = 24
const DAYS = Array.from({ length: 10 }, (_, day) => testStartSeconds - (testStartSeconds % 86_400) + day * 86_400)

const database = useTestDatabase()
let bed: TestContext

beforeAll(async () => {
  const config = testConfig({ databaseUrl: await database.createDatabase(), publicDelayHours: HOURS })
  bed = await createTestContext(config, fakeClock())
  await bed.ctx.db
    .insert(marketCandles)
    .values(
      DAYS.map((day) => ({ venue: 'binance', market: 'BTCUSDT', day: formatDay(day), candles: candlesOfDay(day) })),
    )
})
afterAll(() => bed.close())
afterEach(truncateTestLog)

function truncateTestLog(): Promise<void> {
  return bed.ctx.db.transaction(truncateLog)
}

/** Creates candles whose price is 102 in the first hour of every three, otherwise 100. */
function candlesOfDay(day: number): Candle[] {
  return Array.from({ length: 1_440 }, (_, minute) =>
    createFlatCandle(day + minute * 60, minute % 180 < 60 ? 102 : 100),
  )
}

interface Log {
  entries: readonly RecordEntry[]
  anchors: readonly RecordAnchor[]
}

/** Computes the record from entries and anchors, as a verifier does. */
function recomputeRecord({ entries, anchors }: Log, origin: 'feed' | 'demo' = 'feed', delayHours = HOURS): TrackRecord {
  const candles = {
    isArchive: false,
    read: ({ market }: { market: string }, day: string) => {
      const at = Date.parse(day) / 1000
      return market === 'BTCUSDT' && DAYS.includes(at) ? candlesOfDay(at) : null
    },
  }
  return computeRecord({ entries, anchors, publicDelayMs: delayHours * HOUR_MS, origin, candles })
}

function getLastAnchor(anchors: readonly RecordAnchor[]): RecordAnchor {
  const last = anchors.at(-1)
  if (!last) throw new Error('The log has an anchor')
  return last
}

async function storeLog({ entries, anchors }: Log): Promise<void> {
  await storeEntries(bed.ctx.db, entries)
  for (const anchor of anchors) await storeAnchor(bed.ctx.db, anchor)
}

/** Checks that all figures and the list of all alerts are equal. */
async function expectSameRecord(
  found: Awaited<ReturnType<ReturnType<typeof createRecordComputation>>>,
  expected: TrackRecord,
) {
  const { alerts: expectedAlerts, controlRates, ...figures } = expected
  expect(found).toEqual(figures)
  const read = await createSelectedReader(bed.ctx, found, { origin: found.origin })
  const items = (await read(found.asOf.size, 1_000)).map(({ alert, controlRate }) =>
    presentRecordAlert(alert, controlRate),
  )
  const expectedItems = expectedAlerts.map((alert) => {
    const item = presentRecordAlert(alert, controlRates.get(alert.index) ?? null)
    return item.alert ? { ...item, alert: { ...item.alert, id: `${item.alert.id}-${item.logIndex}` } } : item
  })
  expect(items).toEqual(expectedItems.reverse())
}

/** Steps that create alerts with statuses that are rare in random logs. */
const everyStatus = (['true', 'false', 'void', 'invalid'] as const).flatMap((kind): Step[] => [
  { do: 'alert', kind: 'predicts', horizon: 300 },
  { do: 'anchor', hours: 0.01 },
  { do: 'outcome', of: 0, kind, delay: 0 },
  { do: 'anchor', hours: 12 },
  { do: 'alert', kind: 'predicts', horizon: 3_600 },
  { do: 'anchor', hours: 0.01 },
])

/**
 * True if the database can store the entry of the step. It can store neither an outcome with the
 * hash of another target nor an alert without content.
 */
const isStored = (step: Step) => !('kind' in step) || (step.kind !== 'other target' && step.kind !== 'withheld')

test('record: equals the record that a verifier computes at each anchor, with and without restarts', async () => {
  const seenStatuses = new Set<string>()
  const checkLog = async ([steps, restarts, delayHours]: [Step[], boolean[], number]) => {
    await truncateTestLog()
    const config = { ...bed.ctx.config, publicDelayHours: delayHours }
    const log = buildLog(steps.filter(isStored))
    const origins = ['feed', 'demo'] as const
    let computations = origins.map((origin) => createRecordComputation(origin, 3))
    let nextIndex = 0
    for (const [anchorNumber, anchor] of log.anchors.entries()) {
      await storeLog({ entries: log.entries.slice(nextIndex, anchor.size), anchors: [anchor] })
      nextIndex = anchor.size
      if (restarts[anchorNumber % restarts.length])
        computations = origins.map((origin) => createRecordComputation(origin, 3))
      for (const [position, origin] of origins.entries()) {
        const expected = recomputeRecord(
          { entries: log.entries, anchors: log.anchors.slice(0, anchorNumber + 1) },
          origin,
          delayHours,
        )
        const found = await computations[position]?.({ ...bed.ctx, config }, anchor)
        if (found) await expectSameRecord(found, expected)
        for (const { status } of expected.alerts) seenStatuses.add(status)
        if (expected.overall.baseRate) seenStatuses.add('base rate')
        for (const { outcome } of expected.alerts) if (outcome) seenStatuses.add(`time proven ${outcome.isTimeProven}`)
      }
    }
  }
  const logs = fc.tuple(logSteps, fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }), fc.constantFrom(0, HOURS))
  const fixedLogs = fc.sample(logs, { seed: 4, numRuns: 20 })
  await fc.assert(fc.asyncProperty(logs, checkLog), {
    numRuns: 30,
    examples: [...fixedLogs, [everyStatus, [false, true], 0] as [Step[], boolean[], number]].map((logExample) => [
      logExample,
    ]),
  })
  const statuses =
    'base rate,false,invalid,late,no-prediction,open,overdue,pending,time proven false,time proven true,true,void,withheld'
  expect([...seenStatuses].sort().join()).toBe(statuses)
})

test.each([
  ['60 seconds before an anchor that does not cover it', 60, 70, true],
  ['61 seconds before an anchor that does not cover it', 61, 70, false],
  ['900 seconds before its anchor', 0, 900, true],
  ['901 seconds before its anchor', 0, 901, false],
])('record: agrees with verifiers whether an outcome made %s has a proven time', async (_, before, after, isProven) => {
  const log = createTestRecord()
  const prediction = createPrediction(testStartSeconds, { horizonSeconds: 300 })
  const alert = log.appendAlert(prediction)
  log.anchor(testStartSeconds - 20)
  log.append({ kind: 'heartbeat', index: 1, createdAt: prediction.startsAt, signer: log.signer }, null)
  const createdAt = testStartSeconds + 400
  log.anchor(createdAt + before)
  const entry = { createdAt: new Date(createdAt * 1000).toISOString() }
  log.appendOutcome(alert, getCandles(prediction, 1), { entry })
  log.anchor(createdAt + after)
  log.append({ kind: 'heartbeat', index: 3, createdAt: prediction.resolveBy, signer: log.signer }, null)
  log.anchor(testStartSeconds + 48 * 3_600)
  await storeLog(log)
  const expected = recomputeRecord(log)
  expect(expected.alerts).toMatchObject([{ status: 'true', outcome: { isTimeProven: isProven } }])
  await expectSameRecord(await createRecordComputation('feed')(bed.ctx, getLastAnchor(log.anchors)), expected)
})

/**
 * Creates a log of 200 alerts of one model and type, an hour apart, and a last one without a
 * prediction.
 */
function createLongLog() {
  const log = createTestRecord()
  for (let index = 0; index < 200; index++) {
    const prediction = createPrediction(testStartSeconds + index * 3_600, { horizonSeconds: 300 })
    const alert = log.appendAlert(prediction, { alert: { confidence: index % 2 === 0 ? 42.5 : 100 } })
    log.anchor(testStartSeconds + index * 3_600 - 20)
    if (index % 10 !== 0) log.appendOutcome(alert, getCandles(prediction, index % 5 === 0 ? 60 : 1))
  }
  log.appendAlert(null, { alert: { createdAt: new Date((testStartSeconds + 200 * 3_600) * 1000).toISOString() } })
  log.anchor(testStartSeconds + 300 * 3_600)
  return log
}

test('record: does not recompute the verdicts of outcomes or the control rates after a restart', async () => {
  const log = createLongLog()
  await storeLog(log)
  const expected = recomputeRecord(log)
  expect(expected.calibration.n).toBeGreaterThan(10)
  await expectSameRecord(await createRecordComputation('feed', 50)(bed.ctx, getLastAnchor(log.anchors)), expected)
  // Replace the messages. If outcomes were judged or control rates measured again, the result would
  // change.
  await bed.ctx.db.update(alertOutcomes).set({ message: '{}' })
  const { rows } = await bed.ctx.db.execute(sql`select xmin, * from record_alerts order by log_index`)
  await expectSameRecord(await createRecordComputation('feed', 50)(bed.ctx, getLastAnchor(log.anchors)), expected)
  const rowsAfterRestart = await bed.ctx.db.execute(sql`select xmin, * from record_alerts order by log_index`)
  expect(rowsAfterRestart.rows).toEqual(rows)
})

test('record: resumes after a computation that failed in the middle', async () => {
  const log = createLongLog()
  await storeLog(log)
  let writes = 0
  const db = new Proxy(bed.ctx.db, {
    get(target, name) {
      if (name === 'insert' && ++writes > 2) throw new Error('The database is gone')
      return Reflect.get(target, name)
    },
  })
  const compute = createRecordComputation('feed', 50)
  const failing: Context = { ...bed.ctx, db }
  await expect(compute(failing, getLastAnchor(log.anchors))).rejects.toThrow('The database is gone')
  expect(await bed.ctx.db.$count(recordAlerts)).toBe(100)
  await expectSameRecord(await compute(bed.ctx, getLastAnchor(log.anchors)), recomputeRecord(log))
})

test('record: re-evaluates an outcome when a reorg moves an anchor or an outcome message is restored', async () => {
  const log = createTestRecord()
  const prediction = createPrediction(testStartSeconds)
  const alert = log.appendAlert(prediction)
  log.anchor(testStartSeconds - 20)
  log.appendOutcome(alert, getCandles(prediction, 1))
  log.appendAlert(null)
  log.anchor(testStartSeconds + 80 * 3_600)
  await storeLog(log)
  const compute = createRecordComputation('feed')
  const recordBefore = recomputeRecord(log)
  expect(recordBefore.overall).toMatchObject({ strict: { count: 1 }, witnessed: { count: 1 } })
  await expectSameRecord(await compute(bed.ctx, getLastAnchor(log.anchors)), recordBefore)

  // The block of the first anchor is now later than the predicted price movement.
  const blockAt = new Date((testStartSeconds + 300) * 1000)
  const movedAnchors = log.anchors.map((anchor, index) => {
    const blockHash = `0x${String(index).repeat(64)}` as const
    return { ...anchor, blockHash, blockAt: index === 0 ? blockAt.toISOString() : anchor.blockAt }
  })
  await bed.ctx.db.delete(anchors)
  for (const anchor of movedAnchors) await storeAnchor(bed.ctx.db, anchor)
  const recordAfter = recomputeRecord({ ...log, anchors: movedAnchors })
  expect(recordAfter.overall.witnessed.count).toBe(0)
  await expectSameRecord(await compute(bed.ctx, getLastAnchor(movedAnchors)), recordAfter)

  const [{ message } = { message: null }] = await bed.ctx.db.select().from(alertOutcomes)
  await bed.ctx.db.update(alertOutcomes).set({ message: null })
  await bed.ctx.db.delete(recordAlerts)
  const entries = log.entries.map((entry) =>
    entry.statement?.kind === 'outcome' ? { ...entry, message: null } : entry,
  )
  const missing = recomputeRecord({ entries, anchors: movedAnchors })
  expect(missing.overall.statuses.invalid).toBe(1)
  await expectSameRecord(await compute(bed.ctx, getLastAnchor(movedAnchors)), missing)
  await bed.ctx.db.update(alertOutcomes).set({ message })
  await expectSameRecord(await compute(bed.ctx, getLastAnchor(movedAnchors)), recordAfter)
})

test('record: counts pending alerts without reading their rows', async () => {
  await truncateTestLog()
  const pendingSteps: Step[] = Array.from({ length: 5 }, () => ({ do: 'alert', kind: 'predicts', horizon: 300 }))
  const log = buildLog([...pendingSteps, { do: 'anchor', hours: 0.01 }])
  await storeLog(log)
  const asOf = getLastAnchor(log.anchors)
  const options = { origin: 'feed' as const, size: asOf.size, blockAt: new Date(asOf.blockAt) }
  const view = await findView(bed.ctx.db, options, HOURS * HOUR_MS)
  expect(await listCountedRows(bed.ctx.db, view, { from: 0, limit: 10, withoutMessage: [] })).toEqual([])
  const record = await createRecordComputation('feed')(bed.ctx, asOf)
  expect(record.overall.statuses.pending).toBe(5)
})

test('record: counts an alert without a prediction once, and stores no row for it', async () => {
  const log = createTestRecord()
  const withAsset = (name: string) => ({ alert: { asset: name } })
  for (let index = 0; index < 30; index++) log.appendAlert(null, withAsset(`A${index % 2}`))
  log.anchor(testStartSeconds + 30 * 3_600)
  await storeLog(log)
  const compute = createRecordComputation('feed')
  await expectSameRecord(await compute(bed.ctx, getLastAnchor(log.anchors)), recomputeRecord(log))
  expect(await bed.ctx.db.$count(recordAlerts)).toBe(0)

  const firstLaterIndex = log.entries.length
  log.appendAlert(null, withAsset('B'))
  log.anchor(testStartSeconds + 60 * 3_600)
  await storeLog({ entries: log.entries.slice(firstLaterIndex), anchors: log.anchors.slice(1) })
  const expected = recomputeRecord(log)
  // Change the asset of the earlier alerts: counting them again would show the asset Z.
  await bed.ctx.db.update(alerts).set({ asset: 'Z' }).where(sql`log_index < ${firstLaterIndex}`)
  const { by } = await compute(bed.ctx, getLastAnchor(log.anchors))
  expect(by.asset).toEqual(expected.by.asset)
  const restarted = await createRecordComputation('feed')(bed.ctx, getLastAnchor(log.anchors))
  expect(restarted.by.asset.map(({ key }) => key)).toEqual(['Z', 'B'])
})

test('record: does not count an alert as withheld any more when the feed sends its message again', async () => {
  const log = createTestRecord()
  const entry = log.appendAlert(null)
  const { message } = entry
  log.anchor(testStartSeconds + 60 * 3_600)
  await storeLog({ ...log, entries: [{ ...entry, message: null }] })
  const compute = createRecordComputation('feed')
  expect((await compute(bed.ctx, getLastAnchor(log.anchors))).overall.statuses.withheld).toBe(1)
  await bed.ctx.db.insert(alertSignals).values({ alertId: 'a-0-0', message: message ?? '' })
  await expectSameRecord(await compute(bed.ctx, getLastAnchor(log.anchors)), recomputeRecord(log))
})
