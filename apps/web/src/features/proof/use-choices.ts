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
  const recent = useQuery(queries.recentAlerts)
  const ownAlerts = useQuery(queries.userAlerts(id))
  const choices = useMemo(() => mergeChoices(recent.data ?? [], ownAlerts.data ?? []), [recent.data, ownAlerts.data])
  return {
    choices,
    isPending: recent.isPending || ownAlerts.isPending,
    error: recent.error ?? ownAlerts.error,
    refetch: () => Promise.all([recent.refetch(), ownAlerts.refetch()]),
  }
}
