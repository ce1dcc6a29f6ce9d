import type { Preferences, PreferencesChange } from '@tocsin/protocol'

const switches = {
  realTimeAlerts: 'Real-time alerts',
  autoVerify: 'Auto-verify signatures',
  highPriorityOnly: 'High priority only',
  outcomeToasts: 'Outcome toasts',
  browserNotifications: 'Browser notifications',
  pushContent: 'Content of push messages',
  sound: 'Sound',
  shortcuts: 'Keyboard shortcuts',
} as const

/** Applies a change. Returns the same object if nothing changes. */
export function changePreferences(before: Preferences, change: PreferencesChange): Preferences {
  const named = Object.entries(change).filter(([, value]) => value !== undefined)
  const after: Preferences = { ...before, ...Object.fromEntries(named) }
  return describeChange(before, after) === '' ? before : after
}

/**
 * Describes the change for the activity log, for example "Sound on, Sound from critical priority".
 * Returns an empty text if nothing changed.
 */
export function describeChange(before: Preferences, after: Preferences): string {
  const parts: string[] = []
  for (const [name, label] of Object.entries(switches)) {
    // The cast is safe, because the entries come from `switches`.
    const key = name as keyof typeof switches
    if (before[key] !== after[key]) parts.push(`${label} ${after[key] ? 'on' : 'off'}`)
  }
  if (before.soundFrom !== after.soundFrom) parts.push(`Sound from ${after.soundFrom} priority`)
  if (before.soundVolume !== after.soundVolume) parts.push(`Volume ${after.soundVolume}%`)
  if (before.density !== after.density) parts.push(`Rows ${after.density}`)
  if (before.timeZone !== after.timeZone) parts.push(`Times in ${describeZone(after.timeZone)}`)
  if (before.hourCycle !== after.hourCycle) parts.push(`${after.hourCycle}-hour clock`)
  parts.push(...describeWatchlist(before.watchlist, after.watchlist))
  return parts.join(', ')
}

/** Describes a change of the watchlist. Names the asset if exactly one was added or removed. */
function describeWatchlist(before: readonly string[], after: readonly string[]): string[] {
  const added = after.filter((asset) => !before.includes(asset))
  const removed = before.filter((asset) => !after.includes(asset))
  const [change, ...more] = [
    ...added.map((asset) => `Watching ${asset}`),
    ...removed.map((asset) => `No longer watching ${asset}`),
  ]
  const isReordered = after.some((asset, index) => asset !== before[index])
  if (change === undefined && !isReordered) return []
  if (change !== undefined && more.length === 0) return [change]
  return [`Watchlist of ${after.length} ${after.length === 1 ? 'asset' : 'assets'}`]
}

function describeZone(zone: string): string {
  return zone === 'browser' ? 'the device’s zone' : zone
}
