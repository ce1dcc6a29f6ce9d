import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { ApiError, call, getErrorMessage } from '../../api/api.ts'
import { useAuth } from '../../session/auth.tsx'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { FieldError } from '../../ui/field.tsx'
import { HrefLink } from '../../ui/href-link.tsx'
import { toast } from '../../ui/toast.tsx'
import { CurrentPasswordField, EmailField } from './account-fields.tsx'
import { type LogInForm as Credentials, logInForm } from './credentials.ts'
import { toastValidationError } from './form-failure.ts'
import { PasskeyLogIn } from './passkey-log-in.tsx'

interface LogInFormProps {
  /** Initial value of the email field: the unverified address that the user last entered, or ''. */
  email: string
  forgotPasswordHref: string
  onVerificationRequired: (email: string) => void
}

/** Signs in with email and password. The page redirects afterwards. */
export function LogInForm({ email, forgotPasswordHref, onVerificationRequired }: LogInFormProps) {
  const { onSignIn, awaitFactor } = useAuth()
  const { register, handleSubmit, setError, getValues, formState } = useForm<Credentials>({
    resolver: zodResolver(logInForm),
    defaultValues: { email, password: '', rememberMe: false },
  })
  const { errors, isSubmitting } = formState

  async function logIn(credentials: Credentials) {
    try {
      const { user, awaitedFactor, requiresVerification, message } = await call('login', { body: credentials })
      if (user) return onSignIn(user)
      if (awaitedFactor) return awaitFactor(awaitedFactor)
      if (!requiresVerification) return showFailure(message || 'Invalid email or password. Please try again.')
      onVerificationRequired(credentials.email)
      toast({ title: 'Email Verification Required', description: message })
    } catch (error) {
      const isUnauthorized = error instanceof ApiError && error.status === 401
      const fallback = isUnauthorized
        ? 'Invalid email or password. Please try again.'
        : 'An error occurred during login. Please try again.'
      showFailure(getErrorMessage(error, fallback))
    }
  }

  function showFailure(message: string) {
    setError('root', { message })
    toast({ title: 'Login Failed', description: message, variant: 'destructive' })
  }

  return (
    <form method="post" noValidate onSubmit={handleSubmit(logIn, toastValidationError)} className="flex flex-col gap-5">
      <EmailField {...register('email')} error={errors.email} />
      <CurrentPasswordField
        {...register('password')}
        error={errors.password}
        aside={
          <HrefLink href={forgotPasswordHref} className="link touch-target font-medium">
            Forgot password?
          </HrefLink>
        }
      />
      <Checkbox {...register('rememberMe')} label="Remember me for 30 days" />
      {errors.root?.message !== undefined && <FieldError>{errors.root.message}</FieldError>}
      <Button type="submit" variant="primary" size="lg" busy={isSubmitting}>
        {isSubmitting ? 'Logging in…' : 'Log in'}
      </Button>
      <PasskeyLogIn isRemembered={() => getValues('rememberMe')} />
    </form>
  )
}
