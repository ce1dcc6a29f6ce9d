import { DAY_MS } from './durations.ts'
import type { Settings } from './settings.ts'
import type { EngineState } from './state.ts'
import { TALLIED_DAYS, TALLIED_KINDS, type TalliedKind, TRIED_THRESHOLDS } from './threshold-counts.ts'

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
  peaks: Record<TalliedKind, number[]>
}

/** The overview of the engine for operators. */
export interface Overview {
  /** UTC days, oldest first; the last one is not over. Empty before the first event. */
  days: { start: number; minutes: number }[]
  /** Sorted by name. */
  assets: AssetOverview[]
  triedThresholds: readonly number[]
  /** The thresholds in use. */
  thresholds: Record<TalliedKind, number>
}

export function createOverview(state: EngineState, settings: Settings): Overview {
  const { price, volume, volatility, marketWide } = settings
  const today = state.now - (state.now % DAY_MS)
  const first = today - (TALLIED_DAYS - 1) * DAY_MS
  const known = state.tally.days.filter(({ start }) => start >= first)
  const days = Array.from({ length: state.now === 0 ? 0 : TALLIED_DAYS }, (_, i) => {
    const start = first + i * DAY_MS
    return known.find((day) => day.start === start) ?? { start, minutes: 0, assets: {} }
  })
  const names = [
    ...Object.values(state.markets).map(({ market }) => market),
    ...Object.keys(state.budgets),
    ...days.flatMap(({ assets }) => Object.keys(assets)),
  ]
  return {
    days: days.map(({ start, minutes }) => ({ start, minutes })),
    assets: [...new Set(names)].sort().map((asset) => {
      const counts = days.map(({ assets }) => assets[asset])
      const sums = (kind: TalliedKind) =>
        TRIED_THRESHOLDS.map((_, step) => counts.reduce((sum, one) => sum + (one?.peaks[kind]?.[step] ?? 0), 0))
      const spent = state.budgets[asset]
      return {
        asset,
        alerts: counts.map((one) => one?.alerts ?? 0),
        criticalAt: spent?.critical ?? 0,
        highAt: spent?.high ?? 0,
        peaks: Object.fromEntries(TALLIED_KINDS.map((kind) => [kind, sums(kind)])) as Record<TalliedKind, number[]>,
      }
    }),
    triedThresholds: TRIED_THRESHOLDS,
    thresholds: { price, volume, volatility, marketWide },
  }
}
