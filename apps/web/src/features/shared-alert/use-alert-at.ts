import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { queries } from '../../api/queries.ts'
import { useAuth } from '../../session/auth.tsx'
import { createAlertQuery } from './alert-query.ts'

/**
 * The alert at a log index, as the server shows it to the current user. Fetched again when the user
 * signs in or out, and when a subscription starts while the alert is withheld.
 * @param token from the fragment of a shared link, or empty if the link has no fragment
 */
export function useAlertAt(index: number, token: string) {
  const { status, user } = useAuth()
  const userId = user?.id ?? null
  const query = useQuery({ ...createAlertQuery(index, token, userId), enabled: status !== 'unknown' })
  const { data, isPlaceholderData, refetch } = query
  const isWithheld = data?.access === 'withheld' && !isPlaceholderData
  const isPlanRead = isWithheld && userId !== null
  const { data: plan } = useQuery({ ...queries.activeSubscription(userId ?? ''), enabled: isPlanRead })
  const planId = isPlanRead ? plan?.id : undefined
  useEffect(() => {
    if (planId !== undefined) void refetch()
  }, [planId, refetch])
  return query
}
