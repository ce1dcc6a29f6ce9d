import { describe, expect, it } from 'vitest'
import { createCalmCandles, mergeByTime, movePrice, multiplyVolume, run, T0 } from '../test/support/engine-test-bed.ts'
import { DAY_MS } from './durations.ts'
import { createEngine, type Engine } from './engine.ts'
import { ANOMALY_TYPES, type Finding } from './finding.ts'
import { defaultSettings, type Settings } from './settings.ts'
import {
  COUNTED_DAYS,
  type CountedKind,
  countAlerts,
  countMinute,
  createCounts,
  TRIED_THRESHOLDS,
} from './threshold-counts.ts'
import type { EngineEvent } from './tick.ts'

const DAYS = 3
const LENGTH = DAYS * 1440
const eventfulMarket = multiplyVolume(
  movePrice(movePrice(createCalmCandles('BTC/USDT', LENGTH, 1), 2_200, 0.97), 3_300, 1.03, 50),
  2_800,
  2_806,
  20,
)
const singleMarketEvents = mergeByTime(eventfulMarket)
const severalMarketEvents = mergeByTime(
  ...['BTC/USDT', 'ETH/USDT', 'SOL/USDT'].map((market, i) =>
    movePrice(movePrice(createCalmCandles(market, LENGTH, 1 + i), 2_200, 0.97), 3_300, 1.01, 3),
  ),
)

function runEvents(
  events: readonly EngineEvent[],
  settings: Settings = defaultSettings,
  engine = createEngine(settings),
) {
  const findings = events.flatMap((event) => [...engine.step(event)])
  return { engine, findings }
}

const getPeaks = (engine: Engine, kind: CountedKind, threshold: number) => {
  const { assets, triedThresholds } = engine.overview()
  return assets.reduce((sum, { peaks }) => sum + (peaks[kind][triedThresholds.indexOf(threshold)] ?? 0), 0)
}

const getAlerts = (findings: readonly Finding[], kind: CountedKind) =>
  findings.filter((finding) => finding.type === 'alert' && finding.anomalyType === ANOMALY_TYPES[kind]).length

describe('threshold counts: alerts that other thresholds would have raised', () => {
  const singleMarketEngine = runEvents(singleMarketEvents).engine
  const severalMarketEngine = runEvents(severalMarketEvents).engine

  it.each([1.5, 2.2, 2.7, 2.8, 3.3])('counts the alerts that an engine with the threshold %d raises', (threshold) => {
    const settings = { ...defaultSettings, price: threshold, volume: threshold, volatility: threshold }
    const findings = run(singleMarketEvents, settings)
    for (const kind of ['price', 'volume', 'volatility'] as const) {
      expect([kind, getPeaks(singleMarketEngine, kind, threshold)]).toEqual([kind, getAlerts(findings, kind)])
    }
  })

  it.each([1.5, 2.9, 3.5])('counts market-wide moves as an engine with the threshold %d raises them', (threshold) => {
    const findings = run(severalMarketEvents, { ...defaultSettings, marketWide: threshold })
    expect(getPeaks(severalMarketEngine, 'marketWide', threshold)).toBe(getAlerts(findings, 'marketWide'))
  })

  it('does not count alerts that a market-wide alert has suppressed', () => {
    const { engine, findings } = runEvents(severalMarketEvents)
    for (const kind of ['price', 'volume', 'volatility'] as const) {
      expect(getPeaks(engine, kind, defaultSettings[kind])).toBe(getAlerts(findings, kind))
    }
    expect(getAlerts(findings, 'marketWide')).toBeGreaterThan(0)
  })

  it('counts fewer alerts at a higher threshold, and returns the configured thresholds', () => {
    expect(getPeaks(singleMarketEngine, 'price', 1.5)).toBeGreaterThan(getPeaks(singleMarketEngine, 'price', 2.7))
    expect(getPeaks(singleMarketEngine, 'price', 2.7)).toBeGreaterThan(0)
    expect(singleMarketEngine.overview().thresholds).toEqual({
      price: 2.7,
      volume: 2.8,
      volatility: 2.2,
      marketWide: 2.9,
    })
  })
})

describe('threshold counts: state', () => {
  it('continues from a snapshot as if the engine had not stopped', () => {
    const { engine } = runEvents(severalMarketEvents)
    const first = runEvents(severalMarketEvents.slice(0, 9_000)).engine
    const secondEngine = runEvents(
      severalMarketEvents.slice(9_000),
      defaultSettings,
      createEngine(defaultSettings, first.snapshot()),
    ).engine
    expect(secondEngine.overview()).toEqual(engine.overview())
    expect(secondEngine.snapshot()).toBe(engine.snapshot())
  })

  it('does not affect alerts: an engine that is restored without the counts raises the same alerts', () => {
    const { tally: _, ...state } = JSON.parse(runEvents(severalMarketEvents.slice(0, 9_000)).engine.snapshot())
    const engineWithoutCounts = createEngine(defaultSettings, JSON.stringify(state))
    const allFindings = runEvents(severalMarketEvents).findings
    const remainingFindings = runEvents(severalMarketEvents.slice(9_000), defaultSettings, engineWithoutCounts).findings
    expect(remainingFindings.length).toBeGreaterThan(0)
    expect(remainingFindings).toEqual(allFindings.slice(-remainingFindings.length))
  })

  it('counts the alerts of each asset per day, and keeps the time of the asset’s last critical alert', () => {
    const { engine, findings } = runEvents(severalMarketEvents)
    const alerts = findings.flatMap((finding) => (finding.type === 'alert' ? [finding] : []))
    const { assets, days } = engine.overview()
    expect(days.map(({ start }) => start).slice(-1 - DAYS)).toEqual([0, 1, 2, 3].map((day) => T0 + day * DAY_MS))
    for (const { asset, alerts: counts, criticalAt } of assets) {
      const assetAlerts = alerts.filter((alert) => alert.asset === asset)
      const alertsPerDay = days.map(
        ({ start }) => assetAlerts.filter(({ observedAt: at }) => at >= start && at < start + DAY_MS).length,
      )
      expect([asset, counts]).toEqual([asset, alertsPerDay])
      expect(criticalAt).toBe(assetAlerts.filter(({ priority }) => priority === 'critical').at(-1)?.observedAt ?? 0)
    }
    expect(assets.map(({ asset }) => asset)).toEqual(['BTC/USDT', 'ETH/USDT', 'Market', 'SOL/USDT'])
  })

  it('deletes expired cool-downs, and days before the last seven', () => {
    const counts = createCounts()
    for (let day = 0; day < 20; day++) {
      const at = T0 + day * DAY_MS
      countAlerts(counts, at, 'BTC/USDT', 1)
      counts.coolDowns[0] = { ...counts.coolDowns[0], [day]: { until: at, strength: 1 } }
      countMinute(counts, at)
    }
    expect(counts.days.map(({ start }) => start)).toEqual(
      Array.from({ length: COUNTED_DAYS }, (_, i) => T0 + (13 + i) * DAY_MS),
    )
    expect(counts.coolDowns).toEqual(TRIED_THRESHOLDS.map(() => ({})))
  })

  it('is empty before the first event', () => {
    expect(createEngine().overview()).toMatchObject({ days: [], assets: [] })
  })
})
