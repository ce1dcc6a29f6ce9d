import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { queries } from '../../api/queries.ts'
import { useUser } from '../../session/auth.tsx'
import { mergeChoices } from './alert-choice.ts'

/**
 * The alerts that can be chosen for verification. If one list fails to load, the other is still
 * used.
 */
export function useChoices() {
  const { id } = useUser()
  const recentQuery = useQuery(queries.recentAlerts)
  const ownAlerts = useQuery(queries.userAlerts(id))
  const choices = useMemo(
    () => mergeChoices(recentQuery.data ?? [], ownAlerts.data ?? []),
    [recentQuery.data, ownAlerts.data],
  )
  return {
    choices,
    isPending: recentQuery.isPending || ownAlerts.isPending,
    error: recentQuery.error ?? ownAlerts.error,
    refetch: () => Promise.all([recentQuery.refetch(), ownAlerts.refetch()]),
  }
}
