import { zodResolver } from '@hookform/resolvers/zod'
import { useQuery } from '@tanstack/react-query'
import type { AccessBesidesPassword } from '@tocsin/protocol'
import { CircleCheck, ClockAlert, Link2Off } from 'lucide-react'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { ApiError, call, getErrorMessage } from '../../api/api.ts'
import { useAuth } from '../../session/auth.tsx'
import { Button } from '../../ui/button.tsx'
import { HrefLink } from '../../ui/href-link.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toast.tsx'
import { NewPasswordFields } from './account-fields.tsx'
import { AddedAccessList, type Removal } from './added-access-list.tsx'
import { AuthLayout } from './auth-layout.tsx'
import { formatAuthHref } from './auth-search-params.ts'
import { createResetPasswordForm, type ResetPasswordForm as NewPassword, resetMinLength } from './credentials.ts'
import { toastValidationError } from './form-failure.ts'
import { Outcome } from './outcome.tsx'
import { useTokenOnce } from './token-once.ts'

type State =
  | { step: 'invalid' | 'expired'; message: string }
  | { step: 'done'; message: string; waysIn: AccessBesidesPassword }

const missingTokenMessage = 'This link is incomplete. Open the link in the email again, or ask for a new one.'
const noAccess: AccessBesidesPassword = { identities: [], wallets: [], destinations: [], factors: [] }
const noRemoval: Removal = { removeWallets: [], removeProviders: [], removeDestinations: [], removeFactors: [] }

/** Sets a new password with the token of an emailed link. */
export function ResetPasswordPage() {
  const token = useTokenOnce()
  return (
    <AuthLayout>{token === null ? <InvalidLink message={missingTokenMessage} /> : <Reset token={token} />}</AuthLayout>
  )
}

function Reset({ token }: { token: string }) {
  const { isAuthenticated, signOut } = useAuth()
  const [state, setState] = useState<State | null>(null)
  // If this check fails, show the form anyway: the server checks the link again on submit.
  const { data: link, isPending } = useQuery({
    queryKey: ['/api/auth/reset-password/check', token],
    queryFn: () => call('checkResetLink', { body: { token } }),
    refetchOnReconnect: false,
  })

  /**
   * Throws all errors except that of an invalid or expired link, so that the form shows the reason.
   */
  async function reset(form: PasswordReset) {
    try {
      const { message, waysIn } = await call('resetPassword', { body: { token, ...form } })
      setState({ step: 'done', message, waysIn })
      // A new password ends all sessions of its account. This browser may have a session of another
      // account.
      const session = isAuthenticated ? await call('currentUser').catch(() => null) : null
      if (session?.user === null) await signOut()
    } catch (error) {
      const code = error instanceof ApiError ? error.code : null
      const message = getErrorMessage(error, '')
      if (code === 'token_expired') return setState({ step: 'expired', message })
      if (code === 'token_invalid') return setState({ step: 'invalid', message })
      throw error
    }
  }

  if (state?.step === 'done') return <ResetDone message={state.message} waysIn={state.waysIn} />
  if (state === null && isPending) return <Spinner>Checking your link…</Spinner>
  const linkProblem =
    link && !link.success ? { step: link.expired ? 'expired' : 'invalid', message: link.message } : null
  const problem = state ?? linkProblem
  if (problem === null) {
    return (
      <ResetPasswordForm
        minLength={link?.minLength ?? resetMinLength}
        waysIn={link?.waysIn ?? noAccess}
        onSubmit={reset}
      />
    )
  }
  if (problem.step === 'invalid') return <InvalidLink message={problem.message} />
  return (
    <Outcome icon={ClockAlert} tone="medium" title="Link Expired" action={<RequestNewLink />}>
      {problem.message}
    </Outcome>
  )
}

function ResetDone({ message, waysIn }: { message: string; waysIn: AccessBesidesPassword }) {
  return (
    <>
      <Outcome
        icon={CircleCheck}
        tone="ok"
        title="Password Reset"
        action={
          <Button asChild variant="primary" size="lg">
            <HrefLink href={formatAuthHref({})}>Log in</HrefLink>
          </Button>
        }
      >
        {message}
      </Outcome>
      {hasOtherAccess(waysIn) && (
        <div className="mt-8 text-body text-2">
          <p className="mb-3">
            These sign-in methods, second factors and destinations still have access to the account. Log in to remove
            them under Settings.
          </p>
          <AddedAccessList waysIn={waysIn} />
        </div>
      )}
    </>
  )
}

