import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { useReauthentication } from '../../session/reauthentication.ts'
import { toast } from '../../ui/toast.tsx'
import { toastFailure } from '../account/toast-failure.ts'

export interface AdminAction<Input> {
  /**
   * Sends the request. If the server requires reauthentication, the admin is prompted and `run` is
   * called again. The success toast shows the returned message.
   */
  run: (input: Input) => Promise<{ message: string }>
  /** Title of the success toast. */
  done: string
  /** Fallback error message. */
  failed: string
  /** Refetches what the action has changed. */
  refresh: (client: QueryClient) => Promise<void> | void
  onDone?: () => void
}

/** An action of an admin: shows the result in a toast and refetches what has changed. */
export function useAdminAction<Input = void>({ run, done, failed, refresh, onDone }: AdminAction<Input>) {
  const queryClient = useQueryClient()
  const withReauthentication = useReauthentication()
  return useMutation({
    mutationFn: (input: Input) => withReauthentication(() => run(input)),
    onSuccess: async ({ message }) => {
      toast({ title: done, description: message, variant: 'success' })
      onDone?.()
      await refresh(queryClient)
    },
    onError: (error) => toastFailure(error, failed),
  })
}
