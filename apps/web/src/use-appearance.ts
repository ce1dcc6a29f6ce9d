import type { Preferences } from '@tocsin/protocol'
import { useEffect } from 'react'
import { setTimeStyle, utcStyle } from './ui/time-style.ts'

/** Shows pages the way the account has chosen, as long as it is signed in. */
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

/** This browser may not know a zone that the server knows. */
export function knownZone(name: string): string {
  try {
    const timeZone = name === 'browser' ? undefined : name
    return new Intl.DateTimeFormat('en-GB', timeZone === undefined ? {} : { timeZone }).resolvedOptions().timeZone
  } catch {
    return utcStyle.timeZone
  }
}
