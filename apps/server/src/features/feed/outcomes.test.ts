import { type Candle, decodeOutcome, hashSignal, type Prediction } from '@tocsin/proof'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { asc, eq, sql } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, test, vi } from 'vitest'
import { createFeedTestBed, type FeedTestBed } from '../../../test/support/feed-test-bed.ts'
import { createCandles, createOutcomeMessage, createPredictedSignal } from '../../../test/support/outcome-test-bed.ts'
import type { Context } from '../../context.ts'
import {
  alertOutcomes,
  alertPredictions,
  alertSignals,
  alerts,
  deliveries,
  marketCandles,
} from '../../db/schema/alerts.ts'
import { refusedSignals } from '../../db/schema/feed.ts'
import { logEntries } from '../../db/schema/log.ts'
import { type Failpoint, failpoints } from '../../failpoint.ts'
import { Refusal } from '../../refusal.ts'
import { RETRY_MS } from '../../retry.ts'
import type { NewAlert } from '../alerts/alert.ts'
import { createIssuer } from '../alerts/issue-alerts.ts'
import { issueOutcomes } from '../alerts/issue-outcomes.ts'
import { listMessages } from '../record/store.ts'
import { checkLog } from '../tlog/check-log.ts'
import { insertStop } from '../tlog/store.ts'
import { receiveSignals } from './receive-signals.ts'
import { getFeedStatus } from './service.ts'

const database = useTestDatabase()
let bed: FeedTestBed
const neverAborted = new AbortController().signal

beforeEach(async () => {
  bed = await createFeedTestBed(database)
})
afterEach(() => bed.close())

const sendMessages = (raws: string[], ctx: Context = bed.testContext.ctx, signal = neverAborted) =>
  receiveSignals(ctx, createIssuer(ctx), raws, signal)
const passHorizon = () => bed.clock.advance(420_000)
const listOutcomes = () => bed.testContext.ctx.db.select().from(alertOutcomes).orderBy(asc(alertOutcomes.logIndex))
const listReasons = async () => (await bed.testContext.ctx.db.select().from(refusedSignals)).map(({ reason }) => reason)
const createSignal = (id: string, change: object = {}, prediction: object = {}) =>
  createPredictedSignal(id, bed.clock.now(), change, prediction)
const getPrediction = (signal: string): Prediction => JSON.parse(signal).prediction

/** Logs a signal with a prediction and moves the clock past the end of the prediction. */
async function predictOne(id = 'one', change: object = {}, prediction: object = {}): Promise<string> {
  const signal = createSignal(id, change, prediction)
  await sendMessages([signal])
  passHorizon()
  return signal
}

test('a signal with a prediction is kept byte for byte, and its prediction is stored', async () => {
  const signal = createSignal('one').replace('{', '{ \n')
  await sendMessages([signal])
  const { db } = bed.testContext.ctx
  const [storedSignal] = await db.select().from(alertSignals).innerJoin(alerts, eq(alerts.id, alertSignals.alertId))
  expect(storedSignal).toMatchObject({ alert_signals: { message: signal }, alerts: { signalHash: hashSignal(signal) } })
  const { prediction, model } = JSON.parse(signal)
  expect(await db.select().from(alertPredictions)).toEqual([
    {
      logIndex: storedSignal?.alerts.logIndex,
      forecast: { prediction, model },
      startsAt: new Date(prediction.startsAt),
    },
  ])
})

