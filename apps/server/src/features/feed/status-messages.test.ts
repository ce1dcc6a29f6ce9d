import type { EngineStatus } from '@tocsin/protocol'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import {
  createFeedTestBed,
  encodeFrame,
  type FeedTestBed,
  startRawServer,
} from '../../../test/support/feed-test-bed.ts'
import { feedGaps, refusedSignals } from '../../db/schema/feed.ts'
import { createIssuer } from '../alerts/issue-alerts.ts'
import { receiveSignals } from './receive-signals.ts'
import { findEngineStatus } from './routes.ts'
import { getFeedStatus } from './service.ts'
import { deleteEngineStatus } from './store.ts'

/** Tests of an engine's status messages, both valid and invalid. */

const database = useTestDatabase()
let bed: FeedTestBed

beforeEach(async () => {
  bed = await createFeedTestBed(database)
})
afterEach(() => bed.close())

const engineRun = '00112233aabbccdd'
const otherRun = 'ffeeddcc00112233'
const msAgo = (ms: number) => new Date(bed.clock.now().getTime() - ms).toISOString()

function getStatus(change: object = {}): EngineStatus & Record<string, unknown> {
  const zeros = Array.from({ length: 3 }, () => 0)
  return {
    type: 'status',
    run: engineRun,
    startedAt: msAgo(3_600_000),
    sentAt: msAgo(0),
    mode: 'live',
    model: { name: 'tocsin-engine', version: '1.0.0', settingsHash: `0x${'22'.repeat(32)}` },
    eventTime: msAgo(1_000),
    clockSetBackMs: 0,
    messages: { waiting: 0, leftOut: 0 },
    predictions: { open: 2, due: 0, overdue: 1 },
    sources: [{ venue: 'binance', state: 'connected', connections: 1, lastEnd: null, rejected: null, refused: 0 }],
    markets: [getMarket()],
    leftOut: { markets: 0, assets: 0 },
    days: [{ day: '2026-01-15', minutes: 700 }],
    assets: [
      {
        asset: 'BTC/USDT',
        alerts: [2],
        criticalAt: null,
        highAt: msAgo(60_000),
        peaks: { price: [3, 2, 1], volume: zeros, volatility: zeros, marketWide: zeros },
      },
    ],
    triedThresholds: [2.6, 2.7, 2.8],
    thresholds: { price: 2.7, volume: 2.8, volatility: 2.2, marketWide: 2.9 },
    ...change,
  }
}
function getMarket(change: object = {}) {
  const counts = { trades: 5, gapsFilled: 1, tradesFilled: 2, gapsLost: 0 }
  return { market: 'binance:BTC/USDT', newestTradeAt: msAgo(90), lagMs: 80, isCatchingUp: false, ...counts, ...change }
}

const sendMessages = (...raws: (string | object)[]) =>
  receiveSignals(
    bed.testContext.ctx,
    createIssuer(bed.testContext.ctx),
    raws.map((raw) => (typeof raw === 'string' ? raw : JSON.stringify(raw))),
    new AbortController().signal,
  )
const listReasons = async () =>
  (await bed.testContext.ctx.db.select().from(refusedSignals).orderBy(refusedSignals.id)).map(({ reason }) => reason)
// The cast is safe: the handler uses only its context.
const findStatus = () => findEngineStatus(bed.testContext.ctx, {} as Parameters<typeof findEngineStatus>[1])

