import { dateLocale } from './locale.ts'
import { utcStyle } from './time-style.ts'

/**
 * Returns the IANA name of a time zone preference. Falls back to UTC if this browser does not know
 * the zone. Skips Intl for UTC: its first use is slow.
 */
export function resolveTimeZone(name: string): string {
  if (name === utcStyle.timeZone) return name
  try {
    const timeZone = name === 'browser' ? undefined : name
    return new Intl.DateTimeFormat(dateLocale, timeZone === undefined ? {} : { timeZone }).resolvedOptions().timeZone
  } catch {
    return utcStyle.timeZone
  }
}
