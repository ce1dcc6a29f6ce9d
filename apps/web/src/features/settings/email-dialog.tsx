import { zodResolver } from '@hookform/resolvers/zod'
import type { AccountProfile } from '@tocsin/protocol'
import { useForm } from 'react-hook-form'
import { call } from '../../api.ts'
import { useConfirmed } from '../../confirmation.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toast.tsx'
import { type EmailForm, emailForm } from '../account/credentials.ts'
import { FormDialog } from './form-dialog.tsx'
import { failureOf, useAccountRefresh } from './use-account-change.ts'

/**
 * The new address counts once its mailed link was opened; whether another account has it is not
 * told.
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
          ? 'We email a link to it. It counts once you open that link.'
          : 'We email a link to the new address and tell the current one. Until the link is opened, the current one counts.'
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
        hint={account.email === null ? undefined : `Now: ${account.email}`}
        error={errors.email?.message}
      />
    </FormDialog>
  )
}
