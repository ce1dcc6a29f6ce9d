import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { RequestBody } from '@tocsin/protocol'
import { call } from '../../api/api.ts'
import { useReauthentication } from '../../session/reauthentication.ts'
import { toast } from '../../ui/toast.tsx'
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

/** Requests that undelivered messages are sent again. */
export function useRedelivery(id: string, body: RequestBody<'redeliver'>) {
  return useDestinationChange(
    () => call('redeliver', { params: { id }, body }),
    ({ message }) => toast({ title: 'Requested', description: message, variant: 'success' }),
  )
}
