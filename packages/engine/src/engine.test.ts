import { describe, expect, it } from 'vitest'
import {
  createCalmCandles,
  getAlerts,
  getRandom,
  getTicks,
  MINUTE,
  mergeByTime,
  movePrice,
  multiplyVolume,
  run,
  T0,
} from '../test/support/engine-test-bed.ts'
import { createEngine, type Engine } from './engine.ts'
import type { Alert } from './finding.ts'
import type { Market } from './market.ts'
import { defaultSettings } from './settings.ts'
import { CLAUSE_LENGTH } from './summary.ts'
import type { Candle, EngineEvent, Tick } from './tick.ts'

const DAY = 1440
const LENGTH = 2 * DAY
const EVENT_MINUTE = DAY + 700
const calmMarket = createCalmCandles('BTC/USDT', LENGTH, 1)
const otherMarkets = ['ETH/USDT', 'SOL/USDT', 'ADA/USDT'].map((market, i) => createCalmCandles(market, LENGTH, 10 + i))

/** Selects the alerts within an hour after the event. */
const selectNearAlerts = (alerts: readonly Alert[]) =>
  alerts.filter(
    ({ observedAt }) => observedAt > T0 + EVENT_MINUTE * MINUTE && observedAt <= T0 + (EVENT_MINUTE + 60) * MINUTE,
  )

const listTypes = (alerts: readonly Alert[]) => alerts.map(({ anomalyType }) => anomalyType)

describe('engine with candles', () => {
  it('raises nothing before a market has warmed up', () => {
    expect(getAlerts(run(mergeByTime(movePrice(calmMarket.slice(0, 700), 600, 1.1))))).toEqual([])
  })

  it.each([
    ['a jump', movePrice(calmMarket, EVENT_MINUTE, 0.97), 'Price move', /^Price fell 3\.\d\d% in \d+ min/],
    ['a slow slide', movePrice(calmMarket, EVENT_MINUTE, 1.03, 50), 'Price move', /^Price rose [0-9.]+% in \d+ min/],
    [
      'a volume spike',
      multiplyVolume(calmMarket, EVENT_MINUTE, EVENT_MINUTE + 5, 20),
      'Volume spike',
      /^Volume \d+× this hour's usual in \d+ min/,
    ],
  ])('raises one or two alerts with the expected type and summary for %s', (_, candles, type, summary) => {
    const alerts = selectNearAlerts(getAlerts(run(mergeByTime(candles)))).filter(
      ({ anomalyType }) => anomalyType === type,
    )
    expect(alerts[0]?.summary).toMatch(summary)
    expect(alerts.length).toBeLessThanOrEqual(2)
    expect(alerts[0]?.observedAt).toBeLessThanOrEqual(T0 + (EVENT_MINUTE + 40) * MINUTE)
  })

  it('raises one market-wide alert instead of one for each asset when all assets fall together', () => {
    const alerts = selectNearAlerts(
      getAlerts(
        run(mergeByTime(...[calmMarket, ...otherMarkets].map((candles) => movePrice(candles, EVENT_MINUTE, 0.98)))),
      ),
    )
    expect(listTypes(alerts)).toEqual(['Market-wide move'])
    expect(alerts[0]).toMatchObject({ asset: 'Market', regime: expect.stringMatching(/^Crisis, /) })
    expect(alerts[0]?.summary).toMatch(/^4 of 4 assets fell, 2\.\d\d% on average in \d+ min$/)
  })

  it('reports a divergence between two quotes and predicts the spread', () => {
    const usdc = calmMarket.map((candle) => ({ ...candle, market: 'BTC/USDC' }))
    const usd = calmMarket.map((candle) => ({ ...candle, market: 'BTC/USD' }))
    const alerts = selectNearAlerts(getAlerts(run(mergeByTime(movePrice(usdc, EVENT_MINUTE, 1.008, 20), usd)))).filter(
      ({ prediction }) => prediction.other,
    )
    expect(listTypes(alerts)[0]).toBe('Divergence')
    // The newest value triggers the alert, even if an older value was more extreme.
    for (const { series } of alerts) expect(series.triggerIndex).toBe(series.values.length - 1)
    expect(alerts[0]?.summary).toMatch(/^BTC in USDC is 0\.\d+% above BTC in USD$/)
    expect(alerts[0]?.prediction).toMatchObject({
      metric: 'spread',
      market: 'BTCUSDC',
      other: { venue: 'simulated', market: 'BTCUSD' },
    })
  })

  it('reports the close of the minute as the price', () => {
    const [alert] = selectNearAlerts(getAlerts(run(mergeByTime(movePrice(calmMarket, EVENT_MINUTE, 0.97)))))
    const close = movePrice(calmMarket, EVENT_MINUTE, 0.97).find(({ at }) => at + MINUTE === alert?.observedAt)?.close
    expect(alert).toMatchObject({ price: String(close), quote: 'USDT', venue: 'simulated' })
  })

  const haltedMarket = calmMarket.map((candle, i) =>
    i >= EVENT_MINUTE && i < EVENT_MINUTE + 40 ? { ...candle, volume: 0 } : candle,
  )

  it('predicts for a quiet market a volume threshold that is proportional to the horizon', () => {
    const settings = { ...defaultSettings, shortHorizonSeconds: 300 }
    const thresholds = selectNearAlerts(getAlerts(run(mergeByTime(haltedMarket), settings)))
      .filter(({ anomalyType }) => anomalyType.startsWith('Market gone quiet'))
      .map(({ prediction }) => prediction.threshold)
    expect(thresholds).toHaveLength(2)
    const [hour = 0, fiveMinutes = 0] = thresholds
    expect(hour / fiveMinutes).toBeCloseTo(12, 1)
  })

  it('reports that a market has gone quiet and predicts that volume returns', () => {
    const alerts = selectNearAlerts(getAlerts(run(mergeByTime(haltedMarket)))).filter(
      ({ anomalyType }) => anomalyType === 'Market gone quiet',
    )
    expect(alerts).toHaveLength(1)
    expect(alerts[0]).toMatchObject({
      summary: 'No trade for 10 min, unusual for this market',
      prediction: { metric: 'volume' },
    })
  })
})

