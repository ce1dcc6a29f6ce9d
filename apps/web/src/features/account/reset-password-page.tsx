import { CircleCheck, ClockAlert, Link2Off } from 'lucide-react'
import { useState } from 'react'
import { ApiError, call, sentenceOf } from '../../api.ts'
import { useAuth } from '../../auth.tsx'
import { accountTexts } from '../../texts/account.tsx'
import { Button } from '../../ui/button.tsx'
import { HrefLink } from '../../ui/href-link.tsx'
import { AuthLayout } from './auth-layout.tsx'
import { authHref } from './auth-search.ts'
import { Outcome } from './outcome.tsx'
import { ResetPasswordForm } from './reset-password-form.tsx'
import { useTokenOnce } from './token-once.ts'

const texts = accountTexts.resetPasswordPage

type State = { step: 'form' } | { step: 'invalid' | 'expired' | 'done'; message: string }

const noToken = texts.thisLinkHasNoReset

/** Sets a new password with the token of a mailed link. */
export function ResetPasswordPage() {
  const token = useTokenOnce()
  return <AuthLayout>{token === null ? <Invalid message={noToken} /> : <Reset token={token} />}</AuthLayout>
}

function Reset({ token }: { token: string }) {
  const { isAuthenticated, signOut } = useAuth()
  const [state, setState] = useState<State>({ step: 'form' })

  /** Throws when the password itself was refused, for the form to say so. */
  async function reset(newPassword: string) {
    try {
      const { message } = await call('resetPassword', { body: { token, newPassword } })
      setState({ step: 'done', message })
      // A new password ends every session, also the one of this browser.
      if (isAuthenticated) await signOut()
    } catch (error) {
      const message = sentenceOf(error, '')
      if (message.includes('expired')) return setState({ step: 'expired', message })
      if (error instanceof ApiError && error.code === 'token_invalid') return setState({ step: 'invalid', message })
      throw error
    }
  }

  if (state.step === 'form') return <ResetPasswordForm onSubmit={reset} />
  if (state.step === 'invalid') return <Invalid message={state.message} />
  if (state.step === 'expired') {
    return (
      <Outcome icon={ClockAlert} tone="medium" title={texts.linkExpired} action={<RequestNewLink />}>
        {state.message}
      </Outcome>
    )
  }
  return (
    <Outcome
      icon={CircleCheck}
      tone="ok"
      title={texts.passwordReset}
      action={
        <Button asChild variant="primary" size="lg">
          <HrefLink href={authHref({})}>{texts.logIn}</HrefLink>
        </Button>
      }
    >
      {state.message}
    </Outcome>
  )
}

function Invalid({ message }: { message: string }) {
  return (
    <Outcome icon={Link2Off} tone="critical" title={texts.invalidResetLink} action={<RequestNewLink />}>
      {message}
    </Outcome>
  )
}

function RequestNewLink() {
  return (
    <Button asChild variant="primary" size="lg">
      <HrefLink href={authHref({ mode: 'forgot-password' })}>{texts.requestANewLink}</HrefLink>
    </Button>
  )
}
