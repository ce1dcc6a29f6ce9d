import type { ReactNode } from 'react'
import type { FieldError, UseFormRegisterReturn } from 'react-hook-form'
import { accountTexts } from '../../texts/account.tsx'
import { TextField } from '../../ui/text-field.tsx'

const texts = accountTexts.accountFields

type Registered = UseFormRegisterReturn & { error: FieldError | undefined }

/** The address that an account is known by: what a password manager files it under. */
export function EmailField({ error, ...field }: Registered) {
  return (
    <TextField {...field} id="email" label={texts.email} type="email" autoComplete="username" error={error?.message} />
  )
}

/** The password that the account has, which a password manager may fill in. `id` tells it from others that a page may hold. */
export function CurrentPasswordField({
  error,
  id = 'current-password',
  label = texts.password,
  ...field
}: Registered & { id?: string; label?: string; aside?: ReactNode }) {
  return (
    <TextField
      {...field}
      id={id}
      label={label}
      type="password"
      autoComplete="current-password"
      error={error?.message}
    />
  )
}

interface NewPasswordFieldsProps {
  password: Registered
  confirmPassword: Registered
  label?: string
  minLength: number
}

/** A new password, typed twice, which a password manager may fill in and keep. */
export function NewPasswordFields({
  password,
  confirmPassword,
  label = texts.password,
  minLength,
}: NewPasswordFieldsProps) {
  const { error, ...field } = password
  const { error: confirmError, ...confirmField } = confirmPassword
  return (
    <>
      <TextField
        {...field}
        id="new-password"
        label={label}
        aside={texts.atLeastCharacters({ minLength })}
        type="password"
        autoComplete="new-password"
        error={error?.message}
      />
      <TextField
        {...confirmField}
        id="confirm-password"
        label={texts.confirmPassword}
        type="password"
        autoComplete="new-password"
        error={confirmError?.message}
      />
    </>
  )
}