describe('an outcome is rejected with a reason that the operator sees', () => {
  const cases: [string, (signal: string) => string, RegExp][] = [
    ['the signal is unknown', () => createOutcomeMessage(createSignal('foreign')), /There is no alert of this signal/],
    ['it names no signal', () => '{"type":"outcome"}', /The message does not identify a signal/],
    [
      'its id is that of another signal',
      (signal) => createOutcomeMessage(signal, { change: { id: 'two' } }),
      /id is not that/,
    ],
    [
      'its id contains NUL',
      (signal) => createOutcomeMessage(signal, { change: { id: 'one\0' } }),
      /does not identify a signal/,
    ],
    [
      'its hash contains NUL',
      (signal) => createOutcomeMessage(signal, { change: { signalHash: '\0' } }),
      /does not identify a signal/,
    ],
    [
      'its id is a number',
      (signal) => createOutcomeMessage(signal, { change: { id: 7 } }),
      /does not identify a signal/,
    ],
    [
      'its hash is that of another signal',
      (signal) => createOutcomeMessage(signal, { change: { signalHash: hashSignal('x') } }),
      /There is no alert of this signal/,
    ],
    [
      'the verdict does not follow',
      (signal) => createOutcomeMessage(signal, { change: { verdict: 'did-not' } }),
      /verdict does/,
    ],
    [
      'the value does not follow',
      (signal) => createOutcomeMessage(signal, { change: { measured: '2' } }),
      /measured does not/,
    ],
    [
      'the value is a number',
      (signal) => createOutcomeMessage(signal, { change: { measured: 1 } }),
      /measured does not follow/,
    ],
    [
      'it claims to be void',
      (signal) => createOutcomeMessage(signal, { change: { voidReason: 'missing-candles' } }),
      /voidReason does/,
    ],
    [
      'it claims missing minutes',
      (signal) => createOutcomeMessage(signal, { change: { missing: [60] } }),
      /missing does not/,
    ],
    [
      'candles are not a list',
      (signal) => createOutcomeMessage(signal, { change: { candles: {} } }),
      /candles are not a list/,
    ],
    ['candles are unsorted', (signal) => withCandles(signal, (rows) => rows.reverse()), /does not open after/],
    ['a candle comes twice', (signal) => withCandles(signal, ([row, ...rows]) => [row, row, ...rows]), /open after/],
    ['a candle is of another time', (signal) => withCandles(signal, (rows) => shift(rows, 600)), /outside the window/],
    ['a candle is between minutes', (signal) => withCandles(signal, (rows) => shift(rows, 1)), /at a whole minute/],
    ['a price is a number', (signal) => withCandles(signal, (rows) => setColumn(rows, 4, 100)), /no close that is/],
    ['a price is 0', (signal) => withCandles(signal, (rows) => setColumn(rows, 3, '0')), /low price of 0/],
    ['a further key occurs', (signal) => createOutcomeMessage(signal, { change: { extra: 1 } }), /unknown key "extra"/],
    [
      'candles of another market occur',
      (signal) => createOutcomeMessage(signal, { change: { otherCandles: [] } }),
      /otherCandles/,
    ],
    [
      'the note is long',
      (signal) => createOutcomeMessage(signal, { change: { note: 'x'.repeat(201) } }),
      /note is not text/,
    ],
  ]

  it('when it is malformed, of an unknown signal, or does not follow from its candles', async () => {
    const signal = await predictOne()
    const raws = cases.map(([, message]) => message(signal))
    const statusBefore = await getFeedStatus(bed.testContext.ctx)
    await sendMessages([...raws, createOutcomeMessage(signal)])
    const refused = await bed.testContext.ctx.db.select().from(refusedSignals).orderBy(asc(refusedSignals.id))
    expect(refused.map(({ raw }) => raw)).toEqual(raws)
    for (const [position, [name, , reason]] of cases.entries()) expect(refused[position]?.reason, name).toMatch(reason)
    expect(await getFeedStatus(bed.testContext.ctx), 'outcomes are not signals').toEqual(statusBefore)
    expect(await listOutcomes()).toMatchObject([{ message: createOutcomeMessage(signal) }])
  })

  it('before the horizon has ended, even if the threshold is reached', async () => {
    const signal = createSignal('one')
    await sendMessages([signal])
    const endMs = Date.parse(getPrediction(signal).startsAt) + 300_000
    bed.clock.advance(endMs - 1 - bed.clock.now().getTime())
    const early = createCandles(getPrediction(signal), '150')
    await sendMessages([createOutcomeMessage(signal, { candles: early })])
    expect(await listReasons()).toEqual([expect.stringMatching(/horizon does not end before/)])
    bed.clock.advance(1)
    await sendMessages([createOutcomeMessage(signal)])
    expect(await listOutcomes()).toHaveLength(1)
  })

  it('when the signal has no prediction', async () => {
    const predictedText = createSignal('plain')
    const { prediction: _, model: _model, ...plainFields } = JSON.parse(predictedText)
    const text = JSON.stringify(plainFields)
    await sendMessages([text])
    passHorizon()
    await sendMessages([createOutcomeMessage(predictedText, { change: { signalHash: hashSignal(text) } })])
    expect(await listReasons()).toEqual(['The signal has no prediction'])
  })

  it('when the measured value has more than 18 digits', async () => {
    const signal = await predictOne('volume', {}, { metric: 'volume', threshold: 1 })
    const rows = createCandles(getPrediction(signal), '100')
    const candles = rows.map(
      ([at, ...prices]): Candle => [at, prices[0], prices[1], prices[2], prices[3], '9'.repeat(18)],
    )
    await sendMessages([createOutcomeMessage(signal, { candles })])
    expect(await listReasons()).toEqual(['The measured value has more than 18 digits'])
    expect(await listOutcomes()).toEqual([])
  })
})

