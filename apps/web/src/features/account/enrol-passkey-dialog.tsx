import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { useReauthentication } from '../../session/reauthentication.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { describePasskeyFailure, enrolPasskey } from './passkeys.ts'
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx'

interface EnrolPasskeyDialogProps {
  /** Called after the passkey was enrolled and new recovery codes, if any, were shown. */
  onDone: () => void
  onCancel: () => void
}

/**
 * Enrols a passkey: the user names and creates it, then saves the recovery codes if the account got
 * new ones.
 */
export function EnrolPasskeyDialog({ onDone, onCancel }: EnrolPasskeyDialogProps) {
  const withReauthentication = useReauthentication()
  const [codes, setCodes] = useState<string[] | null>(null)
  const { register, handleSubmit, setError, formState } = useForm({ defaultValues: { name: '' } })
  const { errors, isSubmitting } = formState

  async function create({ name }: { name: string }) {
    try {
      const { recoveryCodes } = await withReauthentication(() => enrolPasskey(name))
      if (recoveryCodes) setCodes(recoveryCodes)
      else onDone()
    } catch (error) {
      setError('name', { message: describePasskeyFailure(error) })
    }
  }

  if (codes) return <RecoveryCodesDialog codes={codes} onClose={onDone} />
  return (
    <FormDialog
      title="Add a passkey"
      description="Your device or security key confirms you with a fingerprint, face or PIN. This site gets only a public key."
      submitLabels={{ send: 'Create passkey', sending: 'Waiting for your device…' }}
      isSending={isSubmitting}
      onSubmit={handleSubmit(create)}
      onClose={onCancel}
    >
      <TextField
        {...register('name', { validate: (name) => name.trim() !== '' || 'Please enter a name' })}
        id="passkey-name"
        label="Name"
        hint="Shown only to you, for example “Work laptop”."
        autoComplete="off"
        maxLength={60}
        error={errors.name?.message}
      />
    </FormDialog>
  )
}
