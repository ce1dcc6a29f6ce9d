import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useUser } from '../../auth.tsx'
import { queries } from '../../queries.ts'
import { choicesOf } from './alert-choice.ts'

/** The alerts that can be chosen for verification. One list that can't be had does not take the other away. */
export function useChoices() {
  const { id } = useUser()
  const recent = useQuery(queries.recentAlerts)
  const own = useQuery(queries.userAlerts(id))
  const choices = useMemo(() => choicesOf(recent.data ?? [], own.data ?? []), [recent.data, own.data])
  return {
    choices,
    isPending: recent.isPending || own.isPending,
    error: recent.error ?? own.error,
    refetch: () => Promise.all([recent.refetch(), own.refetch()]),
  }
}
