import { useQuery } from '@tanstack/react-query'
import { queries } from '../../api/queries.ts'
import { useUser } from '../../session/auth.tsx'

/**
 * The running subscription of the signed-in user, or null. `isPending` is true until it is loaded.
 * If the load fails, `isError` is true too, and the load is repeated within a minute.
 */
export function useSubscription() {
  const { id } = useUser()
  const { data, isError, refetch } = useQuery(queries.activeSubscription(id))
  return { subscription: data ?? null, isPending: data === undefined, isError, retry: () => void refetch() }
}

/** True if the user may read new alerts: with a subscription, or as staff with the permission. */
export function useIsEntitled(): boolean {
  const { permissions } = useUser()
  const { subscription } = useSubscription()
  return subscription !== null || permissions.includes('alerts.read')
}
