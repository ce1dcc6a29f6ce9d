import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { queries } from '../../api/queries.ts'
import { useUser } from '../../session/auth.tsx'
import { ownDestinationId, renewDevice } from './push-device.ts'

/** Renews the web push subscription of this browser, and clears the count on the app's icon. */
export function PushKeeper() {
  const { id } = useUser()
  const queryClient = useQueryClient()
  useEffect(() => {
    if (ownDestinationId(id) === null) return
    const renew = async () => {
      const { pushKey } = await queryClient.ensureQueryData(queries.config)
      if (pushKey !== null) await renewDevice(id, pushKey)
    }
    // The next page that opens tries again.
    renew().catch(() => {})
  }, [id, queryClient])
  useEffect(() => {
    const clear = () => {
      if (document.visibilityState === 'visible') navigator.clearAppBadge?.().catch(() => {})
    }
    clear()
    document.addEventListener('visibilitychange', clear)
    return () => document.removeEventListener('visibilitychange', clear)
  }, [])
  return null
}
