import type { Priority, Signal, SignalSeries } from '@tocsin/protocol'

/** Random numbers in [0, 1). */
export type Random = () => number

interface Draw {
  pick<T>(choices: readonly [T, ...T[]]): T
  /**
   * A number between `low` and `high` that grows with the anomaly's strength, as text with this
   * many decimals.
   */
  scaled(low: number, high: number, decimals: number): string
  between(low: number, high: number, decimals: number): string
}

/**
 * The summary of an anomaly and the series to chart: mean and deviation before it, its peak, and
 * the level after it.
 */
interface Description {
  summary: string
  unit: string
  decimals: number
  mean: number
  deviation: number
  peak: number
  after: number
}

interface Anomaly {
  type: string
  regimes: readonly [string, ...string[]]
  describe(draw: Draw, base: string): Description
}

const assets = ['BTC', 'ETH', 'SOL', 'AVAX', 'LINK', 'BNB', 'XRP', 'ARB', 'OP', 'DOGE'] as const
const venueCounts = ['two', 'three', 'four'] as const

/** Anomalies of a market model, with figures that grow with the anomaly's strength. */
const anomalies: readonly [Anomaly, ...Anomaly[]] = [
  {
    type: 'Volume spike',
    regimes: ['High volatility', 'Breakout', 'Trending'],
    describe: (draw) => {
      const times = draw.scaled(2.2, 6.5, 1)
      const summary =
        `Spot volume reached ${times}× its 7-day norm in ${draw.pick(['60', '90', '120'])} s; ` +
        `${draw.pick(['ask', 'bid'])} depth fell ${draw.scaled(12, 55, 0)}%.`
      return { summary, unit: '×', decimals: 2, mean: 1, deviation: 0.18, peak: Number(times), after: 1.7 }
    },
  },
  {
    type: 'Funding flip',
    regimes: ['Crowded positioning', 'Risk-off', 'Trending'],
    describe: (draw) => {
      const before = draw.between(0.004, 0.02, 3)
      const after = draw.scaled(0.008, 0.065, 3)
      const summary =
        `Perpetual funding turned from +${before}% to −${after}% on ` +
        `${draw.pick(venueCounts)} venues within ${draw.between(3, 12, 0)} minutes.`
      const mean = Number(before)
      return {
        summary,
        unit: '%',
        decimals: 4,
        mean,
        deviation: mean / 6,
        peak: -Number(after),
        after: -0.8 * Number(after),
      }
    },
  },
  {
    type: 'Book imbalance',
    regimes: ['Range-bound', 'Low liquidity', 'Mean-reverting'],
    describe: (draw) => {
      const [heavy, light] = draw.pick([['Bids', 'asks'] as const, ['Asks', 'bids'] as const])
      const ratio = draw.scaled(2.1, 5.8, 1)
      const median = draw.between(0.9, 1.4, 1)
      const summary = `${heavy} within 0.5% of mid outweigh ${light} ${ratio} to 1, against a 30-day median of ${median}.`
      const mean = Number(median)
      return { summary, unit: ':1', decimals: 2, mean, deviation: 0.2, peak: Number(ratio), after: mean * 1.5 }
    },
  },
  {
    type: 'Correlation break',
    regimes: ['Decoupling', 'Rotation', 'Range-bound'],
    describe: (draw, base) => {
      const fallen = draw.scaled(0.48, 0.06, 2)
      const low = draw.between(0.52, 0.62, 2)
      const high = draw.between(0.88, 0.96, 2)
      const summary =
        `One-hour correlation with ${base === 'ETH' ? 'BTC' : 'ETH'} fell to ${fallen}; ` +
        `the 90-day range is ${low} to ${high}.`
      const mean = (Number(low) + Number(high)) / 2
      const deviation = (Number(high) - Number(low)) / 5
      return { summary, unit: '', decimals: 2, mean, deviation, peak: Number(fallen), after: Number(fallen) + 0.08 }
    },
  },
  {
    type: 'Price dislocation',
    regimes: ['Low liquidity', 'Mean-reverting', 'High volatility'],
    describe: (draw) => {
      const gap = draw.scaled(0.5, 1.9, 1)
      const side = draw.pick(['under', 'over'])
      const sign = side === 'under' ? -1 : 1
      const seconds = draw.between(40, 150, 0)
      const venues = draw.pick(venueCounts)
      const rest = draw.between(0.1, 0.3, 1)
      const summary = `Spot traded ${gap}% ${side} the perpetual for ${seconds} s on ${venues} venues, then closed to ${rest}%.`
      return {
        summary,
        unit: '%',
        decimals: 2,
        mean: 0,
        deviation: 0.07,
        peak: sign * Number(gap),
        after: sign * Number(rest),
      }
    },
  },
  {
    type: 'Liquidation cluster',
    regimes: ['High volatility', 'Risk-off', 'Deleveraging'],
    describe: (draw) => {
      const side = draw.pick(['Long', 'Short'])
      const millions = draw.scaled(3, 48, 1)
      const summary =
        `${side} liquidations reached $${millions} M in ` +
        `${draw.between(4, 15, 0)} minutes; open interest fell ${draw.scaled(1.5, 9.5, 1)}%.`
      const peak = Number(millions)
      return { summary, unit: 'M$', decimals: 2, mean: peak / 14, deviation: peak / 40, peak, after: peak / 4 }
    },
  },
  {
    type: 'Volatility shift',
    regimes: ['Breakout', 'High volatility', 'Compression'],
    describe: (draw) => {
      const before = draw.between(28, 44, 0)
      const after = draw.scaled(52, 118, 0)
      const summary =
        `Realized volatility rose from ${before}% to ${after}% annualized within an hour; ` +
        `implied volatility moved ${draw.between(1, 6, 1)} points.`
      const peak = Number(after)
      return { summary, unit: '%', decimals: 1, mean: Number(before), deviation: 2.5, peak, after: peak * 0.95 }
    },
  },
  {
    type: 'Spread widening',
    regimes: ['Low liquidity', 'Risk-off', 'Range-bound'],
    describe: (draw) => {
      const times = draw.scaled(2.5, 9.5, 1)
      const summary =
        `Top-of-book spread widened to ${times}× its one-day median on ${draw.pick(venueCounts)} ` +
        `venues for ${draw.between(2, 9, 0)} minutes.`
      return { summary, unit: '×', decimals: 2, mean: 1, deviation: 0.22, peak: Number(times), after: 2.1 }
    },
  },
]