describe('an engine status is rejected with a reason, and the stored one stays', () => {
  const getAsset = () => getStatus().assets[0]
  const cases: [string, () => string | object, RegExp][] = [
    ['has NaN as a number', () => JSON.stringify(getStatus()).replace('"lagMs":80', '"lagMs":NaN'), /^Not JSON$/],
    ['has infinity', () => JSON.stringify(getStatus()).replace('"lagMs":80', '"lagMs":1e999'), /^markets\.0\.lagMs: /],
    ['has a negative lag', () => getStatus({ markets: [getMarket({ lagMs: -1 })] }), /^markets\.0\.lagMs: Too small/],
    [
      'has a count of -1',
      () => getStatus({ predictions: { open: 0, due: 0, overdue: -1 } }),
      /^predictions\.overdue: /,
    ],
    ['has text for a number', () => getStatus({ markets: [getMarket({ trades: '5' })] }), /^markets\.0\.trades: /],
    ['has a fractional count', () => getStatus({ markets: [getMarket({ gapsLost: 0.5 })] }), /^markets\.0\.gapsLost: /],
    ['has a number above 2^53', () => getStatus({ markets: [getMarket({ trades: 1e300 })] }), /^markets\.0\.trades: /],
    ['has an unknown key', () => getStatus({ more: 1 }), /Unrecognized key: "more"/],
    [
      'has an unknown key in a market',
      () => getStatus({ markets: [getMarket({ more: 1 })] }),
      /^markets\.0: Unrecognized key/,
    ],
    ['lacks a key', () => getStatus({ model: undefined }), /^model: /],
    ['has U+202E in a name', () => getStatus({ markets: [getMarket({ market: 'a\u202eb' })] }), /Not plain text/],
    [
      'has NUL in a name',
      () => getStatus({ assets: [{ ...getAsset(), asset: 'a\0' }] }),
      /^assets\.0\.asset: Not plain/,
    ],
    ['has NUL in an unknown key', () => getStatus({ 'a\0': 1 }), /^Unrecognized key: "a\ufffd"$/],
    [
      'has a lone surrogate in text',
      () => getStatus({ markets: [getMarket({ market: 'a\ud83d' })] }),
      /Not plain text/,
    ],
    ['has a long name', () => getStatus({ markets: [getMarket({ market: 'a'.repeat(81) })] }), /^markets\.0\.market: /],
    ['has an invalid time', () => getStatus({ eventTime: '2026-99-99T00:00:00.000Z' }), /^eventTime: Not a time/],
    ['has an invalid day', () => getStatus({ days: [{ day: '2026-02-31', minutes: 0 }] }), /^days\.0\.day: /],
    ['has too many markets', () => getStatus({ markets: Array.from({ length: 41 }, () => getMarket()) }), /^markets: /],
    [
      'has too few numbers',
      () => getStatus({ assets: [{ ...getAsset(), alerts: [] }] }),
      /^assets\.0\.alerts: Expected a/,
    ],
    [
      'has peaks for other thresholds',
      () => getStatus({ triedThresholds: [2.6] }),
      /^assets\.0\.peaks\.price: Expected a number for each threshold/,
    ],
    ['is longer than 48 KiB', () => getStatus({ more: 'x'.repeat(48 * 1024) }), /^A status has at most 48 KiB$/],
    ['comes from the future', () => getStatus({ sentAt: msAgo(-300_001) }), /^sentAt: lies in the future$/],
    [
      'was sent before its engine started',
      () => getStatus({ startedAt: msAgo(-1) }),
      /^startedAt: is later than sentAt$/,
    ],
    ['is older than the stored one', () => getStatus({ sentAt: msAgo(20_001) }), /^sentAt: earlier than the stored/],
    ['comes from a second engine', () => getStatus({ run: otherRun }), /^run: another engine sends its status/],
    ['has deep nesting', () => `{"type":"status","run":${'['.repeat(3_000)}${']'.repeat(3_000)}}`, /^run: /],
  ]
  it.each(cases)('when it %s', async (_what, raw, reason) => {
    const storedStatus = getStatus({ sentAt: msAgo(10_000) })
    await sendMessages(storedStatus)
    await sendMessages(raw())
    expect(await listReasons()).toEqual([expect.stringMatching(reason)])
    expect((await findStatus()).status).toEqual(storedStatus)
  })

  it('when it has 10 MB, which also closes the connection', async () => {
    const server = await startRawServer((socket, accept) => {
      accept()
      socket.write(encodeFrame('x'.repeat(1_000), { claimed: 10 * 1024 * 1024 }))
    })
    await bed.save({ externalEndpoint: server.url })
    bed.start()
    await bed.waitForStatus({ state: 'failed' })
    expect((await findStatus()).status).toBeNull()
    await server.close()
  })
})