describe('engine: event time that is set back', () => {
  it('raises an alert with the usual regime, and counts it on its day, when the wrong time had a crisis', () => {
    const firstMinute = EVENT_MINUTE - 15 * 60
    const jumpMinute = firstMinute + 90
    const selectMinutes = (markets: readonly (readonly Candle[])[], from: number, to: number) =>
      mergeByTime(...markets).slice((markets.length + 1) * from, (markets.length + 1) * to)
    const crash = [calmMarket, ...otherMarkets].map((candles) => movePrice(candles, EVENT_MINUTE, 0.98))
    const jump = [movePrice(calmMarket, jumpMinute, 0.97), ...otherMarkets]
    const engine = createEngine()
    const raiseAlerts = (events: readonly EngineEvent[]) =>
      getAlerts(events.flatMap((event) => [...engine.step(event)]))
    expect(listTypes(raiseAlerts(selectMinutes(crash, 0, EVENT_MINUTE + 3)))).toContain('Market-wide move')
    engine.setBack(T0 + firstMinute * MINUTE)
    const alerts = raiseAlerts(selectMinutes(jump, firstMinute, jumpMinute + 5)).filter(
      ({ asset }) => asset === 'BTC/USDT',
    )
    expect(alerts.find(({ anomalyType }) => anomalyType === 'Price move')?.regime).toMatch(/^(Calm|Normal|Turbulent), /)
    const { assets } = engine.overview()
    expect(assets.find(({ asset }) => asset === 'BTC/USDT')?.alerts.at(-1)).toBe(alerts.length)
  })
})

