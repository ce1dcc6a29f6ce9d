import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { queries } from '../../api/queries.ts'
import { useOtherTabs } from '../../browser/other-tabs.ts'
import { writeAppBadge } from '../../browser/tab-title.ts'
import { useUser } from '../../session/auth.tsx'
import { closePushes, findOwnDestinationId, renewDevice } from './push-device.ts'

/**
 * Renews the push subscription of this browser, corrects the count on the icon of the app when the
 * page is shown, and closes the push messages of alerts that were acknowledged on another device.
 */
export function PushDeviceSync() {
  const { id } = useUser()
  const queryClient = useQueryClient()
  useEffect(() => {
    if (findOwnDestinationId(id) === null) return
    const renew = async () => {
      const { pushKey } = await queryClient.ensureQueryData(queries.config)
      if (pushKey !== null) await renewDevice(id, pushKey)
    }
    // Ignore errors: the next page that opens tries again.
    renew().catch(() => {})
  }, [id, queryClient])
  const closeAcknowledgedPushes = useCallback(() => {
    const readAcknowledgements = () => queryClient.fetchQuery({ ...queries.acknowledgements, staleTime: 0 })
    // Ignore errors: a push message that stays open does no harm.
    if (findOwnDestinationId(id) !== null) closePushes(readAcknowledgements).catch(() => {})
  }, [id, queryClient])
  useOtherTabs('acknowledgements', closeAcknowledgedPushes)
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
