import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { call, getErrorMessage } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { FieldError } from '../../ui/field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toast.tsx'
import { EmailField, NewPasswordFields } from './account-fields.tsx'
import { type SignUpForm as NewAccount, signUpForm, signUpMinLength } from './credentials.ts'
import { toastValidationError } from './form-failure.ts'

interface SignUpFormProps {
  onRegistered: (email: string) => void
}

export function SignUpForm({ onRegistered }: SignUpFormProps) {
  const { register, handleSubmit, setError, formState } = useForm<NewAccount>({
    resolver: zodResolver(signUpForm),
    defaultValues: { name: '', email: '', password: '', confirmPassword: '' },
  })
  const { errors, isSubmitting } = formState

  async function signUp({ name, email, password }: NewAccount) {
    try {
      const { success, message } = await call('register', { body: { name, email, password } })
      if (success) onRegistered(email.trim())
      else showFailure(message)
    } catch (error) {
      showFailure(getErrorMessage(error, 'An error occurred during registration. Please try again.'))
    }
  }

  function showFailure(message: string) {
    setError('root', { message })
    toast({ title: 'Registration Failed', description: message, variant: 'destructive' })
  }

  return (
    <form
      method="post"
      noValidate
      onSubmit={handleSubmit(signUp, toastValidationError)}
      className="flex flex-col gap-5"
    >
      <TextField {...register('name')} id="name" label="Name" autoComplete="name" error={errors.name?.message} />
      <EmailField {...register('email')} error={errors.email} />
      <NewPasswordFields
        password={{ ...register('password'), error: errors.password }}
        confirmPassword={{ ...register('confirmPassword'), error: errors.confirmPassword }}
        minLength={signUpMinLength}
      />
      {errors.root?.message !== undefined && <FieldError>{errors.root.message}</FieldError>}
      <Button type="submit" variant="primary" size="lg" busy={isSubmitting}>
        {isSubmitting ? 'Creating account…' : 'Create account'}
      </Button>
    </form>
  )
}
