import type { Preferences } from '@tocsin/protocol'
import { useEffect } from 'react'
import { dateLocale } from './texts/language.ts'
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

/** This browser may not know a zone that the server knows. UTC needs no asking: the first use of Intl takes as long as drawing a page. */
export function knownZone(name: string): string {
  if (name === utcStyle.timeZone) return name
  try {
    const timeZone = name === 'browser' ? undefined : name
    return new Intl.DateTimeFormat(dateLocale, timeZone === undefined ? {} : { timeZone }).resolvedOptions().timeZone
  } catch {
    return utcStyle.timeZone
  }
}
