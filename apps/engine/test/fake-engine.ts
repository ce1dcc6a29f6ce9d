import type { EngineEvent, Prediction, Venue } from '@tocsin/engine'
import type { Model } from '@tocsin/proof'
import type { EvaluatePrediction } from '../src/outcomes.ts'
import type { CreateEngine } from '../src/parts.ts'

interface State {
  /** A sum that every tick changes, so that a lost or repeated event changes all later alerts. */
  sum: number
  lastAlert: number
  log: string[]
}

export const model: Model = { name: 'stand-in', version: '1', settingsHash: `0x${'00'.repeat(32)}` }

/**
 * A small deterministic engine: it raises an alert for each tick whose number is divisible by
 * `every`. The summary of an alert depends on all input so far, so tests detect lost or repeated
 * events.
 */
export function createFakeEngine(every = 10): CreateEngine {
  return (snapshot) => {
    const state: State = snapshot === undefined ? { sum: 0, lastAlert: 0, log: [] } : JSON.parse(snapshot)
    return {
      step(event: EngineEvent) {
        if (event.type === 'gap') state.log.push(`gap ${event.market}`)
        if (event.type === 'outcome') state.log.push(`${event.id} ${event.verdict}`)
        if (event.type !== 'tick') return []
        state.sum = (state.sum * 31 + event.number + event.at) % 1_000_003
        if (event.number % every !== 0) return []
        return [
          {
            type: 'alert',
            id: `${event.venue}-${event.market}-${event.number}`,
            asset: event.market,
            anomalyType: 'Price move',
            confidence: 43.5,
            regime: 'Calm',
            summary: `State ${state.sum}, learnt ${state.log.filter((line) => line.includes('came')).length}`,
            priority: 'low',
            observedAt: event.at,
            series: { values: [1, 2], stepSeconds: 60, triggerIndex: 1, mean: 1, deviation: 0.5, unit: '%' },
            prediction: getPrediction(event.venue, event.market, event.at),
          },
        ]
      },
      snapshot: () => JSON.stringify(state),
      keepMarkets: () => [],
      setBack() {},
      overview: () => ({
        days: [],
        assets: [],
        triedThresholds: [],
        thresholds: { price: 2.7, volume: 2.8, volatility: 2.2, marketWide: 2.9 },
      }),
    }
  }
}

export function getPrediction(venue: Venue, market: string, observedAt: number): Prediction {
  const startsAt = Math.ceil((observedAt + 5_000) / 60_000) * 60_000
  return {
    metric: 'maxExcursion',
    comparison: 'gte',
    threshold: 1.4,
    venue,
    market: venue === 'binance' ? market.replace('/', '') : market.replace('/', '-'),
    candleSeconds: 60,
    startsAt: new Date(startsAt).toISOString(),
    horizonSeconds: 300,
    resolveBy: new Date(startsAt + 1_200_000).toISOString(),
  }
}

/**
 * Decides a prediction by a simplified rule that only counts candles. The real rule is in another
 * package.
 */
export const fakeEvaluate: EvaluatePrediction = ({ startsAt, horizonSeconds }, candles) => {
  const start = Date.parse(startsAt) / 1_000
  const times = new Set(candles.map(([openTime]) => openTime))
  const missing = Array.from({ length: horizonSeconds / 60 }, (_, index) => start + 60 * index).filter(
    (at) => !times.has(at),
  )
  const isVoid = missing.length > horizonSeconds / 300
  return {
    verdict: isVoid ? 'void' : 'came-true',
    measured: isVoid ? null : String(candles.length),
    voidReason: isVoid ? 'missing-candles' : null,
    missing,
  }
}

export const fakeParts = { createEngine: createFakeEngine(10), model, modelSettings: '{}\n', evaluate: fakeEvaluate }
