import { describe, expect, it } from 'vitest'
import {
  calmCandles,
  getAlerts,
  getRandom,
  getTicks,
  inOrder,
  louder,
  MINUTE,
  move,
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
const AT = DAY + 700
const calm = calmCandles('BTC/USDT', LENGTH, 1)
const others = ['ETH/USDT', 'SOL/USDT', 'ADA/USDT'].map((market, i) => calmCandles(market, LENGTH, 10 + i))

/** Selects the alerts within an hour after the event. */
const near = (alerts: readonly Alert[]) =>
  alerts.filter(({ observedAt }) => observedAt > T0 + AT * MINUTE && observedAt <= T0 + (AT + 60) * MINUTE)

const types = (alerts: readonly Alert[]) => alerts.map(({ anomalyType }) => anomalyType)

describe('engine with candles', () => {
  it('raises nothing before a market has warmed up', () => {
    expect(getAlerts(run(inOrder(move(calm.slice(0, 700), 600, 1.1))))).toEqual([])
  })

  it.each([
    ['a jump', move(calm, AT, 0.97), 'Price move', /^Price fell 3\.\d\d% in \d+ min/],
    ['a slow slide', move(calm, AT, 1.03, 50), 'Price move', /^Price rose [0-9.]+% in \d+ min/],
    ['a volume spike', louder(calm, AT, AT + 5, 20), 'Volume spike', /^Volume \d+× this hour's usual in \d+ min/],
  ])('raises one alert for %s', (_, candles, type, summary) => {
    const alerts = near(getAlerts(run(inOrder(candles)))).filter(({ anomalyType }) => anomalyType === type)
    expect(alerts[0]?.summary).toMatch(summary)
    expect(alerts.length).toBeLessThanOrEqual(2)
    expect(alerts[0]?.observedAt).toBeLessThanOrEqual(T0 + (AT + 40) * MINUTE)
  })

  it('raises one market-wide alert instead of one for each asset', () => {
    const alerts = near(getAlerts(run(inOrder(...[calm, ...others].map((candles) => move(candles, AT, 0.98))))))
    expect(types(alerts)).toEqual(['Market-wide move'])
    expect(alerts[0]).toMatchObject({ asset: 'Market', regime: expect.stringMatching(/^Crisis, /) })
    expect(alerts[0]?.summary).toMatch(/^4 of 4 assets fell, 2\.\d\d% on average in \d+ min$/)
  })

  it('reports a divergence between two quotes and predicts the spread', () => {
    const usdc = calm.map((candle) => ({ ...candle, market: 'BTC/USDC' }))
    const usd = calm.map((candle) => ({ ...candle, market: 'BTC/USD' }))
    const alerts = near(getAlerts(run(inOrder(move(usdc, AT, 1.008, 20), usd)))).filter(
      ({ prediction }) => prediction.other,
    )
    expect(types(alerts)[0]).toBe('Divergence')
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
    const [alert] = near(getAlerts(run(inOrder(move(calm, AT, 0.97)))))
    const close = move(calm, AT, 0.97).find(({ at }) => at + MINUTE === alert?.observedAt)?.close
    expect(alert).toMatchObject({ price: String(close), quote: 'USDT', venue: 'simulated' })
  })

  const halted = calm.map((candle, i) => (i >= AT && i < AT + 40 ? { ...candle, volume: 0 } : candle))

  it('predicts for a quiet market half of the usual volume of each horizon', () => {
    const settings = { ...defaultSettings, shortHorizonSeconds: 300 }
    const thresholds = near(getAlerts(run(inOrder(halted), settings)))
      .filter(({ anomalyType }) => anomalyType.startsWith('Market gone quiet'))
      .map(({ prediction }) => prediction.threshold)
    expect(thresholds).toHaveLength(2)
    const [hour = 0, fiveMinutes = 0] = thresholds
    expect(hour / fiveMinutes).toBeCloseTo(12, 1)
  })

  it('reports that a market has gone quiet and predicts that volume returns', () => {
    const alerts = near(getAlerts(run(inOrder(halted)))).filter(
      ({ anomalyType }) => anomalyType === 'Market gone quiet',
    )
    expect(alerts).toHaveLength(1)
    expect(alerts[0]).toMatchObject({
      summary: 'No trade for 10 min, unusual for this market',
      prediction: { metric: 'volume' },
    })
  })
})

describe('engine: markets that are no longer watched', () => {
  const dollar = calm.map((candle) => ({ ...candle, market: 'BTC/USDC' }))
  const [former = []] = others
  const [kept = [], ...ending] = [calm, dollar, former].map((candles) => move(candles, AT - 30, 0.97))
  const before = inOrder(...[kept, ...ending].map((candles) => candles.slice(0, AT)))
  const after = inOrder(kept).slice(2 * AT, 2 * (AT + 60))
  const engine = createEngine()
  for (const event of before) engine.step(event)
  const watching = (snapshot: string) => {
    const continued = createEngine(defaultSettings, snapshot)
    const removed = continued.keepMarkets(({ market }) => market === 'BTC/USDT')
    return { continued, removed, state: JSON.parse(continued.snapshot()) }
  }

  it('raise no alert when their trades end', () => {
    const continuedTypes = (of: Engine) => types(getAlerts(after.flatMap((event) => [...of.step(event)])))
    expect(continuedTypes(createEngine(defaultSettings, engine.snapshot()))).toContain('Market gone quiet')
    const { continued, removed } = watching(engine.snapshot())
    expect(removed.map(({ market }) => market)).toEqual(['BTC/USDC', 'ETH/USDT'])
    expect(continuedTypes(continued)).not.toContain('Market gone quiet')
  })

  it('leave no state except their open predictions', () => {
    const saved = JSON.parse(engine.snapshot())
    const { state } = watching(engine.snapshot())
    expect(Object.keys(saved.pairs)).toHaveLength(1)
    expect([Object.keys(state.markets), state.pairs]).toEqual([['simulated BTC/USDT'], {}])
    expect(saved.open.length).toBeGreaterThan(0)
    expect(state.open).toEqual(saved.open)
  })
})

describe('engine with ticks', () => {
  const ticks = getTicks(calm)
  const withClock = (list: readonly Tick[]): EngineEvent[] =>
    list.flatMap((tick, i): EngineEvent[] =>
      i % 4 === 3 ? [tick, { type: 'clock', at: tick.at - (tick.at % MINUTE) + MINUTE + 1000 }] : [tick],
    )
  const before = ticks.filter(({ at }) => at < T0 + AT * MINUTE)
  const last = before.at(-1) as Tick
  const burst = (count: number, more: (i: number) => Partial<Tick>): Tick[] =>
    Array.from({ length: count }, (_, i) => ({
      ...last,
      number: last.number + 1 + i,
      at: T0 + AT * MINUTE + 5000 + i,
      ...more(i),
    }))

  it('ignores a single stray price', () => {
    const stray = burst(2, (i) => ({ price: i === 0 ? last.price * 1.2 : last.price }))
    expect(near(getAlerts(run([...withClock(before), ...stray])))).toEqual([])
  })

  it('ignores a trade from the future', () => {
    const future = { ...last, at: Date.parse('2099-01-01T00:00:00Z') }
    const jump = burst(5, () => ({ price: last.price * 1.03 }))
    expect(types(near(getAlerts(run([...withClock(before), future, ...jump]))))).toContain('Price move')
  })

  it('raises a price alert within the minute, at the third tick beyond the limit', () => {
    const jump = burst(5, () => ({ price: last.price * 1.03 }))
    const alerts = near(getAlerts(run([...withClock(before), ...jump])))
    expect(types(alerts)).toContain('Price move')
    expect(alerts[0]).toMatchObject({
      observedAt: T0 + AT * MINUTE + 5002,
      price: String(last.price * 1.03),
      quote: 'USDT',
      venue: 'simulated',
    })
    const [former = 0, now = 0] = alerts[0]?.series.values.slice(-2) ?? []
    expect(now - former, 'the series ends with the open minute').toBeCloseTo(100 * Math.log(1.03), 2)
  })

  it('raises a volume alert within the minute, whose series ends with the volume so far', () => {
    const alerts = near(getAlerts(run([...withClock(before), ...burst(50, () => ({ amount: 10 }))])))
    expect(types(alerts)).toEqual(['Volume spike'])
    expect(alerts[0]?.observedAt).toBeLessThan(T0 + AT * MINUTE + 5050)
    const { values = [], mean = 0, deviation = 0 } = alerts[0]?.series ?? {}
    expect(values.at(-1)).toBe(Math.max(...values))
    expect(values.at(-1)).toBeGreaterThan(mean + 3 * deviation)
  })

  it('raises a "Rush orders" alert when many buy orders fill while the price rises', () => {
    const fills = burst(60, (i) => ({
      at: T0 + AT * MINUTE + 5000 + 100 * Math.floor(i / 3),
      price: last.price * (1 + 0.002 * i),
      amount: 50,
      takerSide: 'buy',
    }))
    const alerts = near(getAlerts(run([...withClock(before), ...fills])))
    expect(types(alerts)).toContain('Rush orders (beta)')
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
    const jump = burst(5, () => ({ price: last.price * 1.03 })).flatMap(change)
    const clock: EngineEvent = { type: 'clock', at: T0 + (AT + 1) * MINUTE + 1000 }
    expect(near(getAlerts(run([...withClock(before), ...jump, clock])))).toEqual([])
  })

  it('closes minutes of a market whose first trades are older than the current minute', () => {
    const engine = createEngine()
    const at = (minutes: number) => T0 + minutes * MINUTE
    const first = { ...last, number: 1, at: at(5) }
    const events: EngineEvent[] = [
      { type: 'clock', at: at(10) + 5000 },
      first,
      { ...first, number: 2, at: at(10.5) },
      { type: 'clock', at: at(11) + 1000 },
      { ...first, number: 3, at: at(11.5) },
      { type: 'clock', at: at(12) + 1000 },
    ]
    for (const event of events) engine.step(event)
    const [{ bars, statistics }] = Object.values(JSON.parse(engine.snapshot()).markets) as [Market]
    expect([bars.minute, bars.late, statistics.seen]).toEqual([at(12), 1, 1])
  })

  it('raises nothing after three hours without trades until the windows are full again', () => {
    const later = burst(5, () => ({ price: last.price * 1.03, at: last.at + 3 * 3_600_000 }))
    expect(getAlerts(run([...withClock(before), ...later])).filter(({ observedAt }) => observedAt > last.at)).toEqual(
      [],
    )
  })
})

describe('every alert of the engine', () => {
  const settings = { ...defaultSettings, shortHorizonSeconds: 300 }
  const busy = [calm, ...others].map((candles, i) => louder(move(candles, AT + 3 * i, 1.02), AT, AT + 9, 15))
  const alerts = getAlerts(run(inOrder(...busy), settings))

  it('has a prediction that the specification allows', () => {
    expect(alerts.length).toBeGreaterThan(5)
    for (const { observedAt, prediction } of alerts) {
      const start = Date.parse(prediction.startsAt)
      expect(start % MINUTE).toBe(0)
      expect(start - observedAt).toBeGreaterThanOrEqual(5000)
      expect(start - observedAt).toBeLessThanOrEqual(120_000)
      expect([300, 3600]).toContain(prediction.horizonSeconds)
      const slack = Date.parse(prediction.resolveBy) - start - 1000 * prediction.horizonSeconds
      expect(slack).toBe(900_000)
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
    const short = alerts.filter(({ prediction }) => prediction.horizonSeconds === 300)
    expect(short).toHaveLength(alerts.length / 2)
    expect(short.every(({ anomalyType }) => anomalyType.endsWith(', 5 min'))).toBe(true)
  })
})

describe('engine: outcomes', () => {
  const events = inOrder(move(calm, AT, 0.97))
  const findings = run(events)
  const first = near(getAlerts(findings))[0] as Alert

  it('are due once, when the horizon has ended', () => {
    const due = findings.filter(({ type, id }) => type === 'due' && id === first.id)
    expect(due).toHaveLength(1)
    const end = Date.parse(first.prediction.startsAt) + 3_600_000
    const cut = events.filter((event) => event.type === 'clock' && event.at < end + 1000)
    const engine = createEngine()
    const early = events
      .slice(0, events.indexOf(cut.at(-1) as EngineEvent) + 1)
      .flatMap((event) => [...engine.step(event)])
    expect(early.some(({ type, id }) => type === 'due' && id === first.id)).toBe(false)
    expect(engine.step({ type: 'clock', at: end + 1000 }).some(({ id }) => id === first.id)).toBe(true)
  })

  it('are learnt once for each verdict, and never for void or unknown ones', () => {
    const engine = createEngine()
    for (const event of events) engine.step(event)
    const judged = () => JSON.parse(engine.snapshot()).confidence.judged.length
    engine.step({ type: 'outcome', id: 'unknown', verdict: 'came-true' })
    expect(judged()).toBe(0)
    engine.step({ type: 'outcome', id: first.id, verdict: 'came-true' })
    engine.step({ type: 'outcome', id: first.id, verdict: 'came-true' })
    expect(judged()).toBe(1)
    const second = getAlerts(findings).find(({ id }) => id !== first.id)
    engine.step({ type: 'outcome', id: second?.id ?? '', verdict: 'void' })
    expect(judged()).toBe(1)
  })
})

describe('engine: replay', () => {
  /** Creates a day and a half of candles, ticks, gaps, duplicates and clock ticks. */
  function mixture(): EngineEvent[] {
    const random = getRandom(99)
    const jumpy = louder(move(calm, AT, 0.97), AT, AT + 5, 20)
    const ticks = getTicks(jumpy.map((candle) => ({ ...candle, market: 'XRP/USDT' })))
    const candles = others.slice(0, 2).map((list, i) => move(list, AT + i, 0.98))
    return jumpy.flatMap((candle, i): EngineEvent[] => {
      const own = ticks.slice(4 * i, 4 * i + 4)
      const twice = random() < 0.1 ? own.slice(0, 2) : []
      const gap: EngineEvent[] =
        random() < 0.001
          ? [{ type: 'gap', venue: 'simulated', market: 'XRP/USDT', from: candle.at, to: candle.at + 5 }]
          : []
      const minute: Candle[] = [candle, ...candles.flatMap((list) => list[i] ?? [])]
      return [...own, ...twice, ...gap, ...minute, { type: 'clock', at: candle.at + MINUTE + 1000 }]
    })
  }
  const events = mixture().slice(0, 9 * (AT + 120))

  /**
   * Runs the events, and reports the outcome of each due prediction immediately, as a source would.
   */
  function replay(engine: ReturnType<typeof createEngine>, list: readonly EngineEvent[]): string {
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

  const whole = createEngine()
  const output = replay(whole, events)

  /** A second engine that replays the same events. A snapshot is taken at each cut. */
  const again = createEngine()
  const cuts = [1, 5000, 9 * AT - 13, 9 * AT, 9 * AT + 4, 9 * AT + 300]
  let outputAgain = ''
  const snapshots = cuts.map((cut, index) => {
    outputAgain += replay(again, events.slice(cuts[index - 1] ?? 0, cut))
    return { cut, before: outputAgain, snapshot: again.snapshot() }
  })
  outputAgain += replay(again, events.slice(cuts.at(-1)))

  it('produces the same bytes when it runs again', () => {
    expect(outputAgain).toBe(output)
    expect(again.snapshot()).toBe(whole.snapshot())
    expect(output.length).toBeGreaterThan(1000)
  })

  it.each(snapshots)(
    'produces the same bytes when restored from a snapshot after $cut events',
    ({ cut, before, snapshot }) => {
      const restored = createEngine(defaultSettings, snapshot)
      expect(restored.snapshot()).toBe(snapshot)
      expect(before + replay(restored, events.slice(cut))).toBe(output)
      expect(restored.snapshot()).toBe(whole.snapshot())
    },
  )

  it('does not depend on the order of markets within a minute', () => {
    const lists = [calm, ...others].map((candles, i) => louder(move(candles, AT + i, 0.98), AT, AT + 5, 12))
    const forward = getAlerts(run(inOrder(...lists)))
    expect(getAlerts(run(inOrder(...[...lists].reverse())))).toEqual(forward)
  })

  it('has constant memory for each market', () => {
    const engine = createEngine()
    const sizes = [0, 1].map((day) => {
      for (const event of inOrder(calm).slice(2 * day * DAY, 2 * (day + 1) * DAY)) engine.step(event)
      return engine.snapshot().length
    })
    expect(sizes[1]).toBeLessThan(1.25 * (sizes[0] ?? 0))
  })
})