describe('an outcome', () => {
  it('becomes a log entry that checkLog accepts when its values follow from its candles', async () => {
    const signal = await predictOne()
    const raw = createOutcomeMessage(signal)
    await sendMessages([raw])
    const [outcome] = await listOutcomes()
    const [target] = await bed.testContext.ctx.db.select().from(alerts)
    expect(outcome).toMatchObject({
      ...{ targetIndex: target?.logIndex, verdict: 'came-true', measured: '1' },
      ...{ messageHash: hashSignal(raw), message: raw },
    })
    const [entry] = await bed.testContext.ctx.db
      .select()
      .from(logEntries)
      .where(eq(logEntries.index, outcome?.logIndex ?? -1))
    const statement = decodeOutcome(entry?.bytes ?? new Uint8Array())
    expect(statement).toMatchObject({ origin: 'feed', createdAt: bed.clock.now().toISOString(), verdict: 'came-true' })
    expect(await checkLog(bed.testContext.ctx)).toMatchObject({ size: 3 })
  })

  it.each<[string, object, string, object]>([
    ['volume', { metric: 'volume', threshold: 8 }, '101', { verdict: 'did-not', measured: '7.5' }],
    [
      'spread',
      { metric: 'spread', other: { venue: 'okx', market: 'B' } },
      '102',
      { verdict: 'came-true', measured: '2' },
    ],
    ['realisedVariance', { metric: 'realisedVariance' }, '102', { verdict: 'came-true', measured: '4' }],
  ])('of a prediction of %s is computed from its candles', async (_, prediction, last, expected) => {
    const signal = await predictOne('one', {}, prediction)
    await sendMessages([createOutcomeMessage(signal, { last })])
    expect(await listOutcomes()).toMatchObject([expected])
  })

  it('is void when too many candles are missing', async () => {
    const signal = await predictOne()
    await sendMessages([
      createOutcomeMessage(signal, { candles: createCandles(getPrediction(signal), '100').slice(0, 7) }),
    ])
    expect(await listOutcomes()).toMatchObject([{ verdict: 'void', measured: null }])
  })

  it('is ignored when it repeats an earlier one, and logged again when its candles differ', async () => {
    const signal = await predictOne()
    const raw = createOutcomeMessage(signal)
    await sendMessages([raw, raw])
    await sendMessages([raw, createOutcomeMessage(signal, { change: { note: 'Again' } })])
    expect(await listOutcomes()).toHaveLength(1)
    await sendMessages([
      createOutcomeMessage(signal, { last: '100.5' }),
      createOutcomeMessage(signal, { last: '100.50' }),
    ])
    expect(await listOutcomes()).toMatchObject([{ verdict: 'came-true' }, { verdict: 'did-not' }])
    expect(await listReasons()).toEqual([])
  })

  it('may arrive together with its signal, in any order', async () => {
    const first = createSignal('first')
    const second = createSignal('second', { asset: 'ETH/USDT' })
    passHorizon()
    await sendMessages([first, createOutcomeMessage(first), createOutcomeMessage(second), second])
    expect(await listOutcomes()).toHaveLength(2)
    expect(await listReasons()).toEqual([])
  })

  it('of a signal that was counted under another alert is ignored', async () => {
    await bed.close()
    bed = await createFeedTestBed(database, { cooldownSeconds: 30 })
    const [first, merged] = [createSignal('first'), createSignal('merged')]
    await sendMessages([first, merged])
    passHorizon()
    await sendMessages([createOutcomeMessage(first), createOutcomeMessage(merged)])
    expect(await listOutcomes()).toHaveLength(1)
    expect(await listReasons()).toEqual([])
  })

  it('is sent to subscribers only if its alert was sent', async () => {
    const observedAt = new Date(bed.clock.now().getTime() - 3_600_000)
    const lateSignal = createPredictedSignal('late', observedAt)
    const timelySignal = createSignal('sent', { asset: 'ETH/USDT' })
    await sendMessages([lateSignal, timelySignal])
    passHorizon()
    await sendMessages([createOutcomeMessage(lateSignal), createOutcomeMessage(timelySignal)])
    const [, outcome] = await listOutcomes()
    const rows = await bed.testContext.ctx.db.select().from(deliveries).orderBy(asc(deliveries.seq))
    expect(rows.map(({ logIndex }) => logIndex)).toEqual([outcome?.targetIndex, outcome?.logIndex])
  })
})

