import { z } from 'zod'
import { alertContent } from './alerts.ts'
import { maxWatched } from './names.ts'
import { priority } from './primitives.ts'
import { isDistinct } from './shared-schemas.ts'

export const densities = ['comfortable', 'compact'] as const
export const hourCycles = ['24', '12'] as const
/** Special values besides IANA time zone names. `browser` means the time zone of the device. */
export const namedZones = ['UTC', 'browser'] as const

/** Names of assets, as alerts spell them. */
export const watchedAssets = z.array(alertContent.asset).max(maxWatched)

/**
 * Preferences of an account: how alerts are delivered and displayed. They apply on all its devices.
 */
export const preferences = z.strictObject({
  /**
   * If off, the page opens no stream: alerts appear when the page is loaded or refreshed, and are
   * not announced.
   */
  realTimeAlerts: z.boolean(),
  /** If on, the browser verifies each incoming alert and reports a failure. */
  autoVerify: z.boolean(),
  /** If on, only high and critical alerts are announced. Lists still show all alerts. */
  highPriorityOnly: z.boolean(),
  /** If on, a toast announces each verdict on an alert's prediction. */
  outcomeToasts: z.boolean(),
  browserNotifications: z.boolean(),
  /** If off, a web push message says only that there is an alert. */
  pushContent: z.boolean(),
  sound: z.boolean(),
  /** The lowest priority that plays a sound. */
  soundFrom: priority,
  /** Volume in percent. */
  soundVolume: z.number().int().min(0).max(100),
  /** If on, single keys are shortcuts. */
  shortcuts: z.boolean(),
  density: z.enum(densities),
  timeZone: z.string().min(1).max(64),
  hourCycle: z.enum(hourCycles),
  /** Starred assets, in the order in which they were added. A change replaces the whole list. */
  watchlist: watchedAssets.refine(isDistinct, 'Name each asset once'),
})
export type Preferences = z.infer<typeof preferences>

/**
 * The preferences to change. Other preferences stay as they are, so two devices that change
 * different preferences do not overwrite each other.
 */
export const preferencesChange = preferences
  .extend({
    timeZone: preferences.shape.timeZone.refine(isTimeZone, 'Expected UTC, browser or the name of a time zone'),
  })
  .partial()
  .refine((change) => Object.values(change).some((value) => value !== undefined), 'Expected at least one preference')
export type PreferencesChange = z.infer<typeof preferencesChange>

/**
 * True if this runtime knows the time zone. Offsets ("+02:00") are rejected, because they ignore
 * daylight saving time.
 */
export function isTimeZone(name: string): boolean {
  if (namedZones.some((zone) => zone === name)) return true
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
