import { useQuery } from '@tanstack/react-query'
import { queries } from '../../api/queries.ts'
import { useUser } from '../../session/auth.tsx'

/**
 * The running subscription of the signed-in user, or null. `isPending` is true while it is unknown,
 * including after a failed load (`isError`). It is then read again within a minute.
 */
export function useSubscription() {
  const { id } = useUser()
  const { data, isError, refetch } = useQuery(queries.activeSubscription(id))
  return { subscription: data ?? null, isPending: data === undefined, isError, retry: () => void refetch() }
}

/** True if the user may read new alerts: with a subscription, or as staff who issue them. */
export function useIsEntitled(): boolean {
  const { permissions } = useUser()
  const { subscription } = useSubscription()
  return subscription !== null || permissions.includes('alerts.read')
}