test('when two engines send the same signal, its alert and outcome are logged once, and a conflicting outcome is rejected', async () => {
  const signal = createSignal('one')
  // The signal of another engine, which has missed some trades and therefore computes another
  // confidence.
  const conflictingSignal = createSignal('one', { confidence: 41 })
  await sendMessages([signal, signal, conflictingSignal])
  passHorizon()
  await sendMessages([
    createOutcomeMessage(signal),
    createOutcomeMessage(signal),
    createOutcomeMessage(conflictingSignal),
  ])
  expect(await bed.testContext.ctx.db.select().from(alerts)).toMatchObject([{ confidence: 43.5 }])
  expect(await listOutcomes()).toMatchObject([{ message: createOutcomeMessage(signal) }])
  expect(await listReasons()).toEqual(['There is no alert of this signal'])
})

const unreachableError = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })

describe('signals are not rejected but redelivered on the next connection', () => {
  it.each<[string, Error]>([
    ['the database is unreachable', unreachableError],
    ['the log is stopped', new Refusal('log_stopped', 'The log is stopped')],
  ])('when %s at each attempt to log one of the signals', async (_, failure) => {
    const { setTimeout } = globalThis
    const retryWithoutPause = (run: () => void, ms?: number) => setTimeout(run, ms === RETRY_MS ? 0 : ms)
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(retryWithoutPause as typeof setTimeout)
    onTestFinished(() => void vi.restoreAllMocks())
    const issue = createIssuer(bed.testContext.ctx)
    const failToIssue = async (alert: NewAlert) => {
      if (alert.content.asset === 'BTC/USDT') throw failure
      return issue(alert)
    }
    const raws = [createSignal('one'), createSignal('two', { asset: 'ETH/USDT' })]
    await expect(receiveSignals(bed.testContext.ctx, failToIssue, raws, neverAborted)).rejects.toThrow(failure)
    expect(await listReasons()).toEqual([])
    await sendMessages(raws)
    const issued = await bed.testContext.ctx.db.select({ id: alerts.signalId }).from(alerts)
    expect(issued.map(({ id }) => id).sort()).toEqual(['one', 'two'])
  })
})

describe('when storing fails, outcomes', () => {
  const createFailingContext = (times: number): Context => {
    const { ctx } = bed.testContext
    let failuresLeft = times
    const pipeline: Context['db']['pipeline'] = async (...args) => {
      if (failuresLeft-- > 0) throw unreachableError
      return ctx.db.pipeline(...args)
    }
    const db = new Proxy(ctx.db, {
      get: (target, key) => (key === 'pipeline' ? pipeline : Reflect.get(target, key)),
    })
    return { ...ctx, db }
  }

  it('are logged once the database is reachable again', async () => {
    const signal = await predictOne()
    await sendMessages([createOutcomeMessage(signal)], createFailingContext(1))
    expect(await listOutcomes()).toHaveLength(1)
  })

  it('are not rejected: the connection ends, and the feed sends them again', async () => {
    const signal = await predictOne()
    const abortedSignal = AbortSignal.abort()
    await expect(
      sendMessages([createOutcomeMessage(signal)], createFailingContext(1_000), abortedSignal),
    ).rejects.toThrow('ECONNREFUSED')
    expect(await listReasons()).toEqual([])
    await sendMessages([createOutcomeMessage(signal)])
    expect(await listOutcomes()).toHaveLength(1)
  })

  it('are logged once each, at whichever step the database becomes unreachable', async () => {
    const steps = failpoints.filter((step) => step.startsWith('append'))
    const signals = steps.map((step) => createSignal(step, { asset: step }))
    await sendMessages(signals)
    passHorizon()
    for (const [position, step] of steps.entries()) {
      const failpoint = (reachedStep: string) => {
        if (reachedStep === step) throw unreachableError
      }
      const raw = createOutcomeMessage(signals[position] ?? '')
      await expect(
        sendMessages([raw], { ...bed.testContext.ctx, failpoint }, AbortSignal.abort()),
        step,
      ).rejects.toThrow('ECONNREFUSED')
      await sendMessages([raw])
    }
    expect((await listOutcomes()).map(({ targetIndex }) => targetIndex)).toEqual(steps.map((_, index) => index + 1))
    expect(await listReasons()).toEqual([])
    expect(await checkLog(bed.testContext.ctx)).toMatchObject({ size: 1 + 2 * steps.length })
  })

  it('are not rejected while the log is stopped', async () => {
    const signal = await predictOne()
    await insertStop(bed.testContext.ctx.db, 'a test', bed.clock.now())
    await expect(
      sendMessages([createOutcomeMessage(signal)], bed.testContext.ctx, AbortSignal.abort()),
    ).rejects.toThrow('The log is stopped')
    expect(await listReasons()).toEqual([])
  })

  it('are not rejected when the head of the log is damaged', async () => {
    const signal = await predictOne()
    await bed.testContext.ctx.db.execute(sql`update log_head set root = sha256('x')`)
    await expect(
      sendMessages([createOutcomeMessage(signal)], bed.testContext.ctx, AbortSignal.abort()),
    ).rejects.toThrow('is damaged')
    expect(await listReasons()).toEqual([])
  })

  it('that cannot be stored together are stored one by one', async () => {
    const [one, two] = [createSignal('one'), createSignal('two', { asset: 'ETH/USDT' })]
    await sendMessages([one, two])
    passHorizon()
    const { ctx } = bed.testContext
    let transactions = 0
    const failpoint = (reachedStep: Failpoint) => {
      if (reachedStep === 'append: after entries' && ++transactions === 1) throw new Error('Not both')
    }
    const results = await issueOutcomes({ ...ctx, failpoint }, [createOutcomeMessage(one), createOutcomeMessage(two)])
    expect(transactions).toBe(3)
    expect(results).toEqual(['logged', 'logged'])
  })
})

