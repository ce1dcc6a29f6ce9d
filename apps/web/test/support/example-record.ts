import type { PublicRecord } from '../../src/features/record/record-texts.ts'

type Figures = PublicRecord['overall']

const noStatuses: Figures['statuses'] = {
  true: 0,
  false: 0,
  void: 0,
  overdue: 0,
  late: 0,
  withheld: 0,
  invalid: 0,
  disputed: 0,
  open: 0,
  pending: 0,
  'no-prediction': 0,
}

const createRate = (count: number, n: number) => ({ n, count, rate: n === 0 ? null : count / n })

/** Figures in which `count` of `n` alerts came true. */
export function createExampleFigures(count: number, n: number, change: Partial<Figures> = {}): Figures {
  const { statuses, ...rest } = change
  const baseRate = n === 0 ? null : 0.07
  return {
    statuses: { ...noStatuses, true: count, false: n - count, ...statuses },
    strict: createRate(count, n),
    second: createRate(count, n),
    interval: n === 0 ? null : [Math.max(0, count / n - 0.04), Math.min(1, count / n + 0.04)],
    designEffect: 1.25,
    effectiveN: n / 1.25,
    witnessed: createRate(Math.max(0, count - 2), n),
    episodes: createRate(Math.round(count * 0.8), Math.round(n * 0.8)),
    timesNotProven: 0,
    baseRate,
    withoutControls: 0,
    lift: baseRate === null ? null : { lift: count / n / baseRate, low: 5.6, high: 6.5 },
    meanConfidence: n === 0 ? null : 41.7,
    alertsPerAssetDay: n === 0 ? null : 1.27,
    unknownVenues: [],
    ...rest,
  }
}

/**
 * For each bin: confidence in percent, number of alerts, number of alerts that came true, and half
 * the width of the chance band.
 */
const binValues = [
  [16.2, 62, 10, 0.09],
  [25.4, 171, 44, 0.065],
  [34.9, 318, 112, 0.052],
  [44.8, 342, 155, 0.052],
  [54.9, 213, 119, 0.066],
  [64.1, 79, 56, 0.105],
  [73.2, 28, 24, 0.164],
] as const

/** A record of 1,224 counted alerts, for tests. */
export function createExampleRecord(change: Partial<PublicRecord> = {}): PublicRecord {
  const hash = `0x${'2f'.repeat(32)}`
  return {
    origin: 'feed',
    asOf: { size: 2498, at: '2026-11-22T13:17:00.000Z', blockNumber: 71_205_007, blockHash: `0x${'ab'.repeat(32)}` },
    publicDelayHours: 24,
    firstEntryAt: '2026-08-25T08:00:00.000Z',
    overall: createExampleFigures(520, 1224, {
      statuses: { ...noStatuses, true: 520, false: 693, void: 9, overdue: 2, open: 1, pending: 3, 'no-prediction': 41 },
      second: createRate(520, 1215),
    }),
    coverage: createRate(1224, 1265),
    calibration: {
      n: 1213,
      brier: 0.224,
      referenceBrier: 0.2452,
      skill: 0.0865,
      ece: 0.0112,
      spiegelhalterZ: -0.68,
      bins: binValues.map(([shown, n, count, half]) => ({
        from: Math.floor(shown / 10) * 10,
        n,
        shown: shown / 100,
        cameTrue: count / n,
        chanceBand: [Math.max(0, shown / 100 - half), Math.min(1, shown / 100 + half)],
      })),
      leftOut: 11,
      resolved: [
        { model: 'engine', anomalyType: 'Price move', resolved: 418 },
        { model: 'engine', anomalyType: 'Market-wide', resolved: 38 },
      ],
    },
    recent: { since: '2026-10-23T13:17:00.000Z', fromIndex: 1890, figures: createExampleFigures(131, 300) },
    by: {
      type: [
        { key: 'Market-wide', figures: createExampleFigures(17, 38) },
        { key: 'Price move', figures: createExampleFigures(166, 420) },
        { key: 'Rush orders', figures: createExampleFigures(4, 12) },
      ],
      asset: [{ key: 'BTC/USDT', figures: createExampleFigures(520, 1224) }],
      priority: [{ key: 'high', figures: createExampleFigures(520, 1224) }],
      regime: [{ key: 'Turbulent, trend down', figures: createExampleFigures(520, 1224) }],
      model: [
        { key: { name: 'engine', version: '1.4.0', settingsHash: hash }, figures: createExampleFigures(135, 306) },
      ],
      month: [
        { key: '2026-10', figures: createExampleFigures(181, 421) },
        { key: '2026-11', figures: createExampleFigures(135, 306) },
      ],
    },
    ...change,
  }
}

/** A record whose alerts have no outcome yet. */
export function createExampleEmptyRecord(): PublicRecord {
  const overall = createExampleFigures(0, 0, { statuses: { ...noStatuses, open: 2, pending: 5 } })
  return createExampleRecord({ overall })
}
