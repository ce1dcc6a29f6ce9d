import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { queries } from '../../api/queries.ts'
import { useOtherTabs } from '../../browser/other-tabs.ts'
import { writeAppBadge } from '../../browser/tab-title.ts'
import { useUser } from '../../session/auth.tsx'
import { closePushes, ownDestinationId, renewDevice } from './push-device.ts'

/**
 * Renews the push subscription of this browser, corrects the count on the icon of the app when the
 * page is shown, and closes the push messages of alerts that were acknowledged on another device.
 */
export function PushDeviceSync() {
  const { id } = useUser()
  const queryClient = useQueryClient()
  useEffect(() => {
    if (ownDestinationId(id) === null) return
    const renew = async () => {
      const { pushKey } = await queryClient.ensureQueryData(queries.config)
      if (pushKey !== null) await renewDevice(id, pushKey)
    }
    // Ignore errors: the next page that opens tries again.
    renew().catch(() => {})
  }, [id, queryClient])
  const closeAcknowledged = useCallback(() => {
    const read = () => queryClient.fetchQuery(queries.acknowledgements)
    // Ignore errors: a push message that stays open does no harm.
    if (ownDestinationId(id) !== null) closePushes(read).catch(() => {})
  }, [id, queryClient])
  useOtherTabs('acknowledgements', closeAcknowledged)
  useEffect(() => {
    const correct = () => {
      if (document.visibilityState === 'visible') writeAppBadge()
    }
    correct()
    document.addEventListener('visibilitychange', correct)
    return () => document.removeEventListener('visibilitychange', correct)
  }, [])
  return null
}
