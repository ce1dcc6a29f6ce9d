import { useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleCheck, CircleX, ClockAlert } from 'lucide-react'
import { call, getErrorMessage } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { notifyOtherTabs } from '../../browser/other-tabs.ts'
import { useAuth } from '../../session/auth.tsx'
import { Button } from '../../ui/button.tsx'
import { HrefLink } from '../../ui/href-link.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { AuthLayout } from './auth-layout.tsx'
import { type AuthTab, formatAuthHref } from './auth-search-params.ts'
import { Outcome } from './outcome.tsx'
import { useTokenOnce } from './token-once.ts'

/** Verifies an email address with the token of an emailed link. */
export function VerifyEmailPage() {
  const token = useTokenOnce()
  return (
    <AuthLayout>
      {token === null ? <VerificationFailed message="No verification token found" /> : <Verification token={token} />}
    </AuthLayout>
  )
}

function Verification({ token }: { token: string }) {
  const queryClient = useQueryClient()
  const { onSignIn } = useAuth()
  // The token can be used only once, so send exactly one request. Without an abort signal, a second
  // mount shares the request instead of cancelling it.
  const { data, error } = useQuery({
    queryKey: ['/api/auth/verify-email', token],
    queryFn: async () => {
      const response = await call('verifyEmail', { query: { token } })
      if (response.user) onSignIn(response.user)
      else {
        // The link may have confirmed a new address of the user who is signed in to this browser.
        // Refetch the user in all tabs.
        await queryClient.invalidateQueries({ queryKey: queries.currentUser.queryKey })
        notifyOtherTabs('session')
      }
      return response
    },
    retryOnMount: false,
    refetchOnReconnect: false,
  })
  if (error) return <VerificationFailed message={getErrorMessage(error, 'Failed to verify email')} />
  if (!data) return <Spinner>Verifying your email...</Spinner>
  if (data.success) {
    return (
      <Outcome
        icon={CircleCheck}
        tone="ok"
        title="Email Verified"
        action={<AuthLink>{data.user ? 'Continue' : 'Log in'}</AuthLink>}
      >
        {data.message}
      </Outcome>
    )
  }
  if (!data.expired) return <VerificationFailed message={data.message || 'Failed to verify email'} />
  return (
    <Outcome
      icon={ClockAlert}
      tone="medium"
      title="Link Expired"
      action={data.signUpAgain ? <AuthLink tab="sign-up">Sign up again</AuthLink> : <AuthLink>Go to login</AuthLink>}
    >
      {data.message}
    </Outcome>
  )
}

function VerificationFailed({ message }: { message: string }) {
  return (
    <Outcome icon={CircleX} tone="critical" title="Verification Failed" action={<AuthLink>Go to login</AuthLink>}>
      {message}
    </Outcome>
  )
}

function AuthLink({ tab = 'log-in', children }: { tab?: AuthTab; children: string }) {
  return (
    <Button asChild variant="primary" size="lg">
      <HrefLink href={formatAuthHref({ tab })}>{children}</HrefLink>
    </Button>
  )
}
