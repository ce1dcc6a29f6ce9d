import type { ResponseOf } from '@tocsin/protocol'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { call } from '../../api/api.ts'
import { useReauthentication } from '../../session/reauthentication.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { QrCode } from '../../ui/qr-code.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx'
import { formatFailure } from './toast-failure.ts'

interface EnrolTotpDialogProps {
  enrolment: ResponseOf<'startTotp'>
  /** Called after the app was enrolled and new recovery codes, if any, were shown. */
  onDone: () => void
  onCancel: () => void
}

/**
 * Enrols an authenticator app: the user scans the QR code and enters a first code, then saves the
 * recovery codes if the account got new ones.
 */
export function EnrolTotpDialog({ enrolment: { secret, uri }, onDone, onCancel }: EnrolTotpDialogProps) {
  const withReauthentication = useReauthentication()
  const [codes, setCodes] = useState<string[] | null>(null)
  const { register, handleSubmit, setError, formState } = useForm({ defaultValues: { code: '' } })
  const { errors, isSubmitting } = formState

  async function confirm({ code }: { code: string }) {
    try {
      const { recoveryCodes } = await withReauthentication(() => call('confirmTotp', { body: { code } }))
      if (recoveryCodes) setCodes(recoveryCodes)
      else onDone()
    } catch (error) {
      const message = formatFailure(error, 'The code could not be checked. Please try again.')
      setError('code', { message }, { shouldFocus: true })
    }
  }

  if (codes) return <RecoveryCodesDialog codes={codes} onClose={onDone} />
  return (
    <FormDialog
      title="Set up an authenticator app"
      description="Scan the code with your app, then enter the six digits that it shows."
      submitLabels={{ send: 'Turn on', sending: 'Checking…' }}
      isSending={isSubmitting}
      onSubmit={handleSubmit(confirm)}
      onClose={onCancel}
    >
      <div className="mx-auto w-full max-w-48">
        <QrCode text={uri} label="QR code for your authenticator app" />
      </div>
      <div className="text-base text-2">
        <p>Or enter this key in the app:</p>
        <p className="mt-1 flex items-center justify-between gap-2 text-1">
          <code className="text-data wrap-anywhere">{secret.match(/.{1,4}/g)?.join(' ')}</code>
          <CopyButton text={secret} label="Copy key" />
        </p>
      </div>
      <TextField
        {...register('code', { required: 'Please enter the code' })}
        id="totp-code"
        label="Code from the app"
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={7}
        mono
        error={errors.code?.message}
      />
    </FormDialog>
  )
}
