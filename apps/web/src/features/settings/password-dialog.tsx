import { zodResolver } from '@hookform/resolvers/zod'
import type { AccountProfile } from '@tocsin/protocol'
import { useForm, useWatch } from 'react-hook-form'
import { ApiError, call } from '../../api/api.ts'
import { useConfirmed } from '../../session/confirmed.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toast.tsx'
import { CurrentPasswordField } from '../account/account-fields.tsx'
import { adminMinLength, createNewPasswordForm, type NewPasswordForm, signUpMinLength } from '../account/credentials.ts'
import { PasswordRules } from '../account/password-rules.tsx'
import { UsernameField } from '../account/username-field.tsx'
import { failureOf, useAccountRefresh } from './use-account-change.ts'

export function PasswordDialog({ account, onClose }: { account: AccountProfile; onClose: () => void }) {
  const confirmed = useConfirmed()
  const refresh = useAccountRefresh()
  const { hasPassword, isAdmin } = account
  const minLength = isAdmin ? adminMinLength : signUpMinLength
  const { register, handleSubmit, setError, control, formState } = useForm<NewPasswordForm>({
    resolver: zodResolver(createNewPasswordForm(minLength)),
    defaultValues: { ...(hasPassword ? { currentPassword: '' } : {}), password: '', confirmPassword: '' },
  })
  const { errors, isSubmitting } = formState
  const [password, confirmPassword] = useWatch({ control, name: ['password', 'confirmPassword'] })

  async function save(form: NewPasswordForm) {
    const currentPassword = hasPassword ? { currentPassword: form.currentPassword ?? '' } : {}
    try {
      const body = { newPassword: form.password, ...currentPassword }
      const { message } = await confirmed(() => call('changePassword', { body }))
      toast({
        title: hasPassword ? 'Password Changed' : 'Password Set',
        description: message,
        variant: 'success',
      })
      onClose()
      await refresh()
    } catch (error) {
      const message = failureOf(error, 'The password could not be changed. Please try again.')
      const isWrong = error instanceof ApiError && error.code === 'invalid_credentials'
      setError(isWrong ? 'currentPassword' : 'password', { message }, { shouldFocus: true })
    }
  }

  return (
    <FormDialog
      title={hasPassword ? 'Change password' : 'Set a password'}
      description="This ends all your other sessions, and we notify you by email."
      words={{ send: hasPassword ? 'Change password' : 'Set password', sending: 'Saving…' }}
      isSending={isSubmitting}
      error={undefined}
      onSubmit={handleSubmit(save)}
      onClose={onClose}
    >
      <UsernameField value={account.email ?? account.name} />
      {hasPassword && (
        <CurrentPasswordField
          {...register('currentPassword')}
          id="change-current-password"
          label="Current password"
          error={errors.currentPassword}
        />
      )}
      <TextField
        {...register('password')}
        id="change-new-password"
        label="New password"
        type="password"
        autoComplete="new-password"
        hint={<PasswordRules password={password} confirmPassword={confirmPassword} minLength={minLength} />}
        error={errors.password?.message}
      />
      <TextField
        {...register('confirmPassword')}
        id="change-confirm-password"
        label="Confirm new password"
        type="password"
        autoComplete="new-password"
        error={errors.confirmPassword?.message}
      />
    </FormDialog>
  )
}
