import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useConfirmed } from '../../session/confirmed.ts'
import { toastFailure } from '../settings/use-account-change.ts'
import { channelKey } from './channel-queries.ts'

/**
 * Runs a call, confirms the user's identity if needed, and reloads destinations and ledgers.
 * @param onDone called before they are reloaded, which `reloaded` waits for
 */
export function useDestinationChange<Answer, Given = void>(
  run: (given: Given) => Promise<Answer>,
  onDone?: (answer: Answer, given: Given, reloaded: Promise<void>) => void,
) {
  const confirmed = useConfirmed()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (given: Given) => confirmed(() => run(given)),
    onSuccess: async (answer, given) => {
      const reloaded = queryClient.invalidateQueries({ queryKey: channelKey })
      onDone?.(answer, given, reloaded)
      await reloaded
    },
    onError: (error) => toastFailure(error, 'The destination could not be changed. Please try again.'),
  })
}
