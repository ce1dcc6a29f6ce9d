import { getErrorMessage } from '../../api/api.ts'
import { ReauthenticationDeclined } from '../../session/reauthentication.ts'
import { toast } from '../../ui/toast.tsx'

/**
 * Shows why a change failed: the message of the server, or `fallback` if the server sent no
 * message. If the user has cancelled the reauthentication, says that nothing was changed.
 */
export function toastFailure(error: unknown, fallback: string, title = 'Error'): void {
  if (error instanceof ReauthenticationDeclined) toast({ title: 'Nothing was changed', description: error.message })
  else toast({ title, description: getErrorMessage(error, fallback), variant: 'destructive' })
}

/** The message for a change that failed or that the user did not confirm. */
export function formatFailure(error: unknown, fallback: string): string {
  return error instanceof ReauthenticationDeclined ? error.message : getErrorMessage(error, fallback)
}
