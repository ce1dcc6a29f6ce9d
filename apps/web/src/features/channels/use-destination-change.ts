import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useReauthentication } from '../../session/reauthentication.ts'
import { toastFailure } from '../account/toast-failure.ts'
import { channelKey } from './channel-queries.ts'

/**
 * Runs a change, after reauthentication if needed, and then refetches destinations and delivery
 * ledgers.
 * @param onDone called when the change has succeeded; `reload` resolves after the refetch
 */
export function useDestinationChange<Result, Given = void>(
  run: (input: Given) => Promise<Result>,
  onDone?: (result: Result, input: Given, reload: Promise<void>) => void,
) {
  const withReauthentication = useReauthentication()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (input: Given) => withReauthentication(() => run(input)),
    onSuccess: async (result, input) => {
      const reload = queryClient.invalidateQueries({ queryKey: channelKey })
      onDone?.(result, input, reload)
      await reload
    },
    onError: (error) => toastFailure(error, 'The destination could not be changed. Please try again.'),
  })
}
