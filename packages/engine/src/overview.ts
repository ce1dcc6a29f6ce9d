import { DAY_MS } from './durations.ts'
import type { Settings } from './settings.ts'
import type { EngineState } from './state.ts'
import { COUNTED_DAYS, COUNTED_KINDS, type CountedKind, TRIED_THRESHOLDS } from './threshold-counts.ts'

interface AssetOverview {
  /** The asset as alerts name it. */
  asset: string
  /** Number of alerts on each of the `days`. */
  alerts: number[]
  /**
   * Event time of the last critical and of the last high alert; 0 for never. These times limit the
   * number of such alerts, see priority.ts.
   */
  criticalAt: number
  highAt: number
  /** Number of alerts on all days that each threshold would have raised, see `triedThresholds`. */
  peaks: Record<CountedKind, number[]>
}

/** The overview of the engine for operators. */
export interface Overview {
  /** UTC days, oldest first; the last one is not over. Empty before the first event. */
  days: { start: number; minutes: number }[]
  /** Sorted by name. */
  assets: AssetOverview[]
  triedThresholds: readonly number[]
  /** The thresholds in use. */
  thresholds: Record<CountedKind, number>
}

export function createOverview(state: EngineState, settings: Settings): Overview {
  const { price, volume, volatility, marketWide } = settings
  const today = state.now - (state.now % DAY_MS)
  const firstDay = today - (COUNTED_DAYS - 1) * DAY_MS
  const knownDays = state.tally.days.filter(({ start }) => start >= firstDay)
  const days = Array.from({ length: state.now === 0 ? 0 : COUNTED_DAYS }, (_, i) => {
    const start = firstDay + i * DAY_MS
    return knownDays.find((day) => day.start === start) ?? { start, minutes: 0, assets: {} }
  })
  const names = [
    ...Object.values(state.markets).map(({ market }) => market),
    ...Object.keys(state.budgets),
    ...days.flatMap(({ assets }) => Object.keys(assets)),
  ]
  return {
    days: days.map(({ start, minutes }) => ({ start, minutes })),
    assets: [...new Set(names)].sort().map((asset) => {
      const dayCounts = days.map(({ assets }) => assets[asset])
      const sumPeaks = (kind: CountedKind) =>
        TRIED_THRESHOLDS.map((_, step) => dayCounts.reduce((sum, one) => sum + (one?.peaks[kind]?.[step] ?? 0), 0))
      const spentBudget = state.budgets[asset]
      return {
        asset,
        alerts: dayCounts.map((one) => one?.alerts ?? 0),
        criticalAt: spentBudget?.critical ?? 0,
        highAt: spentBudget?.high ?? 0,
        peaks: Object.fromEntries(COUNTED_KINDS.map((kind) => [kind, sumPeaks(kind)])) as Record<CountedKind, number[]>,
      }
    }),
    triedThresholds: TRIED_THRESHOLDS,
    thresholds: { price, volume, volatility, marketWide },
  }
}
