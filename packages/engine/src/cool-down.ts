import { DAY_MS, MINUTE_MS } from './durations.ts'
import type { AlertKind, Direction } from './finding.ts'

/** The last alert of each asset, type and direction, so that one event raises one alert. */
export type CoolDowns = Record<string, { until: number; strength: number }>

export const COOL_DOWN_MS = 30 * MINUTE_MS
/**
 * A peak during the cool-down raises an update if it is at least this many times as strong as the
 * last alert.
 */
const UPDATE_FACTOR = 2

/**
 * Returns the key of a cool-down. A market-wide alert has no direction in its key, because the
 * rebound after it belongs to the same move.
 */
export const formatCoolDownKey = (base: string, kind: AlertKind, direction: Direction) =>
  kind === 'marketWide' ? kind : `${base} ${kind} ${direction}`

/** Returns the length of the cool-down of a key. Divergences and quiet markets last long. */
export const getCoolDownMs = (key: string): number =>
  ['divergence', 'quiet'].includes(key.split(' ').at(-2) ?? '') ? DAY_MS : COOL_DOWN_MS

/** Returns false if the cool-down of the key suppresses the alert. Otherwise restarts it. */
export function applyCoolDown(coolDowns: CoolDowns, key: string, at: number, strength: number): boolean {
  const lastCoolDown = coolDowns[key]
  if (lastCoolDown && at < lastCoolDown.until && strength < UPDATE_FACTOR * lastCoolDown.strength) return false
  coolDowns[key] = { until: at + getCoolDownMs(key), strength }
  return true
}

/** Starts the cool-down of a key without an alert: another alert already reports the event. */
export function startCoolDown(coolDowns: CoolDowns, key: string, at: number, strength: number): void {
  coolDowns[key] = { until: at + COOL_DOWN_MS, strength }
}

/** Removes cool-downs that have ended, so that memory does not grow. */
export function pruneCoolDowns(coolDowns: CoolDowns, at: number): void {
  for (const [key, coolDown] of Object.entries(coolDowns)) if (at >= coolDown.until) delete coolDowns[key]
}