test('an alert and an outcome that a mirror restored get their messages when the feed sends them again', async () => {
  const signal = await predictOne()
  const raw = createOutcomeMessage(signal)
  await sendMessages([raw])
  const { db } = bed.testContext.ctx
  await db.delete(alertSignals)
  await db.delete(alertPredictions)
  await db.update(alertOutcomes).set({ message: null })
  await sendMessages([signal, raw])
  expect(await db.select().from(alertSignals)).toMatchObject([{ message: signal }])
  expect(await db.$count(alertPredictions)).toBe(1)
  expect(await listOutcomes()).toMatchObject([{ message: raw }])
})

test('messages of signals and outcomes are listed in ascending index order, at most as many as the limit', async () => {
  const [one, two] = [await predictOne('one'), await predictOne('two', { asset: 'ETH/USDT' })]
  await sendMessages([createOutcomeMessage(two), createOutcomeMessage(one)])
  const messages = [one, two, createOutcomeMessage(two), createOutcomeMessage(one)].map((message, index) => ({
    index: index + 1,
    message,
  }))
  const { db } = bed.testContext.ctx
  for (let from = 0; from <= 5; from++) {
    for (let limit = 1; limit <= 5; limit++) {
      const expected = messages.filter(({ index }) => index >= from).slice(0, limit)
      expect(await listMessages(db, undefined, from, limit), `${limit} from ${from}`).toEqual(expected)
    }
  }
})

