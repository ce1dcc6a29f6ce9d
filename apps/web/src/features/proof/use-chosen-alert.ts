import { useQuery } from '@tanstack/react-query'
import type { Alert } from '@tocsin/protocol'
import { alertQueries } from '../alert/alert-queries.ts'
import { isLocked } from '../alert/alert-texts.ts'
import { findChoice } from './alert-choice.ts'
import { useChoices } from './use-choices.ts'

/**
 * Interval in ms between reads of a new chosen alert until it is anchored. Without a live stream,
 * the lists of alerts show the anchor only half a minute later.
 */
const anchorPollMs = 3_000

/**
 * Returns the alert that the URL names. The newest alerts are loaded for the dialog anyway; an
 * older alert is looked up by its id. If the chosen alert is one of the newest and has no anchor,
 * it is looked up until it is anchored.
 */
export function useChosenAlert(id: string | undefined): { chosen: Alert | null; isPending: boolean } {
  const { choices, isPending } = useChoices()
  const listedChoice = findChoice(choices, id)
  const isUnanchored = listedChoice !== null && listedChoice.avalancheTx === null
  const { data, isLoading } = useQuery({
    ...alertQueries.one(id ?? ''),
    enabled: id !== undefined && !isPending && (listedChoice === null || isUnanchored),
    refetchInterval: ({ state }) => {
      const found = state.data?.items[0]?.alert
      return isUnanchored && !(found && !isLocked(found) && found.avalancheTx !== null) && anchorPollMs
    },
  })
  const found = data?.items[0]?.alert
  const loadedAlert = found && !isLocked(found) && found.id === id ? found : null
  const chosenAlert = isUnanchored ? (loadedAlert ?? listedChoice) : (listedChoice ?? loadedAlert)
  return { chosen: chosenAlert, isPending: id !== undefined && chosenAlert === null && (isPending || isLoading) }
}
