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
export function changePreferences(formerPreferences: Preferences, change: PreferencesChange): Preferences {
  const changedEntries = Object.entries(change).filter(([, value]) => value !== undefined)
  const newPreferences: Preferences = { ...formerPreferences, ...Object.fromEntries(changedEntries) }
  return describeChange(formerPreferences, newPreferences) === '' ? formerPreferences : newPreferences
}

/**
 * Describes the change for the activity log, for example "Sound on, Sound from critical priority".
 * Returns an empty text if nothing changed.
 */
export function describeChange(formerPreferences: Preferences, newPreferences: Preferences): string {
  const changeTexts: string[] = []
  for (const [name, label] of Object.entries(switches)) {
    // The cast is safe, because the entries come from `switches`.
    const key = name as keyof typeof switches
    if (formerPreferences[key] !== newPreferences[key])
      changeTexts.push(`${label} ${newPreferences[key] ? 'on' : 'off'}`)
  }
  if (formerPreferences.soundFrom !== newPreferences.soundFrom)
    changeTexts.push(`Sound from ${newPreferences.soundFrom} priority`)
  if (formerPreferences.soundVolume !== newPreferences.soundVolume)
    changeTexts.push(`Volume ${newPreferences.soundVolume}%`)
  if (formerPreferences.density !== newPreferences.density) changeTexts.push(`Rows ${newPreferences.density}`)
  if (formerPreferences.timeZone !== newPreferences.timeZone)
    changeTexts.push(`Times in ${describeZone(newPreferences.timeZone)}`)
  if (formerPreferences.hourCycle !== newPreferences.hourCycle)
    changeTexts.push(`${newPreferences.hourCycle}-hour clock`)
  changeTexts.push(...describeWatchlist(formerPreferences.watchlist, newPreferences.watchlist))
  return changeTexts.join(', ')
}

/** Describes a change of the watchlist. Names the asset if exactly one was added or removed. */
function describeWatchlist(formerAssets: readonly string[], newAssets: readonly string[]): string[] {
  const addedAssets = newAssets.filter((asset) => !formerAssets.includes(asset))
  const removedAssets = formerAssets.filter((asset) => !newAssets.includes(asset))
  const [change, ...otherChanges] = [
    ...addedAssets.map((asset) => `Watching ${asset}`),
    ...removedAssets.map((asset) => `No longer watching ${asset}`),
  ]
  const isReordered = newAssets.some((asset, index) => asset !== formerAssets[index])
  if (change === undefined && !isReordered) return []
  if (change !== undefined && otherChanges.length === 0) return [change]
  return [`Watchlist of ${newAssets.length} ${newAssets.length === 1 ? 'asset' : 'assets'}`]
}

function describeZone(zone: string): string {
  return zone === 'browser' ? 'the device’s zone' : zone
}