describe('candles of a day', () => {
  const getDay = (signal: string) => getPrediction(signal).startsAt.slice(0, 10)
  const createCandlesMessage = (signal: string, change: object = {}) => {
    const { venue, market } = getPrediction(signal)
    const [candle] = createCandles(getPrediction(signal), '100')
    return JSON.stringify({ type: 'candles', venue, market, day: getDay(signal), candles: [candle], ...change })
  }

  it('are rejected when no alert predicts the market on that day, or a candle is invalid', async () => {
    const signal = await predictOne()
    const cases: [object, RegExp][] = [
      [{ market: 'ETHUSDT' }, /No alert predicts this market on this day/],
      [{ venue: 'okx' }, /No alert predicts this market on this day/],
      [{ day: '2026-01-14', candles: [] }, /No alert predicts this market on this day/],
      [{ day: '2026-01-16' }, /opens outside the window/],
      [{ day: '9999-12-31', candles: [] }, /No alert predicts this market on this day/],
      [{ day: '2026-02-30' }, /^day: /],
      [{ day: '0000-01-01', candles: [] }, /^day: /],
      [{ market: 'BTC\0' }, /^market: /],
      [{ candles: [[0, '1', '1', '1', '1', 1]] }, /Candle 1 has no volume|outside the window/],
      [{ candles: 'none' }, /^candles: /],
      [{ note: '' }, /^Unrecognized key: "note"/],
    ]
    await sendMessages([...cases.map(([change]) => createCandlesMessage(signal, change)), createCandlesMessage(signal)])
    const reasons = await listReasons()
    for (const [position, [, reason]] of cases.entries()) expect(reasons[position]).toMatch(reason)
    expect(await bed.testContext.ctx.db.select().from(marketCandles)).toMatchObject([
      { market: 'BTCUSDT', day: getDay(signal) },
    ])
  })

  it('are merged from several messages, and the first candle of each minute is kept', async () => {
    const signal = await predictOne()
    const [first, second] = createCandles(getPrediction(signal), '100')
    if (!first || !second) throw new Error('No candles')
    const [openTime, ...rest] = first
    await sendMessages([
      createCandlesMessage(signal, { candles: [second] }),
      createCandlesMessage(signal, { candles: [first] }),
    ])
    const changedMessage = createCandlesMessage(signal, { candles: [[openTime, ...rest.slice(0, 4), '7']] })
    await sendMessages([changedMessage])
    const [row] = await bed.testContext.ctx.db.select().from(marketCandles)
    expect(row?.candles).toEqual([first, second])
    await bed.testContext.ctx.db.delete(marketCandles)
    await sendMessages([
      createCandlesMessage(signal, { candles: [second] }),
      createCandlesMessage(signal, { candles: [first] }),
      changedMessage,
    ])
    expect(await bed.testContext.ctx.db.select().from(marketCandles)).toMatchObject([{ candles: [first, second] }])
  })

  it('whose day the database cannot store are rejected, and the other candles are stored', async () => {
    const signal = await predictOne()
    const raws = ['0000-01-01', '9999-12-31'].map((day) => createCandlesMessage(signal, { day, candles: [] }))
    await sendMessages([...raws, createCandlesMessage(signal)], bed.testContext.ctx, AbortSignal.abort())
    expect(await listReasons()).toHaveLength(2)
    expect(await bed.testContext.ctx.db.select().from(marketCandles)).toMatchObject([{ day: getDay(signal) }])
  })

  const createContextFailingOnce = (failure: Error): Context => {
    const { ctx } = bed.testContext
    let isFirst = true
    const transaction: Context['db']['transaction'] = async (...args) => {
      if (!isFirst) return ctx.db.transaction(...args)
      isFirst = false
      throw failure
    }
    const db = new Proxy(ctx.db, {
      get: (target, key) => (key === 'transaction' ? transaction : Reflect.get(target, key)),
    })
    return { ...ctx, db }
  }

  it('that cannot be stored are rejected, and the other candles are stored', async () => {
    const one = await predictOne()
    const two = await predictOne('two', { asset: 'ETH/USDT' }, { market: 'ETHUSDT' })
    const ctx = createContextFailingOnce(new Error('value out of range'))
    await sendMessages([createCandlesMessage(one), createCandlesMessage(two)], ctx, AbortSignal.abort())
    expect(await listReasons()).toEqual(['It could not be stored'])
    expect(await bed.testContext.ctx.db.select().from(marketCandles)).toMatchObject([{ market: 'ETHUSDT' }])
  })

  it('are not rejected while the database is unreachable', async () => {
    const signal = await predictOne()
    const sending = sendMessages(
      [createCandlesMessage(signal)],
      createContextFailingOnce(unreachableError),
      AbortSignal.abort(),
    )
    await expect(sending).rejects.toThrow('ECONNREFUSED')
    expect(await listReasons()).toEqual([])
  })
})

/** Returns the outcome message of a signal with other candles, but with the same claims. */
function withCandles(signal: string, change: (rows: unknown[][]) => unknown[]): string {
  const message = JSON.parse(createOutcomeMessage(signal))
  return JSON.stringify({ ...message, candles: change(message.candles) })
}

function shift(rows: unknown[][], seconds: number): unknown[][] {
  return rows.map(([openTime, ...rest]) => [Number(openTime) + seconds, ...rest])
}

function setColumn(rows: readonly (readonly unknown[])[], column: number, value: unknown): unknown[][] {
  return rows.map((row) => row.map((oldValue, index) => (index === column ? value : oldValue)))
}