describe('engine: markets that are no longer watched', () => {
  const dollar = calmMarket.map((candle) => ({ ...candle, market: 'BTC/USDC' }))
  const [former = []] = otherMarkets
  const [kept = [], ...ending] = [calmMarket, dollar, former].map((candles) =>
    movePrice(candles, EVENT_MINUTE - 30, 0.97),
  )
  const eventsBefore = mergeByTime(...[kept, ...ending].map((candles) => candles.slice(0, EVENT_MINUTE)))
  const eventsAfter = mergeByTime(kept).slice(2 * EVENT_MINUTE, 2 * (EVENT_MINUTE + 60))
  const engine = createEngine()
  for (const event of eventsBefore) engine.step(event)
  const keepBitcoinOnly = (snapshot: string) => {
    const continued = createEngine(defaultSettings, snapshot)
    const removed = continued.keepMarkets(({ market }) => market === 'BTC/USDT')
    return { continued, removed, state: JSON.parse(continued.snapshot()) }
  }

  it('raise no alert when their trades end', () => {
    const readLaterTypes = (continuedEngine: Engine) =>
      listTypes(getAlerts(eventsAfter.flatMap((event) => [...continuedEngine.step(event)])))
    expect(readLaterTypes(createEngine(defaultSettings, engine.snapshot()))).toContain('Market gone quiet')
    const { continued, removed } = keepBitcoinOnly(engine.snapshot())
    expect(removed.map(({ market }) => market)).toEqual(['BTC/USDC', 'ETH/USDT'])
    expect(readLaterTypes(continued)).not.toContain('Market gone quiet')
  })

  it('leave no state except their open predictions', () => {
    const savedState = JSON.parse(engine.snapshot())
    const { state } = keepBitcoinOnly(engine.snapshot())
    expect(Object.keys(savedState.pairs)).toHaveLength(1)
    expect([Object.keys(state.markets), state.pairs]).toEqual([['simulated BTC/USDT'], {}])
    expect(savedState.open.length).toBeGreaterThan(0)
    expect(state.open).toEqual(savedState.open)
  })
})

