import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useReauthentication } from '../../session/reauthentication.ts'
import { Button } from '../../ui/button.tsx'
import { listKeys } from './admin-queries.ts'
import { toastRefusal } from './admin-toasts.ts'

interface ExportButtonProps {
  load: () => Promise<string>
  save: (text: string) => void
  /** What is exported, as the error message names it. */
  what: string
  title: string
  words?: string
  size?: 'sm'
  className?: string
}

/** Saves an export as a file. Refetches the audit log, because the server records each export. */
export function ExportButton({ load, save, what, words = 'Export CSV', ...button }: ExportButtonProps) {
  const queryClient = useQueryClient()
  const withReauthentication = useReauthentication()
  const { mutate, isPending } = useMutation({
    mutationFn: () => withReauthentication(load),
    onSuccess: (text) => {
      save(text)
      void queryClient.invalidateQueries({ queryKey: [listKeys.audit] })
    },
    onError: (error) => toastRefusal('Error', error, `Failed to export ${what}. Please try again.`),
  })
  return (
    <Button {...button} busy={isPending} onClick={() => mutate()}>
      <Download aria-hidden size={16} strokeWidth={2.25} />
      {isPending ? 'Exporting…' : words}
    </Button>
  )
}
