import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useReauthentication } from '../../session/reauthentication.ts'
import { toast } from '../../ui/toast.tsx'
import { toastRefusal } from './admin-toasts.ts'
import { refreshAfterUserChange } from './refresh.ts'

interface UserAction<Input> {
  id: string
  /**
   * The call. If the server asks for re-authentication, the admin is prompted and the call is
   * repeated.
   */
  run: (input: Input) => Promise<{ message: string }>
  /** Title of the success toast, which shows the server's message. */
  done: string
  /** Fallback error message. */
  failed: string
  onDone?: () => void
}

/** An action on an account: shows the result in a toast and refetches the account. */
export function useUserAction<Input = void>({ id, run, done, failed, onDone }: UserAction<Input>) {
  const queryClient = useQueryClient()
  const withReauthentication = useReauthentication()
  return useMutation({
    mutationFn: (input: Input) => withReauthentication(() => run(input)),
    onSuccess: async ({ message }) => {
      toast({ title: done, description: message, variant: 'success' })
      onDone?.()
      await refreshAfterUserChange(queryClient, id)
    },
    onError: (error) => toastRefusal('Error', error, failed),
  })
}
