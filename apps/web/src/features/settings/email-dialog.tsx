import { zodResolver } from '@hookform/resolvers/zod'
import type { AccountProfile } from '@tocsin/protocol'
import { useForm } from 'react-hook-form'
import { call } from '../../api/api.ts'
import { useConfirmed } from '../../session/confirmed.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toast.tsx'
import { type EmailForm, emailForm } from '../account/credentials.ts'
import { failureOf, useAccountRefresh } from './use-account-change.ts'

/**
 * Changes the email address. The change takes effect when the user opens the emailed link. The
 * server does not disclose whether another account uses the address.
 */
export function EmailDialog({ account, onClose }: { account: AccountProfile; onClose: () => void }) {
  const confirmed = useConfirmed()
  const refresh = useAccountRefresh()
  const { register, handleSubmit, setError, formState } = useForm<EmailForm>({
    resolver: zodResolver(emailForm),
    defaultValues: { email: '' },
  })
  const { errors, isSubmitting } = formState

  async function save(form: EmailForm) {
    try {
      const { message } = await confirmed(() => call('changeEmail', { body: form }))
      toast({ title: 'Check your email', description: message, variant: 'success' })
      onClose()
      await refresh()
    } catch (error) {
      setError('email', { message: failureOf(error, 'The email could not be changed. Please try again.') })
    }
  }

  return (
    <FormDialog
      title={account.email === null ? 'Add an email' : 'Change email'}
      description={
        account.email === null
          ? 'We email a link to this address. Open it to confirm the address.'
          : 'We email a link to the new address and notify the current one. The change takes effect when you open the link.'
      }
      words={{ send: 'Send link', sending: 'Sending…' }}
      isSending={isSubmitting}
      error={undefined}
      onSubmit={handleSubmit(save)}
      onClose={onClose}
    >
      <TextField
        {...register('email')}
        id="new-email"
        label="New email"
        type="email"
        autoComplete="email"
        hint={account.email === null ? undefined : `Current: ${account.email}`}
        error={errors.email?.message}
      />
    </FormDialog>
  )
}
