import type { Destination } from '@tocsin/protocol'
import { useEffect } from 'react'
import { call } from '../../api/api.ts'
import { useUser } from '../../session/auth.tsx'
import { ownDestinationId, unsubscribeDevice } from './push-device.ts'

/**
 * Returns the destination that is this browser, or null. Ends its subscription if the destination
 * was deleted.
 * @param destinations undefined while they are loaded
 */
export function useOwnDevice(destinations: readonly Destination[] | undefined): string | null {
  const { id } = useUser()
  const ownId = ownDestinationId(id)
  const isMissing = ownId !== null && destinations?.every((destination) => destination.id !== ownId) === true
  useEffect(() => {
    if (!isMissing) return
    const check = async () => {
      // Read again: another tab may have added this browser since.
      const now = await call('listDestinations')
      if (now.every((destination) => destination.id !== ownDestinationId(id))) await unsubscribeDevice()
    }
    check().catch(() => {})
  }, [isMissing, id])
  return ownId
}
