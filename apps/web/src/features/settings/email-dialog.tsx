import { zodResolver } from '@hookform/resolvers/zod'
import type { AccountProfile } from '@tocsin/protocol'
import { useForm } from 'react-hook-form'
import { call } from '../../api.ts'
import { useConfirmed } from '../../confirmation.tsx'
import { settingsTexts } from '../../texts/settings.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toast.tsx'
import { type EmailForm, emailForm } from '../account/credentials.ts'
import { FormDialog } from './form-dialog.tsx'
import { failureOf, useAccountRefresh } from './use-account-change.ts'

const texts = settingsTexts.emailDialog

/** The new address counts once its mailed link was opened; whether another account has it is not told. */
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
      toast({ title: texts.checkYourEmail, description: message, variant: 'success' })
      onClose()
      await refresh()
    } catch (error) {
      setError('email', { message: failureOf(error, texts.emailCouldNotBeChanged) })
    }
  }

  return (
    <FormDialog
      title={account.email === null ? texts.addAnEmail : texts.changeEmail}
      description={account.email === null ? texts.weEmailALink : texts.weEmailALinkTo}
      words={{ send: texts.sendLink, sending: texts.sending }}
      isSending={isSubmitting}
      error={undefined}
      onSubmit={handleSubmit(save)}
      onClose={onClose}
    >
      <TextField
        {...register('email')}
        id="new-email"
        label={texts.newEmail}
        type="email"
        autoComplete="email"
        hint={account.email === null ? undefined : texts.nowEmail({ email: account.email })}
        error={errors.email?.message}
      />
    </FormDialog>
  )
}
