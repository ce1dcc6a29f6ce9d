import { sentenceOf } from '../../api/api.ts'
import { NotConfirmed } from '../../session/confirmed.ts'
import { toast } from '../../ui/toast.tsx'

/**
 * Shows why an action failed: the message of the server, or `fallback` if the server sent no
 * message. If the user has cancelled the reauthentication, says that nothing was changed.
 */
export function toastRefusal(title: string, error: unknown, fallback: string): void {
  if (error instanceof NotConfirmed) toast({ title: 'Nothing was changed', description: error.message })
  else toast({ title, description: sentenceOf(error, fallback), variant: 'destructive' })
}
