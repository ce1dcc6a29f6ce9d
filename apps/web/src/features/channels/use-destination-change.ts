import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useConfirmed } from '../../session/confirmed.ts'
import { toastFailure } from '../settings/use-account-change.ts'
import { channelKey } from './channel-queries.ts'

/** Runs a call, confirms the user's identity if needed, and reloads destinations and ledgers. */
export function useDestinationChange<Answer, Given = void>(
  run: (given: Given) => Promise<Answer>,
  onDone?: (answer: Answer) => void,
) {
  const confirmed = useConfirmed()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (given: Given) => confirmed(() => run(given)),
    onSuccess: async (answer) => {
      onDone?.(answer)
      await queryClient.invalidateQueries({ queryKey: channelKey })
    },
    onError: (error) => toastFailure(error, 'The destination could not be changed. Please try again.'),
  })
}
