import type { ReactNode } from 'react'
import type { FieldError, UseFormRegisterReturn } from 'react-hook-form'
import { TextField } from '../../ui/text-field.tsx'

type RegisteredField = UseFormRegisterReturn & { error: FieldError | undefined }

/**
 * Field for the email address of an account. `autoComplete` is "username", so that password
 * managers save the address with the password.
 */
export function EmailField({ error, ...field }: RegisteredField) {
  return <TextField {...field} id="email" label="Email" type="email" autoComplete="username" error={error?.message} />
}

/** Field for an existing password. Pass an `id` if the page has several password fields. */
export function CurrentPasswordField({
  error,
  id = 'current-password',
  label = 'Password',
  ...field
}: RegisteredField & { id?: string; label?: string; aside?: ReactNode }) {
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
  password: RegisteredField
  confirmPassword: RegisteredField
  label?: string
  minLength: number
}

/** Fields for a new password and its confirmation. */
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
