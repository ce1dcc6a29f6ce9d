import type { Preferences } from '@tocsin/protocol'
import { useEffect } from 'react'
import { resolveTimeZone } from '../ui/known-zone.ts'
import { setTimeStyle, utcStyle } from '../ui/time-style.ts'

/** Applies the account's time zone, clock and density while mounted. */
export function useAppearance({ timeZone, hourCycle, density }: Preferences): void {
  useEffect(() => {
    applyTimeStyle({ timeZone, hourCycle })
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

export function applyTimeStyle({ timeZone, hourCycle }: Pick<Preferences, 'timeZone' | 'hourCycle'>): void {
  // The zone of the device needs no Intl, whose first use is slow.
  setTimeStyle({ timeZone: timeZone === 'browser' ? timeZone : resolveTimeZone(timeZone), hourCycle })
}
