import { useQuery } from '@tanstack/react-query'
import { queries } from '../../api/queries.ts'
import { useUser } from '../../session/auth.tsx'

/** The running subscription of the signed-in user, or null. */
export function useSubscription() {
  const { id } = useUser()
  const { data, isPending } = useQuery(queries.activeSubscription(id))
  return { subscription: data ?? null, isPending }
}
