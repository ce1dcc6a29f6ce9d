import { computeRecord, type RecordAlert, type RecordSummary } from '@tocsin/proof'
import { type TrackRecordSelection, trackRecordSelection } from '@tocsin/protocol'
import { createTestContext, fakeClock, type TestContext, testConfig } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createPrediction,
  createTestRecord,
  getCandles,
  testModel,
  testStartSeconds,
} from '../../../../../packages/proof/test/support/test-record.ts'
import { storeAnchor, storeEntries } from '../../../test/support/record-test-bed.ts'
import { createRecordComputation } from './record-computation.ts'
import { streamRecordCsv } from './record-csv.ts'
import { createSelectedReader } from './selected-alerts.ts'

const HORIZON_SECONDS = 300
const STEP_SECONDS = 3_600
const hostileText = '=HYPERLINK("https://attacker.example")'

/**
 * Creates a log with 160 alerts an hour apart, then single alerts of other assets, models and
 * statuses, and one that is not public yet.
 */
function createLog() {
  const log = createTestRecord()
  let start = testStartSeconds
  const appendCase = (
    change: Parameters<typeof log.appendAlert>[1] = {},
    lastPrice: number | null = 102,
    atMs = start,
  ) => {
    const prediction = createPrediction(atMs, { horizonSeconds: HORIZON_SECONDS })
    const alert = log.appendAlert(prediction, change)
    log.anchor(atMs - 20)
    if (lastPrice !== null) log.appendOutcome(alert, getCandles(prediction, 1, lastPrice))
    // Anchor only some outcomes immediately. The next anchor is an hour later, so the times of the
    // other outcomes are not proven.
    if (lastPrice !== null && alert.index % 3 === 0) log.anchor(atMs + HORIZON_SECONDS + 10)
    start += STEP_SECONDS
    return alert
  }
  for (let index = 0; index < 160; index++)
    appendCase({ alert: { confidence: index % 2 === 0 ? 42.5 : 100 } }, index % 4 === 0 ? 102 : 100.1)
  const early = start
  appendCase({ alert: { asset: 'ETH/USDT', summary: hostileText } })
  appendCase({ model: { ...testModel, name: 'other' } }, 102, early + 120)
  appendCase({}, null)
  log.appendAlert(null, { alert: { createdAt: new Date(start * 1000).toISOString() } })
  log.anchor(start + 86_400)
  log.appendAlert(createPrediction(start + 86_040))
  log.anchor(start + 2 * 86_400 - 10_000)
  return log
}

const log = createLog()
const { overall, calibration, coverage, by, alerts } = computeRecord({
  ...log,
  publicDelayMs: 86_400_000,
  origin: 'feed',
})

const isUnproven = ({ outcome }: RecordAlert) => outcome?.isTimeProven === false
const unprovenAmongTrue = alerts.filter((alert) => alert.status === 'true' && isUnproven(alert)).length

const database = useTestDatabase()
let bed: TestContext
let record: RecordSummary

beforeAll(async () => {
  bed = await createTestContext(
    testConfig({ databaseUrl: await database.createDatabase(), publicDelayHours: 24 }),
    fakeClock(),
  )
  await storeEntries(bed.ctx.db, log.entries)
  for (const anchor of log.anchors) await storeAnchor(bed.ctx.db, anchor)
  const last = log.anchors.at(-1)
  if (!last) throw new Error('The log has an anchor')
  record = await createRecordComputation('feed')(bed.ctx, last)
})
afterAll(() => bed.close())

async function countSelected(selection: Partial<TrackRecordSelection>): Promise<number> {
  const read = await createSelectedReader(bed.ctx, record, { origin: 'feed', ...selection })
  return (await read(record.asOf.size, 1_000)).length
}

