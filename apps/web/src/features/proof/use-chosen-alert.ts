import { useQuery } from '@tanstack/react-query'
import type { Alert } from '@tocsin/protocol'
import { alertQueries } from '../alert/alert-queries.ts'
import { isLocked } from '../alert/alert-words.ts'
import { findChoice } from './alert-choice.ts'
import { useChoices } from './use-choices.ts'

/**
 * The alert that the URL names: one of the newest ones, which are loaded for the dialog anyway, or
 * an older one, which is looked up by its id.
 */
export function useChosenAlert(id: string | undefined): { chosen: Alert | null; isPending: boolean } {
  const { choices, isPending } = useChoices()
  const listed = findChoice(choices, id)
  const isOlder = id !== undefined && !isPending && listed === null
  const { data, isLoading } = useQuery({ ...alertQueries.one(id ?? ''), enabled: isOlder })
  const found = isOlder ? data?.items[0]?.alert : undefined
  const older = found && !isLocked(found) && found.id === id ? found : null
  return { chosen: listed ?? older, isPending: id !== undefined && (isPending || isLoading) }
}