/**
 * A signal as a market model would send it at that moment: drawn, not observed. The same draws make
 * the same signal.
 */
export function makeSignal(random: Random, at: Date): Signal {
  // Squared, so that strong anomalies are rare.
  const strength = random() ** 2
  const draw = createDraw(random, strength)
  const base = assets[Math.floor(random() * assets.length)] ?? 'BTC'
  const anomaly = draw.pick(anomalies)
  const mark = Math.floor(random() * 0xffff_ffff)
  const told = anomaly.describe(draw, base)
  return {
    id: `demo-${at.getTime().toString(36)}-${mark.toString(16).padStart(8, '0')}`,
    asset: `${base}/USDT`,
    anomalyType: anomaly.type,
    confidence: Math.round((71 + 24 * strength + 4 * random()) * 10) / 10,
    regime: draw.pick(anomaly.regimes),
    summary: told.summary,
    priority: priorityOf(strength),
    observedAt: at.toISOString(),
    series: makeSeries(random, told),
  }
}

const BEFORE = 60
const AFTER = 12
const STEP_SECONDS = 15

/**
 * A quarter of an hour of noise around the mean, the jump, and three minutes in which it settles.
 */
function makeSeries(random: Random, { unit, decimals, mean, deviation, peak, after }: Description): SignalSeries {
  let drift = 0
  // Autocorrelated noise, as in markets: half of each step's noise carries over.
  const noise = () => {
    drift = drift / 2 + (random() + random() + random() - 1.5) * deviation * 0.9
    return drift
  }
  const usual = Array.from({ length: BEFORE }, () => mean + noise())
  const settling = Array.from({ length: AFTER }, (_, step) => after + (peak - after) * 0.62 ** (step + 1) + noise())
  return {
    unit,
    stepSeconds: STEP_SECONDS,
    values: [...usual, peak, ...settling].map((value) => Number(value.toFixed(decimals))),
    triggerIndex: BEFORE,
    mean: Number(mean.toFixed(decimals)),
    deviation: Number(deviation.toFixed(decimals + 1)),
  }
}

function createDraw(random: Random, strength: number): Draw {
  const format = (value: number, decimals: number) => value.toFixed(decimals)
  return {
    pick: (choices) => choices[Math.floor(random() * choices.length)] ?? choices[0],
    between: (low, high, decimals) => format(low + (high - low) * random(), decimals),
    scaled: (low, high, decimals) => {
      const share = Math.min(1, Math.max(0, strength + (random() - 0.5) * 0.2))
      return format(low + (high - low) * share, decimals)
    },
  }
}

function priorityOf(strength: number): Priority {
  if (strength > 0.88) return 'critical'
  if (strength > 0.6) return 'high'
  return strength > 0.2 ? 'medium' : 'low'
}
