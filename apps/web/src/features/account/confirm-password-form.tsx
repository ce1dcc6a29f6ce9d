import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { call, sentenceOf } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { CurrentPasswordField } from './account-fields.tsx'
import { type ConfirmForm, confirmForm } from './credentials.ts'
import { UsernameField } from './username-field.tsx'

interface ConfirmPasswordFormProps {
  /** For password managers. */
  username: string
  onConfirmed: () => void
}

export function ConfirmPasswordForm({ username, onConfirmed }: ConfirmPasswordFormProps) {
  const { register, handleSubmit, setError, formState } = useForm<ConfirmForm>({
    resolver: zodResolver(confirmForm),
    defaultValues: { password: '' },
  })
  const { errors, isSubmitting } = formState

  async function confirm({ password }: ConfirmForm) {
    try {
      await call('confirm', { body: { password } })
      onConfirmed()
    } catch (error) {
      const message = sentenceOf(error, 'Your password could not be checked. Please try again.')
      setError('password', { message }, { shouldFocus: true })
    }
  }

  return (
    <form method="post" noValidate onSubmit={handleSubmit(confirm)} className="grid gap-5">
      <UsernameField value={username} />
      <CurrentPasswordField {...register('password')} id="confirm-current-password" error={errors.password} />
      <Button type="submit" variant="primary" size="lg" busy={isSubmitting}>
        {isSubmitting ? 'Checking…' : 'Confirm'}
      </Button>
    </form>
  )
}
