import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useReauthentication } from '../../session/reauthentication.ts'
import { Button } from '../../ui/button.tsx'
import { toastFailure } from '../account/toast-failure.ts'
import { listKeys } from './admin-queries.ts'

interface ExportButtonProps {
  load: () => Promise<string>
  save: (text: string) => void
  /** What is exported, as the error message names it. */
  what: string
  title: string
  label?: string
  size?: 'sm'
  className?: string
}

/** Saves an export as a file. Refetches the audit log, because the server records each export. */
export function ExportButton({ load, save, what, label = 'Export CSV', ...button }: ExportButtonProps) {
  const queryClient = useQueryClient()
  const withReauthentication = useReauthentication()
  const { mutate, isPending } = useMutation({
    mutationFn: () => withReauthentication(load),
    onSuccess: (text) => {
      save(text)
      void queryClient.invalidateQueries({ queryKey: [listKeys.audit] })
    },
    onError: (error) => toastFailure(error, `Failed to export ${what}. Please try again.`),
  })
  return (
    <Button {...button} busy={isPending} onClick={() => mutate()}>
      <Download aria-hidden size={16} strokeWidth={2.25} />
      {isPending ? 'Exporting…' : label}
    </Button>
  )
}
