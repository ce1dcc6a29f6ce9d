import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useConfirmed } from '../../confirmation.tsx'
import { toast } from '../../ui/toast.tsx'
import { toastRefusal } from './admin-toasts.ts'
import { refreshAfterUserChange } from './refresh.ts'

interface UserAction<Input> {
  id: string
  /** The call; where the server wants it confirmed, the admin is asked and it is made again. */
  run: (input: Input) => Promise<{ message: string }>
  /** Title of the toast that tells the server's message. */
  done: string
  /** What to say when the server gave no reason. */
  failed: string
  onDone?: () => void
}

/** Something done to an account: what came of it is a toast, and the account is read again. */
export function useUserAction<Input = void>({ id, run, done, failed, onDone }: UserAction<Input>) {
  const queryClient = useQueryClient()
  const confirmed = useConfirmed()
  return useMutation({
    mutationFn: (input: Input) => confirmed(() => run(input)),
    onSuccess: async ({ message }) => {
      toast({ title: done, description: message, variant: 'success' })
      onDone?.()
      await refreshAfterUserChange(queryClient, id)
    },
    onError: (error) => toastRefusal('Error', error, failed),
  })
}