const hasOtherAccess = (access: AccessBesidesPassword) => Object.values(access).some(({ length }) => length > 0)

function InvalidLink({ message }: { message: string }) {
  return (
    <Outcome icon={Link2Off} tone="critical" title="Invalid Reset Link" action={<RequestNewLink />}>
      {message}
    </Outcome>
  )
}

function RequestNewLink() {
  return (
    <Button asChild variant="primary" size="lg">
      <HrefLink href={formatAuthHref({ mode: 'forgot-password' })}>Request a new link</HrefLink>
    </Button>
  )
}

type PasswordReset = Removal & { newPassword: string; factorCode?: string }

/** Codes of errors that are shown at the field for the second factor and not at the password. */
const codeErrorCodes = new Set<string | null>([
  'code_wrong',
  'app_unreadable',
  'second_factor_required',
  'last_factor',
  'too_many_requests',
])

interface ResetPasswordFormProps {
  minLength: number
  /**
   * Sign-in methods, second factors and destinations of the account. An intruder may have added
   * some.
   */
  waysIn: AccessBesidesPassword
  /** Rejects if the reset failed, unless the link is invalid or expired. */
  onSubmit: (reset: PasswordReset) => Promise<void>
}

function ResetPasswordForm({ minLength, waysIn, onSubmit }: ResetPasswordFormProps) {
  const [removal, setRemoval] = useState(noRemoval)
  const { register, handleSubmit, setError, formState } = useForm<NewPassword>({
    resolver: zodResolver(createResetPasswordForm(minLength)),
    defaultValues: { password: '', confirmPassword: '' },
  })
  const { errors, isSubmitting } = formState
  const [factorCode, setFactorCode] = useState('')
  const [codeError, setCodeError] = useState<string>()
  const needsCode = removal.removeFactors.length > 0

  async function reset({ password }: NewPassword) {
    setCodeError(undefined)
    try {
      await onSubmit({ newPassword: password, ...removal, ...(needsCode && factorCode !== '' ? { factorCode } : {}) })
    } catch (error) {
      if (needsCode && error instanceof ApiError && codeErrorCodes.has(error.code)) {
        return setCodeError(getErrorMessage(error, 'The code could not be checked. Please try again.'))
      }
      const message = getErrorMessage(error, 'Failed to reset the password. Please try again.')
      setError('password', { message }, { shouldFocus: true })
      toast({ title: 'Error', description: message, variant: 'destructive' })
    }
  }

  return (
    <form method="post" noValidate onSubmit={handleSubmit(reset, toastValidationError)} className="flex flex-col gap-5">
      <div>
        <h1 className="text-h1">Choose a new password</h1>
        <p className="mt-2 text-body text-2">A new password ends all your sessions.</p>
      </div>
      <NewPasswordFields
        password={{ ...register('password'), error: errors.password }}
        confirmPassword={{ ...register('confirmPassword'), error: errors.confirmPassword }}
        label="New password"
        minLength={minLength}
      />
      {hasOtherAccess(waysIn) && (
        <fieldset>
          <legend className="mb-3 text-body text-2">
            These sign-in methods, second factors and destinations also have access to the account. Remove any that are
            not yours. A passkey that you keep can sign in without the password again after you have signed in with both
            once.
          </legend>
          <AddedAccessList waysIn={waysIn} choice={{ removal, onChange: setRemoval }} />
          {needsCode && (
            <div className="mt-4">
              <TextField
                id="factor-code"
                label="Code to remove second factors"
                hint="Enter a code from your authenticator app, or a recovery code. If you have neither, ask support to reset your second factors."
                value={factorCode}
                onChange={({ target }) => {
                  setFactorCode(target.value)
                  setCodeError(undefined)
                }}
                required
                autoComplete="one-time-code"
                autoCapitalize="none"
                spellCheck={false}
                maxLength={40}
                mono
                error={codeError}
              />
            </div>
          )}
        </fieldset>
      )}
      <Button type="submit" variant="primary" size="lg" busy={isSubmitting}>
        {isSubmitting ? 'Saving…' : 'Reset password'}
      </Button>
    </form>
  )
}
