import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useReauthentication } from '../../session/reauthentication.ts'
import { toastFailure } from '../settings/use-account-change.ts'
import { channelKey } from './channel-queries.ts'

/**
 * Runs a change, after reauthentication if needed, and then refetches destinations and delivery
 * ledgers.
 * @param onDone called when the change has succeeded; `reloaded` resolves after the refetch
 */
export function useDestinationChange<Result, Given = void>(
  run: (given: Given) => Promise<Result>,
  onDone?: (result: Result, given: Given, reloaded: Promise<void>) => void,
) {
  const withReauthentication = useReauthentication()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (given: Given) => withReauthentication(() => run(given)),
    onSuccess: async (result, given) => {
      const reloaded = queryClient.invalidateQueries({ queryKey: channelKey })
      onDone?.(result, given, reloaded)
      await reloaded
    },
    onError: (error) => toastFailure(error, 'The destination could not be changed. Please try again.'),
  })
}
