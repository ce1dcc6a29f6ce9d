import { type FormEvent, useState } from 'react'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'

interface ChangeChainDialogProps {
  from: string
  to: string
  isSending: boolean
  onConfirm: (description: string) => void
  onClose: () => void
}

export function ChangeChainDialog({ from, to, isSending, onConfirm, onClose }: ChangeChainDialogProps) {
  const [description, setDescription] = useState('')

  function confirm(event: FormEvent) {
    event.preventDefault()
    if (!isSending) onConfirm(description)
  }

  return (
    <FormDialog
      title={`Change to ${to}?`}
      description={`New payments are made on ${to}. Payments made on ${from} remain valid.`}
      words={{ send: 'Change chain', sending: 'Changing…' }}
      variant="danger"
      isSending={isSending}
      error={undefined}
      onSubmit={confirm}
      onClose={onClose}
    >
      <TextField
        label="Description"
        aside="Optional"
        hint="Kept with the setting and in the audit trail."
        maxLength={500}
        autoComplete="off"
        value={description}
        onChange={({ target }) => setDescription(target.value)}
      />
    </FormDialog>
  )
}