describe('engine with ticks', () => {
  const ticks = getTicks(calmMarket)
  const addClockEvents = (list: readonly Tick[]): EngineEvent[] =>
    list.flatMap((tick, i): EngineEvent[] =>
      i % 4 === 3 ? [tick, { type: 'clock', at: tick.at - (tick.at % MINUTE) + MINUTE + 1000 }] : [tick],
    )
  const ticksBefore = ticks.filter(({ at }) => at < T0 + EVENT_MINUTE * MINUTE)
  const last = ticksBefore.at(-1) as Tick
  const createBurst = (count: number, getOverrides: (i: number) => Partial<Tick>): Tick[] =>
    Array.from({ length: count }, (_, i) => ({
      ...last,
      number: last.number + 1 + i,
      at: T0 + EVENT_MINUTE * MINUTE + 5000 + i,
      ...getOverrides(i),
    }))

  it('ignores a single stray price', () => {
    const strayTicks = createBurst(2, (i) => ({ price: i === 0 ? last.price * 1.2 : last.price }))
    expect(selectNearAlerts(getAlerts(run([...addClockEvents(ticksBefore), ...strayTicks])))).toEqual([])
  })

  it('ignores a trade from the future', () => {
    const futureTick = { ...last, at: Date.parse('2099-01-01T00:00:00Z') }
    const jumpTicks = createBurst(5, () => ({ price: last.price * 1.03 }))
    expect(
      listTypes(selectNearAlerts(getAlerts(run([...addClockEvents(ticksBefore), futureTick, ...jumpTicks])))),
    ).toContain('Price move')
  })

  it('raises a price alert within the minute, at the third tick beyond the limit', () => {
    const jumpTicks = createBurst(5, () => ({ price: last.price * 1.03 }))
    const alerts = selectNearAlerts(getAlerts(run([...addClockEvents(ticksBefore), ...jumpTicks])))
    expect(listTypes(alerts)).toContain('Price move')
    expect(alerts[0]).toMatchObject({
      observedAt: T0 + EVENT_MINUTE * MINUTE + 5002,
      price: String(last.price * 1.03),
      quote: 'USDT',
      venue: 'simulated',
    })
    const [former = 0, now = 0] = alerts[0]?.series.values.slice(-2) ?? []
    expect(now - former, 'the series ends with the open minute').toBeCloseTo(100 * Math.log(1.03), 2)
  })

  it('raises a volume alert before the minute ends, with a series that ends with the volume so far', () => {
    const alerts = selectNearAlerts(
      getAlerts(run([...addClockEvents(ticksBefore), ...createBurst(50, () => ({ amount: 10 }))])),
    )
    expect(listTypes(alerts)).toEqual(['Volume spike'])
    expect(alerts[0]?.observedAt).toBeLessThan(T0 + EVENT_MINUTE * MINUTE + 5050)
    const { values = [], mean = 0, deviation = 0 } = alerts[0]?.series ?? {}
    expect(values.at(-1)).toBe(Math.max(...values))
    expect(values.at(-1)).toBeGreaterThan(mean + 3 * deviation)
  })

  it('raises a "Rush orders" alert when many buy orders fill while the price rises', () => {
    const buyFills = createBurst(60, (i) => ({
      at: T0 + EVENT_MINUTE * MINUTE + 5000 + 100 * Math.floor(i / 3),
      price: last.price * (1 + 0.002 * i),
      amount: 50,
      takerSide: 'buy',
    }))
    const alerts = selectNearAlerts(getAlerts(run([...addClockEvents(ticksBefore), ...buyFills])))
    expect(listTypes(alerts)).toContain('Rush orders (beta)')
  })

  it.each([
    ['numbers are missing', (tick: Tick): EngineEvent[] => [{ ...tick, number: tick.number + 7 }]],
    [
      'a gap is known',
      (tick: Tick): EngineEvent[] => [
        { type: 'gap', venue: tick.venue, market: tick.market, from: tick.at - 60_000, to: tick.at + 1 },
        tick,
      ],
    ],
  ])('raises nothing for a minute in which %s', (_, change) => {
    const jumpTicks = createBurst(5, () => ({ price: last.price * 1.03 })).flatMap(change)
    const clock: EngineEvent = { type: 'clock', at: T0 + (EVENT_MINUTE + 1) * MINUTE + 1000 }
    expect(selectNearAlerts(getAlerts(run([...addClockEvents(ticksBefore), ...jumpTicks, clock])))).toEqual([])
  })

  it.each([10, 120])(
    'raises nothing, and marks the minutes as incomplete, while the clock is %d s ahead',
    (seconds) => {
      const engine = createEngine()
      const liveTicks = ticks.filter(({ at }) => at >= T0 + EVENT_MINUTE * MINUTE).slice(0, 15 * 4)
      const liveEvents = liveTicks.flatMap((tick): EngineEvent[] => {
        // The last trade of a minute comes six seconds before its end.
        const at = tick.at + 8_000
        return [
          { type: 'clock', at: at + 1000 * seconds },
          { ...tick, at },
        ]
      })
      const findings = [...addClockEvents(ticksBefore), ...liveEvents].flatMap((event) => [...engine.step(event)])
      expect(selectNearAlerts(getAlerts(findings))).toEqual([])
      const [{ bars, statistics }] = Object.values(JSON.parse(engine.snapshot()).markets) as [Market]
      expect([statistics.clean, statistics.quiet]).toEqual([0, 0])
      expect(bars.late).toBeGreaterThanOrEqual(15)
    },
  )

  it('closes minutes of a market whose first trades are older than the current minute', () => {
    const engine = createEngine()
    const minutesAfterStart = (minutes: number) => T0 + minutes * MINUTE
    const first = { ...last, number: 1, at: minutesAfterStart(5) }
    const events: EngineEvent[] = [
      { type: 'clock', at: minutesAfterStart(10) + 5000 },
      first,
      { ...first, number: 2, at: minutesAfterStart(10.5) },
      { type: 'clock', at: minutesAfterStart(11) + 1000 },
      { ...first, number: 3, at: minutesAfterStart(11.5) },
      { type: 'clock', at: minutesAfterStart(12) + 1000 },
    ]
    for (const event of events) engine.step(event)
    const [{ bars, statistics }] = Object.values(JSON.parse(engine.snapshot()).markets) as [Market]
    expect([bars.minute, bars.late, statistics.seen]).toEqual([minutesAfterStart(12), 1, 1])
  })

  it('raises nothing after three hours without trades until the windows are full again', () => {
    const laterTicks = createBurst(5, () => ({ price: last.price * 1.03, at: last.at + 3 * 3_600_000 }))
    expect(
      getAlerts(run([...addClockEvents(ticksBefore), ...laterTicks])).filter(({ observedAt }) => observedAt > last.at),
    ).toEqual([])
  })
})

