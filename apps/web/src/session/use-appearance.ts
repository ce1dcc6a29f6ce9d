import type { Preferences } from '@tocsin/protocol'
import { useEffect } from 'react'
import { yieldToBrowser } from '../browser/yield-to-browser.ts'
import { knownZone } from '../ui/known-zone.ts'
import { setTimeStyle, utcStyle } from '../ui/time-style.ts'

/** Applies the account's time zone, clock and density while mounted. */
export function useAppearance({ timeZone, hourCycle, density }: Preferences): void {
  useEffect(() => {
    let isOver = false
    // Wait for the next task: the first use of Intl is slow, and the effects of the first render
    // already are a long task.
    void yieldToBrowser().then(() => !isOver && setTimeStyle({ timeZone: knownZone(timeZone), hourCycle }))
    document.documentElement.dataset.density = density
    return () => {
      isOver = true
    }
  }, [timeZone, hourCycle, density])
  useEffect(
    () => () => {
      setTimeStyle(utcStyle)
      delete document.documentElement.dataset.density
    },
    [],
  )
}
