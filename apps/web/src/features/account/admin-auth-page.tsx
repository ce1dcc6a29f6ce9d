import { zodResolver } from '@hookform/resolvers/zod'
import { Link, Navigate } from '@tanstack/react-router'
import type { AwaitedFactor, SessionUser } from '@tocsin/protocol'
import { Link2Off, ShieldX } from 'lucide-react'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { ApiError, call, getErrorMessage } from '../../api/api.ts'
import { paths } from '../../paths.ts'
import { useAuth } from '../../session/auth.tsx'
import { Button } from '../../ui/button.tsx'
import { FieldError } from '../../ui/field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toast.tsx'
import { CurrentPasswordField, EmailField, NewPasswordFields } from './account-fields.tsx'
import { AuthLayout } from './auth-layout.tsx'
import { type AdminForm, adminForm, adminMinLength, firstAdminForm, type SignUpForm } from './credentials.ts'
import { EnrolAdmin } from './enrol-admin.tsx'
import { toastValidationError } from './form-failure.ts'
import { Notice } from './notice.tsx'
import { Outcome } from './outcome.tsx'
import { PasskeyLogIn } from './passkey-log-in.tsx'
import { SecondFactorStep } from './second-factor-step.tsx'
import { useSetupTokenOnce } from './token-once.ts'

const notAdmin: Denial = { title: 'Access Denied', message: 'Admin privileges required' }

/**
 * Sign-in page of the admin area. Tells signed-in users who are not admins why they can't open
 * /admin.
 */
export function AdminAuthPage() {
  const { isAuthenticated, isAdmin, user, awaitedFactor } = useAuth()
  const setupToken = useSetupTokenOnce()
  const [formDenial, setFormDenial] = useState<Denial | null>(null)
  const denial = formDenial ?? (isAuthenticated ? notAdmin : null)

  if (isAdmin) return <Navigate to={paths.admin} replace />
  if (user?.mustEnrol || awaitedFactor) {
    return <AuthLayout>{awaitedFactor ? <SecondFactorStep awaited={awaitedFactor} /> : <EnrolAdmin />}</AuthLayout>
  }
  if (setupToken !== null) {
    return (
      <AuthLayout>
        <FirstAdmin token={setupToken} />
      </AuthLayout>
    )
  }
  return (
    <AuthLayout>
      <div role="alert">
        {denial && (
          <div className="mb-8">
            <Notice tone="critical" icon={ShieldX} title={denial.title}>
              {denial.message}
            </Notice>
          </div>
        )}
      </div>
      <h1 className="text-h1">Admin sign-in</h1>
      <p className="mt-2 mb-6 text-body text-2">For administrators of this installation.</p>
      <AdminSignInForm onDenial={setFormDenial} />
    </AuthLayout>
  )
}

function AdminSignInForm({ onDenial }: { onDenial: (denial: Denial | null) => void }) {
  const { onSignIn, awaitFactor } = useAuth()
  const { register, handleSubmit, formState } = useForm<AdminForm>({
    resolver: zodResolver(adminForm),
    defaultValues: { email: '', password: '' },
  })
  const { errors, isSubmitting } = formState

  async function signIn(credentials: AdminForm) {
    onDenial(null)
    const outcome = await signInAsAdmin(credentials)
    if ('awaitedFactor' in outcome) return awaitFactor(outcome.awaitedFactor)
    if ('user' in outcome) onSignIn(outcome.user)
    else onDenial(outcome)
    const denial = 'user' in outcome ? (outcome.user.isAdmin ? null : notAdmin) : outcome
    if (denial) toast({ title: denial.title, description: denial.message, variant: 'destructive' })
  }

  return (
    <form
      method="post"
      noValidate
      onSubmit={handleSubmit(signIn, toastValidationError)}
      className="flex flex-col gap-5"
    >
      <EmailField {...register('email')} error={errors.email} />
      <CurrentPasswordField {...register('password')} error={errors.password} />
      <Button type="submit" variant="primary" size="lg" busy={isSubmitting}>
        {isSubmitting ? 'Checking…' : 'Log in as admin'}
      </Button>
      <PasskeyLogIn />
    </form>
  )
}

