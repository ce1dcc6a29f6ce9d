import { z } from 'zod'
import { priority } from './primitives.ts'

export const densities = ['comfortable', 'compact'] as const
export const hourCycles = ['24', '12'] as const
/** Beside these two any name of the IANA time zone database. `browser`: that of the device which shows the time. */
export const namedZones = ['UTC', 'browser'] as const

/** What an account has chosen: how alerts reach it, and how pages show them. The same on all its devices. */
export const preferences = z.strictObject({
  /** Off: no stream, so alerts are there when a page is loaded or refreshed, and nothing announces them. */
  realTimeAlerts: z.boolean(),
  /** The browser checks each alert that comes in, and says so when one fails. */
  autoVerify: z.boolean(),
  /** Only high and critical alerts are announced; lists stay complete. */
  highPriorityOnly: z.boolean(),
  browserNotifications: z.boolean(),
  sound: z.boolean(),
  /** The lowest priority that is heard. */
  soundFrom: priority,
  /** Percent. */
  soundVolume: z.number().int().min(0).max(100),
  /** Single-key shortcuts. */
  shortcuts: z.boolean(),
  density: z.enum(densities),
  timeZone: z.string().min(1).max(64),
  hourCycle: z.enum(hourCycles),
})
export type Preferences = z.infer<typeof preferences>

/** What an account has that never chose. */
export const defaultPreferences: Preferences = {
  realTimeAlerts: true,
  autoVerify: true,
  highPriorityOnly: false,
  browserNotifications: false,
  sound: false,
  soundFrom: 'high',
  soundVolume: 60,
  shortcuts: true,
  density: 'comfortable',
  timeZone: 'UTC',
  hourCycle: '24',
}

/** What changes; the rest stays. Two devices that change different things do not undo each other. */
export const preferencesChange = preferences
  .extend({
    timeZone: preferences.shape.timeZone.refine(isTimeZone, 'Expected UTC, browser or the name of a time zone'),
  })
  .partial()
  .refine((change) => Object.values(change).some((value) => value !== undefined), 'Expected at least one preference')
export type PreferencesChange = z.infer<typeof preferencesChange>

/** Whether this machine knows such a zone. Offsets ("+02:00") are none: they forget summer time. */
export function isTimeZone(name: string): boolean {
  if (namedZones.some((zone) => zone === name)) return true
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
