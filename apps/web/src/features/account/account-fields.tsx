import type { ReactNode } from 'react'
import type { FieldError, UseFormRegisterReturn } from 'react-hook-form'
import { TextField } from '../../ui/text-field.tsx'

type Registered = UseFormRegisterReturn & { error: FieldError | undefined }

/** The address that an account is known by: what a password manager files it under. */
export function EmailField({ error, ...field }: Registered) {
  return <TextField {...field} id="email" label="Email" type="email" autoComplete="username" error={error?.message} />
}

/**
 * The password that the account has, which a password manager may fill in. `id` tells it from
 * others that a page may hold.
 */
export function CurrentPasswordField({
  error,
  id = 'current-password',
  label = 'Password',
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
  label = 'Password',
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
        aside={`At least ${minLength} characters`}
        type="password"
        autoComplete="new-password"
        error={error?.message}
      />
      <TextField
        {...confirmField}
        id="confirm-password"
        label="Confirm password"
        type="password"
        autoComplete="new-password"
        error={confirmError?.message}
      />
    </>
  )
}
