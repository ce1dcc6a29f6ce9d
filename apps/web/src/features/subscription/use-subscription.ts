import { useQuery } from '@tanstack/react-query'
import { useUser } from '../../auth.tsx'
import { queries } from '../../queries.ts'

/** The running subscription of the signed-in user, or null. */
export function useSubscription() {
  const { id } = useUser()
  const { data, isPending } = useQuery(queries.activeSubscription(id))
  return { subscription: data ?? null, isPending }
}
