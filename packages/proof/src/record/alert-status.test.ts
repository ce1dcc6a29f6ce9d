import { describe, expect, it } from 'vitest'
import vectors from '../vectors/predictions.json'
import { getStatus, isCounted, type KnownPrediction, type StatusFacts } from './alert-status.ts'
import type { Verdict } from './metrics.ts'
import { formatShare } from './percent.ts'
import type { Prediction } from './prediction.ts'

const { asOf, publicDelay, alerts, rates } = vectors.status
const asOfTimes = { blockMs: asOf * 1000, publicDelayMs: publicDelay * 1000 }
const toIso = (seconds: number) => new Date(seconds * 1000).toISOString()

function createFacts(alert: (typeof alerts)[number]['alert']): StatusFacts {
  const prediction: Prediction = {
    metric: 'maxExcursion',
    comparison: 'gte',
    threshold: 1.4,
    venue: 'binance',
    market: 'BTCUSDT',
    candleSeconds: 60,
    startsAt: toIso(alert.startsAt),
    horizonSeconds: alert.horizon,
    resolveBy: toIso(alert.resolveBy),
  }
  const predictionsByName: Record<string, KnownPrediction> = { good: prediction, missing: 'missing', none: 'none' }
  const { outcome } = alert
  return {
    createdMs: alert.createdAt * 1000,
    prediction: alert.public ? (predictionsByName[alert.message] ?? 'missing') : 'hidden',
    anchoredMs: alert.anchoredAt * 1000,
    outcome: outcome && {
      createdMs: outcome.createdAt * 1000,
      verdict: outcome.verdict as Verdict,
      isValid: outcome.follows,
      isDisputed: 'disputed' in alert && alert.disputed === true,
    },
  }
}

const [first] = alerts
if (!first) throw new Error('There are alerts')
const goodFacts = createFacts(first.alert)
const startMs = first.alert.startsAt * 1000
const anchorLimitMs = startMs + 360_000

describe('getStatus', () => {
  it.each(alerts)('returns the status $status for an alert of the test vectors: $says', ({ alert, status }) => {
    expect(getStatus(createFacts(alert), asOfTimes)).toBe(status)
  })

  it.each<[name: string, change: Partial<StatusFacts>, status: string]>([
    ['an alert without an anchor', { anchoredMs: null }, 'late'],
    ['an alert anchored a millisecond after the limit', { anchoredMs: anchorLimitMs + 1 }, 'late'],
    ['an alert signed at its start', { createdMs: startMs }, 'true'],
    ['an alert signed a millisecond after its start', { createdMs: startMs + 1 }, 'late'],
    ['a prediction that breaks a rule', { prediction: 'malformed' }, 'invalid'],
    ['hidden content without an anchor', { prediction: 'hidden', anchoredMs: null }, 'pending'],
    [
      'content hidden for exactly the public delay and a day',
      { prediction: 'hidden', anchoredMs: asOfTimes.blockMs - 2 * 86_400_000 },
      'pending',
    ],
    [
      'content hidden for longer than the public delay and a day',
      { prediction: 'hidden', anchoredMs: asOfTimes.blockMs - 2 * 86_400_000 - 1 },
      'withheld',
    ],
  ])('for %s (%j) is %s', (_, change, status) => {
    expect(getStatus({ ...goodFacts, ...change }, asOfTimes)).toBe(status)
  })

  it('is open until the time of resolveBy', () => {
    const resolveMs = first.alert.resolveBy * 1000
    expect(getStatus(goodFacts, { ...asOfTimes, blockMs: resolveMs - 1 })).toBe('open')
    expect(getStatus(goodFacts, { ...asOfTimes, blockMs: resolveMs })).toBe('true')
  })

  it('accepts an outcome at the time of resolveBy', () => {
    const outcome = goodFacts.outcome && { ...goodFacts.outcome, createdMs: first.alert.resolveBy * 1000 }
    expect(getStatus({ ...goodFacts, outcome }, asOfTimes)).toBe('true')
  })

  it('tolerates an anchor 120 seconds after the start of a short horizon', () => {
    if (typeof goodFacts.prediction !== 'object') throw new Error('The alert has a prediction')
    const prediction = { ...goodFacts.prediction, horizonSeconds: 300 }
    expect(getStatus({ ...goodFacts, prediction, anchoredMs: startMs + 120_000 }, asOfTimes)).toBe('true')
    expect(getStatus({ ...goodFacts, prediction, anchoredMs: startMs + 120_001 }, asOfTimes)).toBe('late')
  })
})

describe('predictions.json', () => {
  it('has the rates that follow from its statuses', () => {
    const statuses = alerts.map(({ alert }) => getStatus(createFacts(alert), asOfTimes))
    const n = statuses.filter(isCounted).length
    const trueCount = statuses.filter((status) => status === 'true').length
    const voidCount = statuses.filter((status) => status === 'void').length
    const [strictRate, rateWithoutVoid] = [trueCount / n, trueCount / (n - voidCount)]
    expect({ n, true: trueCount, void: voidCount, strict: strictRate, second: rateWithoutVoid }).toEqual(rates)
    expect([formatShare(trueCount, n), formatShare(trueCount, n - voidCount)]).toEqual(['21.4', '23.1'])
  })
})
