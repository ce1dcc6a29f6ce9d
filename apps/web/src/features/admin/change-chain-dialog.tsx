import { type FormEvent, useState } from 'react'
import { adminSystemTexts } from '../../texts/admin-system.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { FormDialog } from '../settings/form-dialog.tsx'

const texts = adminSystemTexts.changeChainDialog

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
      title={texts.changeTo({ to })}
      description={texts.fromThenOnEveryPayment({ to, from })}
      words={{ send: texts.changeChain, sending: texts.changing }}
      variant="danger"
      isSending={isSending}
      error={undefined}
      onSubmit={confirm}
      onClose={onClose}
    >
      <TextField
        label={texts.description}
        aside={texts.optional}
        hint={texts.keptWithTheSetting}
        maxLength={500}
        autoComplete="off"
        value={description}
        onChange={({ target }) => setDescription(target.value)}
      />
    </FormDialog>
  )
}
