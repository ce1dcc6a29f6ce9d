import { sentenceOf } from '../../api.ts'
import { NotConfirmed } from '../../confirmed.ts'
import { adminTexts } from '../../texts/admin.ts'
import { toast } from '../../ui/toast.tsx'

const texts = adminTexts.adminToasts

/** Why it was not done, in the server's words where it gave some. Not confirming who one is, is no failure. */
export function toastRefusal(title: string, error: unknown, fallback: string): void {
  if (error instanceof NotConfirmed) toast({ title: texts.nothingWasChanged, description: error.message })
  else toast({ title, description: sentenceOf(error, fallback), variant: 'destructive' })
}
