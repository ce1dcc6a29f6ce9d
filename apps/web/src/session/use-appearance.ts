import type { Preferences } from '@tocsin/protocol'
import { useEffect } from 'react'
import { dateLocale } from '../ui/locale.ts'
import { setTimeStyle, utcStyle } from '../ui/time-style.ts'

/** Applies the account's time zone, clock and density while mounted. */
export function useAppearance({ timeZone, hourCycle, density }: Preferences): void {
  useEffect(() => {
    setTimeStyle({ timeZone: knownZone(timeZone), hourCycle })
    document.documentElement.dataset.density = density
  }, [timeZone, hourCycle, density])
  useEffect(
    () => () => {
      setTimeStyle(utcStyle)
      delete document.documentElement.dataset.density
    },
    [],
  )
}

/**
 * Resolves a time zone preference. Falls back to UTC if this browser does not know the zone. Skips
 * Intl for UTC: its first use is slow.
 */
export function knownZone(name: string): string {
  if (name === utcStyle.timeZone) return name
  try {
    const timeZone = name === 'browser' ? undefined : name
    return new Intl.DateTimeFormat(dateLocale, timeZone === undefined ? {} : { timeZone }).resolvedOptions().timeZone
  } catch {
    return utcStyle.timeZone
  }
}
