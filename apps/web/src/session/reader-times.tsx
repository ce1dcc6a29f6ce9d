import { useQuery } from '@tanstack/react-query'
import { defaultPreferences } from '@tocsin/protocol'
import { useEffect } from 'react'
import { queries } from '../api/queries.ts'
import { knownZone } from '../ui/known-zone.ts'
import { setTimeStyle, utcStyle } from '../ui/time-style.ts'
import { useAuth } from './auth.tsx'

/**
 * For public pages, whose prerendered HTML is in UTC: uses the zone of the browser, or of the
 * account, while mounted.
 */
export function ReaderTimes(): null {
  const { isAuthenticated } = useAuth()
  const { data } = useQuery({ ...queries.preferences, enabled: isAuthenticated })
  const { timeZone, hourCycle } = data ?? defaultPreferences
  useEffect(() => {
    setTimeStyle({ timeZone: knownZone(timeZone), hourCycle })
    return () => setTimeStyle(utcStyle)
  }, [timeZone, hourCycle])
  return null
}
