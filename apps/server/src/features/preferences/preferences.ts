import type { Preferences, PreferencesChange } from '@tocsin/protocol'

const switches = {
  realTimeAlerts: 'Real-time alerts',
  autoVerify: 'Auto-verify signatures',
  highPriorityOnly: 'High priority only',
  browserNotifications: 'Browser notifications',
  sound: 'Sound',
  shortcuts: 'Keyboard shortcuts',
} as const

/** What a change makes of the preferences; the same object when nothing is other than before. */
export function changePreferences(before: Preferences, change: PreferencesChange): Preferences {
  const named = Object.entries(change).filter(([, value]) => value !== undefined)
  const after: Preferences = { ...before, ...Object.fromEntries(named) }
  return describeChange(before, after) === '' ? before : after
}

/** "Sound on, heard from critical": for the account's activity log. Empty when both are the same. */
export function describeChange(before: Preferences, after: Preferences): string {
  const words: string[] = []
  for (const [name, label] of Object.entries(switches)) {
    // The keys of the table above.
    const key = name as keyof typeof switches
    if (before[key] !== after[key]) words.push(`${label} ${after[key] ? 'on' : 'off'}`)
  }
  if (before.soundFrom !== after.soundFrom) words.push(`Sound from ${after.soundFrom} priority`)
  if (before.soundVolume !== after.soundVolume) words.push(`Volume ${after.soundVolume}%`)
  if (before.density !== after.density) words.push(`Rows ${after.density}`)
  if (before.timeZone !== after.timeZone) words.push(`Times in ${zoneWords(after.timeZone)}`)
  if (before.hourCycle !== after.hourCycle) words.push(`${after.hourCycle}-hour clock`)
  return words.join(', ')
}

function zoneWords(zone: string): string {
  return zone === 'browser' ? 'the device’s zone' : zone
}