describe('every alert of the engine', () => {
  const settings = { ...defaultSettings, shortHorizonSeconds: 300 }
  const busyMarkets = [calmMarket, ...otherMarkets].map((candles, i) =>
    multiplyVolume(movePrice(candles, EVENT_MINUTE + 3 * i, 1.02), EVENT_MINUTE, EVENT_MINUTE + 9, 15),
  )
  const alerts = getAlerts(run(mergeByTime(...busyMarkets), settings))

  it('has a prediction that the specification allows', () => {
    expect(alerts.length).toBeGreaterThan(5)
    for (const { observedAt, prediction } of alerts) {
      const start = Date.parse(prediction.startsAt)
      expect(start % MINUTE).toBe(0)
      expect(start - observedAt).toBeGreaterThanOrEqual(5000)
      expect(start - observedAt).toBeLessThanOrEqual(120_000)
      expect([300, 3600]).toContain(prediction.horizonSeconds)
      const slackMs = Date.parse(prediction.resolveBy) - start - 1000 * prediction.horizonSeconds
      expect(slackMs).toBe(900_000)
      expect(JSON.stringify(prediction.threshold)).toMatch(/^\d{1,15}(\.\d{1,12})?$/)
    }
  })

  it('begins its summary with a clause of at most 60 characters', () => {
    for (const { summary } of alerts) expect(summary.split('; ')[0]?.length).toBeLessThanOrEqual(CLAUSE_LENGTH)
  })

  it('has a series that the protocol allows, a unique id and a confidence with one decimal', () => {
    for (const { series, confidence } of alerts) {
      expect(series.values.length).toBeGreaterThanOrEqual(2)
      expect(series.values.length).toBeLessThanOrEqual(120)
      expect(series.values.every(Number.isFinite)).toBe(true)
      expect(series.triggerIndex).toBeLessThan(series.values.length)
      expect(Math.abs(Math.round(confidence * 10) - confidence * 10)).toBeLessThan(1e-9)
    }
    expect(new Set(alerts.map(({ id }) => id)).size).toBe(alerts.length)
  })

  it('makes a short prediction in addition to the long one if the settings say so', () => {
    const shortAlerts = alerts.filter(({ prediction }) => prediction.horizonSeconds === 300)
    expect(shortAlerts).toHaveLength(alerts.length / 2)
    expect(shortAlerts.every(({ anomalyType }) => anomalyType.endsWith(', 5 min'))).toBe(true)
  })
})

describe('engine: outcomes', () => {
  const events = mergeByTime(movePrice(calmMarket, EVENT_MINUTE, 0.97))
  const findings = run(events)
  const first = selectNearAlerts(getAlerts(findings))[0] as Alert

  it('are due once, when the horizon has ended', () => {
    const dueFindings = findings.filter(({ type, id }) => type === 'due' && id === first.id)
    expect(dueFindings).toHaveLength(1)
    const horizonEndMs = Date.parse(first.prediction.startsAt) + 3_600_000
    const clockEventsBeforeEnd = events.filter((event) => event.type === 'clock' && event.at < horizonEndMs + 1000)
    const engine = createEngine()
    const earlyFindings = events
      .slice(0, events.indexOf(clockEventsBeforeEnd.at(-1) as EngineEvent) + 1)
      .flatMap((event) => [...engine.step(event)])
    expect(earlyFindings.some(({ type, id }) => type === 'due' && id === first.id)).toBe(false)
    expect(engine.step({ type: 'clock', at: horizonEndMs + 1000 }).some(({ id }) => id === first.id)).toBe(true)
  })

  it('are learnt once for each alert, but not if the verdict is void or the alert is unknown', () => {
    const engine = createEngine()
    for (const event of events) engine.step(event)
    const countJudged = () => JSON.parse(engine.snapshot()).confidence.judged.length
    engine.step({ type: 'outcome', id: 'unknown', verdict: 'came-true' })
    expect(countJudged()).toBe(0)
    engine.step({ type: 'outcome', id: first.id, verdict: 'came-true' })
    engine.step({ type: 'outcome', id: first.id, verdict: 'came-true' })
    expect(countJudged()).toBe(1)
    const secondAlert = getAlerts(findings).find(({ id }) => id !== first.id)
    engine.step({ type: 'outcome', id: secondAlert?.id ?? '', verdict: 'void' })
    expect(countJudged()).toBe(1)
  })
})

