import type { Destination } from '@tocsin/protocol'
import { useEffect } from 'react'
import { call } from '../../api/api.ts'
import { useUser } from '../../session/auth.tsx'
import { findOwnDestinationId, unsubscribeDevice } from './push-device.ts'

/**
 * Returns the id of the web push destination of this browser, or null. If that destination was
 * deleted, ends the push subscription of this browser.
 * @param destinations undefined while they are loading
 */
export function useOwnDevice(destinations: readonly Destination[] | undefined): string | null {
  const { id } = useUser()
  const ownId = findOwnDestinationId(id)
  const isMissing = ownId !== null && destinations?.every((destination) => destination.id !== ownId) === true
  useEffect(() => {
    if (!isMissing) return
    const check = async () => {
      // Fetch the list again, because another tab may have added this browser in the meantime.
      const currentDestinations = await call('listDestinations')
      if (currentDestinations.every((destination) => destination.id !== findOwnDestinationId(id)))
        await unsubscribeDevice()
    }
    check().catch(() => {})
  }, [isMissing, id])
  return ownId
}
