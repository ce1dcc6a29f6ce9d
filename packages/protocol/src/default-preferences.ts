import type { Preferences } from './preferences.ts'

/** Preferences of an account that never changed them. */
export const defaultPreferences: Preferences = {
  realTimeAlerts: true,
  autoVerify: true,
  highPriorityOnly: false,
  outcomeToasts: false,
  browserNotifications: false,
  pushContent: true,
  sound: false,
  soundFrom: 'high',
  soundVolume: 60,
  shortcuts: true,
  density: 'comfortable',
  timeZone: 'browser',
  hourCycle: '24',
  watchlist: [],
}
