import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { sentenceOf } from '../../api.ts'
import { accountTexts } from '../../texts/account.tsx'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { NewPasswordFields } from './account-fields.tsx'
import { type ResetPasswordForm as NewPassword, resetMinLength, resetPasswordForm } from './credentials.ts'
import { toastValidationError } from './form-failure.ts'

const texts = accountTexts.resetPasswordForm

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
      const message = sentenceOf(error, texts.failedToResetThePassword)
      setError('password', { message }, { shouldFocus: true })
      toast({ title: texts.error, description: message, variant: 'destructive' })
    }
  }

  return (
    <form method="post" noValidate onSubmit={handleSubmit(reset, toastValidationError)} className="flex flex-col gap-5">
      <div>
        <h1 className="text-h1">{texts.chooseANewPassword}</h1>
        <p className="mt-2 text-body text-2">{texts.itSignsYouOutEverywhere}</p>
      </div>
      <NewPasswordFields
        password={{ ...register('password'), error: errors.password }}
        confirmPassword={{ ...register('confirmPassword'), error: errors.confirmPassword }}
        label={texts.newPassword}
        minLength={resetMinLength}
      />
      <Button type="submit" variant="primary" size="lg" busy={isSubmitting}>
        {isSubmitting ? texts.saving : texts.resetPassword}
      </Button>
    </form>
  )
}
