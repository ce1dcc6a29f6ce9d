import type { Priority, Signal } from '@tocsin/protocol'

/** Numbers from 0 up to, not including, 1. */
export type Random = () => number

interface Draw {
  pick<T>(choices: readonly [T, ...T[]]): T
  /** Between both, at a strength from 0 to 1 with some chance in it, as text with so many decimals. */
  scaled(low: number, high: number, decimals: number): string
  between(low: number, high: number, decimals: number): string
}

interface Anomaly {
  type: string
  regimes: readonly [string, ...string[]]
  summarize(draw: Draw, base: string): string
}

const assets = ['BTC', 'ETH', 'SOL', 'AVAX', 'LINK', 'BNB', 'XRP', 'ARB', 'OP', 'DOGE'] as const
const venueCounts = ['two', 'three', 'four'] as const

/** What a market model would call out, with figures that grow with how strong the anomaly is. */
const anomalies: readonly [Anomaly, ...Anomaly[]] = [
  {
    type: 'Volume spike',
    regimes: ['High volatility', 'Breakout', 'Trending'],
    summarize: (draw) =>
      `Spot volume reached ${draw.scaled(2.2, 6.5, 1)}× its 7-day norm in ${draw.pick(['60', '90', '120'])} s; ` +
      `${draw.pick(['ask', 'bid'])} depth fell ${draw.scaled(12, 55, 0)}%.`,
  },
  {
    type: 'Funding flip',
    regimes: ['Crowded positioning', 'Risk-off', 'Trending'],
    summarize: (draw) =>
      `Perpetual funding turned from +${draw.between(0.004, 0.02, 3)}% to −${draw.scaled(0.008, 0.065, 3)}% on ` +
      `${draw.pick(venueCounts)} venues within ${draw.between(3, 12, 0)} minutes.`,
  },
  {
    type: 'Book imbalance',
    regimes: ['Range-bound', 'Low liquidity', 'Mean-reverting'],
    summarize: (draw) => {
      const [heavy, light] = draw.pick([['Bids', 'asks'] as const, ['Asks', 'bids'] as const])
      return (
        `${heavy} within 0.5% of mid outweigh ${light} ${draw.scaled(2.1, 5.8, 1)} to 1, ` +
        `against a 30-day median of ${draw.between(0.9, 1.4, 1)}.`
      )
    },
  },
  {
    type: 'Correlation break',
    regimes: ['Decoupling', 'Rotation', 'Range-bound'],
    summarize: (draw, base) =>
      `One-hour correlation with ${base === 'ETH' ? 'BTC' : 'ETH'} fell to ${draw.scaled(0.48, 0.06, 2)}; ` +
      `the 90-day range is ${draw.between(0.52, 0.62, 2)} to ${draw.between(0.88, 0.96, 2)}.`,
  },
  {
    type: 'Price dislocation',
    regimes: ['Low liquidity', 'Mean-reverting', 'High volatility'],
    summarize: (draw) =>
      `Spot traded ${draw.scaled(0.5, 1.9, 1)}% ${draw.pick(['under', 'over'])} the perpetual for ` +
      `${draw.between(40, 150, 0)} s on ${draw.pick(venueCounts)} venues, then closed to ${draw.between(0.1, 0.3, 1)}%.`,
  },
  {
    type: 'Liquidation cluster',
    regimes: ['High volatility', 'Risk-off', 'Deleveraging'],
    summarize: (draw) =>
      `${draw.pick(['Long', 'Short'])} liquidations reached $${draw.scaled(3, 48, 1)} M in ` +
      `${draw.between(4, 15, 0)} minutes; open interest fell ${draw.scaled(1.5, 9.5, 1)}%.`,
  },
  {
    type: 'Volatility shift',
    regimes: ['Breakout', 'High volatility', 'Compression'],
    summarize: (draw) =>
      `Realized volatility rose from ${draw.between(28, 44, 0)}% to ${draw.scaled(52, 118, 0)}% annualized within an hour; ` +
      `implied volatility moved ${draw.between(1, 6, 1)} points.`,
  },
  {
    type: 'Spread widening',
    regimes: ['Low liquidity', 'Risk-off', 'Range-bound'],
    summarize: (draw) =>
      `Top-of-book spread widened to ${draw.scaled(2.5, 9.5, 1)}× its one-day median on ${draw.pick(venueCounts)} ` +
      `venues for ${draw.between(2, 9, 0)} minutes.`,
  },
]

/**
 * A signal as a market model would send it at that moment: drawn, not observed. The same draws make the same signal.
 */
export function makeSignal(random: Random, at: Date): Signal {
  // Squared, so that strong anomalies are rare.
  const strength = random() ** 2
  const draw = createDraw(random, strength)
  const base = assets[Math.floor(random() * assets.length)] ?? 'BTC'
  const anomaly = draw.pick(anomalies)
  const mark = Math.floor(random() * 0xffff_ffff)
  return {
    id: `demo-${at.getTime().toString(36)}-${mark.toString(16).padStart(8, '0')}`,
    asset: `${base}/USDT`,
    anomalyType: anomaly.type,
    confidence: Math.round((71 + 24 * strength + 4 * random()) * 10) / 10,
    regime: draw.pick(anomaly.regimes),
    summary: anomaly.summarize(draw, base),
    priority: priorityOf(strength),
    observedAt: at.toISOString(),
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