describe('engine: replay', () => {
  /** Creates events of two days: candles, ticks, gaps, duplicate ticks and clock events. */
  function createMixture(): EngineEvent[] {
    const random = getRandom(99)
    const jumpyMarket = multiplyVolume(movePrice(calmMarket, EVENT_MINUTE, 0.97), EVENT_MINUTE, EVENT_MINUTE + 5, 20)
    const ticks = getTicks(jumpyMarket.map((candle) => ({ ...candle, market: 'XRP/USDT' })))
    const candles = otherMarkets.slice(0, 2).map((list, i) => movePrice(list, EVENT_MINUTE + i, 0.98))
    return jumpyMarket.flatMap((candle, i): EngineEvent[] => {
      const minuteTicks = ticks.slice(4 * i, 4 * i + 4)
      const repeatedTicks = random() < 0.1 ? minuteTicks.slice(0, 2) : []
      const gap: EngineEvent[] =
        random() < 0.001
          ? [{ type: 'gap', venue: 'simulated', market: 'XRP/USDT', from: candle.at, to: candle.at + 5 }]
          : []
      const minute: Candle[] = [candle, ...candles.flatMap((list) => list[i] ?? [])]
      return [...minuteTicks, ...repeatedTicks, ...gap, ...minute, { type: 'clock', at: candle.at + MINUTE + 1000 }]
    })
  }
  const events = createMixture().slice(0, 9 * (EVENT_MINUTE + 120))

  /**
   * Runs the events, and reports the outcome of each due prediction immediately, as a source would.
   */
  function replayEvents(engine: ReturnType<typeof createEngine>, list: readonly EngineEvent[]): string {
    return list
      .map((event) => {
        const findings = engine.step(event)
        for (const { type, id } of findings) {
          if (type === 'due')
            engine.step({ type: 'outcome', id, verdict: id.length % 2 === 0 ? 'came-true' : 'did-not' })
        }
        return findings.length === 0 ? '' : `${JSON.stringify(findings)}\n`
      })
      .join('')
  }

  const wholeEngine = createEngine()
  const output = replayEvents(wholeEngine, events)

  /** A second engine that replays the same events. A snapshot is taken at each cut. */
  const secondEngine = createEngine()
  const cutIndexes = [1, 5000, 9 * EVENT_MINUTE - 13, 9 * EVENT_MINUTE, 9 * EVENT_MINUTE + 4, 9 * EVENT_MINUTE + 300]
  let secondOutput = ''
  const snapshots = cutIndexes.map((cut, index) => {
    secondOutput += replayEvents(secondEngine, events.slice(cutIndexes[index - 1] ?? 0, cut))
    return { cut, before: secondOutput, snapshot: secondEngine.snapshot() }
  })
  secondOutput += replayEvents(secondEngine, events.slice(cutIndexes.at(-1)))

  it('produces the same bytes when it runs again', () => {
    expect(secondOutput).toBe(output)
    expect(secondEngine.snapshot()).toBe(wholeEngine.snapshot())
    expect(output.length).toBeGreaterThan(1000)
  })

  it.each(snapshots)(
    'produces the same bytes when restored from a snapshot after $cut events',
    ({ cut, before, snapshot }) => {
      const restoredEngine = createEngine(defaultSettings, snapshot)
      expect(restoredEngine.snapshot()).toBe(snapshot)
      expect(before + replayEvents(restoredEngine, events.slice(cut))).toBe(output)
      expect(restoredEngine.snapshot()).toBe(wholeEngine.snapshot())
    },
  )

  it('does not depend on the order of markets within a minute', () => {
    const candleLists = [calmMarket, ...otherMarkets].map((candles, i) =>
      multiplyVolume(movePrice(candles, EVENT_MINUTE + i, 0.98), EVENT_MINUTE, EVENT_MINUTE + 5, 12),
    )
    const forwardAlerts = getAlerts(run(mergeByTime(...candleLists)))
    expect(getAlerts(run(mergeByTime(...[...candleLists].reverse())))).toEqual(forwardAlerts)
  })

  it('has constant memory for each market', () => {
    const engine = createEngine()
    const sizes = [0, 1].map((day) => {
      for (const event of mergeByTime(calmMarket).slice(2 * day * DAY, 2 * (day + 1) * DAY)) engine.step(event)
      return engine.snapshot().length
    })
    expect(sizes[1]).toBeLessThan(1.25 * (sizes[0] ?? 0))
  })
})