test('an engine status is stored, and each newer one replaces it', async () => {
  expect(await findStatus()).toMatchObject({ receivedAt: null, isSilent: false, status: null })
  await sendMessages(getStatus({ sentAt: msAgo(10_000), predictions: { open: 9, due: 0, overdue: 0 } }), getStatus())
  expect(await findStatus()).toEqual({ now: msAgo(0), receivedAt: msAgo(0), isSilent: false, status: getStatus() })
  expect(await listReasons()).toEqual([])
})

test('an engine status that arrives twice is not rejected', async () => {
  await sendMessages(getStatus(), getStatus())
  await sendMessages(getStatus())
  expect(await listReasons()).toEqual([])
  expect((await findStatus()).status).toEqual(getStatus())
})

test('an engine status is not counted as a signal, and an invalid one is rejected without affecting signals', async () => {
  await sendMessages(getStatus({ more: 1 }), bed.signalText('one'), getStatus())
  expect(await listReasons()).toHaveLength(1)
  expect(await getFeedStatus(bed.testContext.ctx)).toMatchObject({ signalsReceived: 1, signalsRefused: 0 })
  expect((await findStatus()).status).toEqual(getStatus())
})

test('an engine is reported as silent when no status has arrived for more than 35 seconds', async () => {
  await sendMessages(getStatus())
  bed.clock.advance(35_000)
  expect(await findStatus()).toMatchObject({ isSilent: false })
  bed.clock.advance(1)
  expect(await findStatus()).toMatchObject({ isSilent: true, receivedAt: msAgo(35_001) })
})

test.each([
  ['the same engine after a restart', () => getStatus({ run: otherRun, startedAt: msAgo(4_000) }), 5_000],
  ['another engine when the first one is silent', () => getStatus({ run: otherRun }), 35_001],
])('an engine status of %s replaces the stored one', async (_what, next, silenceMs) => {
  await sendMessages(getStatus())
  bed.clock.advance(silenceMs)
  await sendMessages(next())
  expect((await findStatus()).status?.run).toBe(otherRun)
})

test('an engine status that was sent before the stored one is accepted when no status has arrived for 35 seconds', async () => {
  await sendMessages(getStatus({ sentAt: msAgo(-240_000) }))
  // The clock of the engine is set back by four minutes.
  bed.clock.advance(35_000)
  await sendMessages(getStatus())
  expect(await listReasons()).toEqual(['sentAt: earlier than the stored status'])
  bed.clock.advance(1)
  await sendMessages(getStatus())
  expect((await findStatus()).status).toEqual(getStatus())
})

test('a stored engine status in an earlier format is ignored, and the next one replaces it', async () => {
  await sendMessages(getStatus())
  const { db } = bed.testContext.ctx
  await db.execute(`update settings set value = '{"type":"status","old":true}' where name = 'feed.engine'`)
  expect(await findStatus()).toMatchObject({ receivedAt: null, status: null })
  await sendMessages(getStatus())
  expect((await findStatus()).status).toEqual(getStatus())
  await deleteEngineStatus(db)
  expect((await findStatus()).status).toBeNull()
})

test('the time without a status becomes a gap of the engine when it exceeds 35 seconds', async () => {
  const selectGaps = () => bed.testContext.ctx.db.select({ from: feedGaps.fromAt, to: feedGaps.toAt }).from(feedGaps)
  await sendMessages(getStatus())
  bed.clock.advance(35_000)
  await sendMessages(getStatus({ sentAt: msAgo(0) }))
  expect(await selectGaps()).toEqual([])
  const from = bed.clock.now()
  bed.clock.advance(35_001)
  await sendMessages(getStatus({ sentAt: msAgo(0) }))
  expect(await selectGaps()).toEqual([{ from, to: bed.clock.now() }])
})