interface Denial {
  title: string
  message: string
}
type AdminSignIn = { user: SessionUser } | { awaitedFactor: AwaitedFactor } | Denial

async function signInAsAdmin(credentials: { email: string; password: string }): Promise<AdminSignIn> {
  try {
    const { user, message, requiresVerification, awaitedFactor } = await call('login', { body: credentials })
    if (awaitedFactor) return { awaitedFactor }
    return user ? { user } : createDenial(requiresVerification ? message : 'Invalid credentials')
  } catch (error) {
    if (!(error instanceof ApiError)) return { title: 'Login Error', message: 'Network error' }
    if (error.status === 401) return createDenial('Invalid credentials')
    if (error.status === 403) return createDenial(getErrorMessage(error, 'Invalid credentials'))
    return { title: 'Login Error', message: getErrorMessage(error, 'Network error') }
  }
}

function createDenial(message: string): Denial {
  return { title: 'Access Denied', message }
}

const invalidLinkCodes: readonly string[] = ['token_invalid', 'token_expired', 'not_found']

/**
 * Form that creates the first admin. The setup link that the server prints opens it. After success,
 * `AdminAuthPage` redirects.
 */
function FirstAdmin({ token }: { token: string }) {
  const [linkError, setLinkError] = useState<string | null>(null)
  if (linkError === null) return <FirstAdminForm token={token} onInvalidLink={setLinkError} />
  return (
    <Outcome
      icon={Link2Off}
      tone="critical"
      title="Invalid Setup Link"
      action={
        <Button asChild variant="primary" size="lg">
          {/* Reload, because this page keeps the used token in its state. */}
          <Link to={paths.adminAuth} reloadDocument>
            Go to admin sign-in
          </Link>
        </Button>
      }
    >
      {linkError}
    </Outcome>
  )
}

interface FirstAdminFormProps {
  token: string
  /** Called with the reason if the link is used, expired or unknown. */
  onInvalidLink: (message: string) => void
}

function FirstAdminForm({ token, onInvalidLink }: FirstAdminFormProps) {
  const { onSignIn } = useAuth()
  const { register, handleSubmit, setError, formState } = useForm<SignUpForm>({
    resolver: zodResolver(firstAdminForm),
    defaultValues: { name: '', email: '', password: '', confirmPassword: '' },
  })
  const { errors, isSubmitting } = formState

  async function createAdmin({ name, email, password }: SignUpForm) {
    try {
      const { user, message } = await call('createFirstAdmin', { body: { token, name, email, password } })
      if (user) onSignIn(user)
      else showFailure(message)
    } catch (error) {
      const message = getErrorMessage(error, 'The admin could not be created. Please try again.')
      if (error instanceof ApiError && invalidLinkCodes.includes(error.code ?? '')) onInvalidLink(message)
      else showFailure(message)
    }
  }

  function showFailure(message: string) {
    setError('root', { message })
    toast({ title: 'Error', description: message, variant: 'destructive' })
  }

  return (
    <form
      method="post"
      noValidate
      onSubmit={handleSubmit(createAdmin, toastValidationError)}
      className="flex flex-col gap-5"
    >
      <div>
        <h1 className="text-h1">Create the first admin</h1>
        <p className="mt-2 text-body text-2">
          This installation has no admin yet. The setup link works once. Afterwards, sign in with the email and password
          that you enter here.
        </p>
      </div>
      <TextField {...register('name')} id="name" label="Name" autoComplete="name" error={errors.name?.message} />
      <EmailField {...register('email')} error={errors.email} />
      <NewPasswordFields
        password={{ ...register('password'), error: errors.password }}
        confirmPassword={{ ...register('confirmPassword'), error: errors.confirmPassword }}
        minLength={adminMinLength}
      />
      {errors.root?.message !== undefined && <FieldError>{errors.root.message}</FieldError>}
      <Button type="submit" variant="primary" size="lg" busy={isSubmitting}>
        {isSubmitting ? 'Creating admin…' : 'Create admin'}
      </Button>
    </form>
  )
}
