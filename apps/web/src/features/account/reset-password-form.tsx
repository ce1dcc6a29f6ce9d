import { zodResolver } from '@hookform/resolvers/zod'
import type { LinkedWaysIn } from '@tocsin/protocol'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { sentenceOf } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { NewPasswordFields } from './account-fields.tsx'
import { createResetPasswordForm, type ResetPasswordForm as NewPassword } from './credentials.ts'
import { toastValidationError } from './form-failure.ts'
import { type Removal, WaysInList } from './ways-in-list.tsx'

export type PasswordReset = Removal & { newPassword: string }

interface ResetPasswordFormProps {
  minLength: number
  /** Other sign-in methods of the account. An intruder may have added some. */
  waysIn: LinkedWaysIn
  /** Rejects if the server rejects the password. */
  onSubmit: (reset: PasswordReset) => Promise<void>
}

export function ResetPasswordForm({ minLength, waysIn, onSubmit }: ResetPasswordFormProps) {
  const [removal, setRemoval] = useState<Removal>({ removeWallets: [], removeProviders: [] })
  const { register, handleSubmit, setError, formState } = useForm<NewPassword>({
    resolver: zodResolver(createResetPasswordForm(minLength)),
    defaultValues: { password: '', confirmPassword: '' },
  })
  const { errors, isSubmitting } = formState

  async function reset({ password }: NewPassword) {
    try {
      await onSubmit({ newPassword: password, ...removal })
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
        minLength={minLength}
      />
      {waysIn.identities.length + waysIn.wallets.length > 0 && (
        <fieldset>
          <legend className="mb-3 text-body text-2">
            These can also sign in to the account. Remove any that are not yours.
          </legend>
          <WaysInList waysIn={waysIn} choice={{ removal, onChange: setRemoval }} />
        </fieldset>
      )}
      <Button type="submit" variant="primary" size="lg" busy={isSubmitting}>
        {isSubmitting ? 'Saving…' : 'Reset password'}
      </Button>
    </form>
  )
}
