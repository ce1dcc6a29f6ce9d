import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { sentenceOf } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { NewPasswordFields } from './account-fields.tsx'
import { type ResetPasswordForm as NewPassword, resetMinLength, resetPasswordForm } from './credentials.ts'
import { toastValidationError } from './form-failure.ts'

interface ResetPasswordFormProps {
  /** Rejects with what the server refused about the password. */
  onSubmit: (newPassword: string) => Promise<void>
}

export function ResetPasswordForm({ onSubmit }: ResetPasswordFormProps) {
  const { register, handleSubmit, setError, formState } = useForm<NewPassword>({
    resolver: zodResolver(resetPasswordForm),
    defaultValues: { password: '', confirmPassword: '' },
  })
  const { errors, isSubmitting } = formState

  async function reset({ password }: NewPassword) {
    try {
      await onSubmit(password)
    } catch (error) {
      const message = sentenceOf(error, 'Failed to reset the password. Please try again.')
      setError('password', { message }, { shouldFocus: true })
      toast({ title: 'Error', description: message, variant: 'destructive' })
    }
  }

  return (
    <form method="post" noValidate onSubmit={handleSubmit(reset, toastValidationError)} className="flex flex-col gap-5">
      <div>
        <h1 className="text-h1">Choose a new password</h1>
        <p className="mt-2 text-body text-2">It signs you out everywhere else.</p>
      </div>
      <NewPasswordFields
        password={{ ...register('password'), error: errors.password }}
        confirmPassword={{ ...register('confirmPassword'), error: errors.confirmPassword }}
        label="New password"
        minLength={resetMinLength}
      />
      <Button type="submit" variant="primary" size="lg" busy={isSubmitting}>
        {isSubmitting ? 'Saving…' : 'Reset password'}
      </Button>
    </form>
  )
}
