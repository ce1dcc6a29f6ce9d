import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleX, ClockAlert } from 'lucide-react'
import { call, sentenceOf } from '../../api.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { AuthLayout } from './auth-layout.tsx'
import { Outcome } from './outcome.tsx'
import { useTokenOnce } from './token-once.ts'

/** Confirms an e-mail address with the token of a mailed link. */
export function VerifyEmailPage() {
  const token = useTokenOnce()
  return (
    <AuthLayout>
      {token === null ? <Failed message="No verification token found" /> : <Verification token={token} />}
    </AuthLayout>
  )
}

function Verification({ token }: { token: string }) {
  // A token works once, so this must be asked once: the call takes no abort signal, and the cache joins a second mount to it.
  const { data, error } = useQuery({
    queryKey: ['/api/auth/verify-email', token],
    queryFn: () => call('verifyEmail', { query: { token } }),
    retryOnMount: false,
    refetchOnReconnect: false,
  })
  if (error) return <Failed message={sentenceOf(error, 'Failed to verify email')} />
  if (!data) return <Spinner>Verifying your email...</Spinner>
  if (data.success) {
    return (
      <Outcome icon={CircleCheck} tone="ok" title="Email Verified" action={<ToAuth>Log in</ToAuth>}>
        {data.message}
      </Outcome>
    )
  }
  if (!data.expired) return <Failed message={data.message || 'Failed to verify email'} />
  return (
    <Outcome icon={ClockAlert} tone="medium" title="Link Expired" action={<ToAuth>Go to log in</ToAuth>}>
      {data.message} Log in with your email and password, then choose Resend.
    </Outcome>
  )
}

function Failed({ message }: { message: string }) {
  return (
    <Outcome icon={CircleX} tone="critical" title="Verification Failed" action={<ToAuth>Go to log in</ToAuth>}>
      {message}
    </Outcome>
  )
}

function ToAuth({ children }: { children: string }) {
  return (
    <Button asChild variant="primary" size="lg">
      <Link to={paths.auth}>{children}</Link>
    </Button>
  )
}
