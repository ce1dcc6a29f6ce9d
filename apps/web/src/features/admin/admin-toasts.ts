import { getErrorMessage } from '../../api/api.ts'
import { ReauthenticationDeclined } from '../../session/reauthentication.ts'
import { toast } from '../../ui/toast.tsx'

/**
 * Shows why an action failed: the message of the server, or `fallback` if the server sent no
 * message. If the user has cancelled the reauthentication, says that nothing was changed.
 */
export function toastRefusal(title: string, error: unknown, fallback: string): void {
  if (error instanceof ReauthenticationDeclined) toast({ title: 'Nothing was changed', description: error.message })
  else toast({ title, description: getErrorMessage(error, fallback), variant: 'destructive' })
}
