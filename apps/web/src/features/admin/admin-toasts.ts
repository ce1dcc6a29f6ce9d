import { sentenceOf } from '../../api.ts'
import { NotConfirmed } from '../../confirmed.ts'
import { toast } from '../../ui/toast.tsx'

/** Why it was not done, in the server's words where it gave some. Not confirming who one is, is no failure. */
export function toastRefusal(title: string, error: unknown, fallback: string): void {
  if (error instanceof NotConfirmed) toast({ title: 'Nothing was changed', description: error.message })
  else toast({ title, description: sentenceOf(error, fallback), variant: 'destructive' })
}