describe('the selection of record alerts', () => {
  test.each([{ by: 'type' }, { key: 'x' }, { set: 'all' }, { by: 'bin ' }, { status: 'counted' }])(
    'rejects the query %j',
    (query) => {
      expect(trackRecordSelection.safeParse(query).success).toBe(false)
    },
  )

  test.each<[Partial<TrackRecordSelection>, number]>([
    [{ set: 'counted' }, overall.strict.n],
    [{ status: 'true' }, overall.strict.count],
    [{ set: 'without-void' }, overall.second.n],
    [{ set: 'witnessed' }, overall.witnessed.count],
    [{ set: 'episodes' }, overall.episodes.n],
    [{ set: 'episodes', status: 'true' }, overall.episodes.count],
    [{ set: 'time-not-proven' }, overall.timesNotProven],
    [{ set: 'time-not-proven', status: 'true' }, unprovenAmongTrue],
    [{ set: 'without-controls' }, overall.withoutControls],
    [{ set: 'with-controls' }, overall.strict.n - overall.withoutControls],
    [{ set: 'calibrated' }, calibration.n],
    [{ set: 'uncalibrated' }, calibration.leftOut],
    [{ set: 'predicted' }, coverage.count],
    [{ set: 'outside' }, overall.statuses.pending + overall.statuses['no-prediction']],
    [{ by: 'bin', key: '40' }, calibration.bins[0]?.n ?? 0],
    [{ by: 'bin', key: '90' }, calibration.bins.at(-1)?.n ?? 0],
    [{ by: 'asset', key: 'ETH/USDT' }, 1],
    [{ by: 'asset', key: 'ETH/USDT', status: 'false' }, 0],
    [{ by: 'model', key: `engine 1 0x${'22'.repeat(32)}`, set: 'counted' }, by.model[0]?.figures.strict.n ?? 0],
    [{ by: 'model', key: `0x${'22'.repeat(32)}` }, 0],
    [{ by: 'month', key: '2025-01' }, 0],
    ...calibration.resolved.map(({ model, anomalyType, resolved }): [Partial<TrackRecordSelection>, number] => [
      { by: 'resolved', key: `${model} ${anomalyType}` },
      resolved,
    ]),
    [{ by: 'resolved', key: 'engine no such type' }, 0],
  ])('selects as many alerts as the track record counts for %j', async (selection, expected) => {
    expect(await countSelected(selection)).toBe(expected)
  })

  test('uses a test log whose track record has the expected counts', () => {
    const { strict, witnessed, episodes, statuses, timesNotProven } = overall
    expect([strict.n, strict.count, witnessed.count, episodes.n]).toEqual([163, 42, 42, 162])
    expect([timesNotProven, unprovenAmongTrue]).toEqual([107, 27])
    expect(calibration.bins.map(({ from }) => from)).toEqual([40, 50, 90])
    expect(calibration.resolved.map(({ model, resolved }) => [model, resolved])).toEqual([
      ['engine', 161],
      ['other', 1],
    ])
    expect(statuses).toMatchObject({ overdue: 1, pending: 1, 'no-prediction': 1 })
  })
})

describe('streamRecordCsv', () => {
  const readCsvLines = async (selection: Partial<TrackRecordSelection>, csvRecord: RecordSummary | null = record) => {
    let text = ''
    for await (const chunk of streamRecordCsv(bed.ctx, csvRecord, { origin: 'feed', ...selection })) text += chunk
    return text.trimEnd().split('\r\n')
  }

  test('writes only the header row when there is no track record', async () => {
    expect(await readCsvLines({}, null)).toEqual([expect.stringMatching(/^\ufefflogIndex,leafHash,status,/)])
  })

  test('writes no field that starts a formula, and omits content that is not public', async () => {
    const [, line] = await readCsvLines({ by: 'asset', key: 'ETH/USDT' })
    expect(line).toContain(`,"'=HYPERLINK(""https://attacker.example"")",50,maxExcursion,1,binance,BTCUSDT,,,`)
    expect(line).toMatch(/,engine,1,0x(22){32},came-true,2,\d+,[\d-]+T[\d:.]+Z,(true|false),true,,$/)
    const [, pendingLine] = await readCsvLines({ status: 'pending' })
    expect(pendingLine).toMatch(/^\d+,0x\w{64},pending,{27}false,,$/)
  })

  test('writes all alerts of the selection, newest first', async () => {
    const [, ...lines] = await readCsvLines({})
    expect(lines).toHaveLength(alerts.length)
    const indexes = lines.map((line) => Number(line.split(',')[0]))
    expect(indexes).toEqual([...indexes].sort((a, b) => b - a))
    expect(await readCsvLines({ set: 'counted' })).toHaveLength(overall.strict.n + 1)
  })
})
