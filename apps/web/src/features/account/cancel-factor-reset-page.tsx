import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleX, ShieldAlert } from 'lucide-react'
import { call, getErrorMessage } from '../../api/api.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { FieldError } from '../../ui/field.tsx'
import { AuthLayout } from './auth-layout.tsx'
import { Outcome } from './outcome.tsx'
import { isTokenRefused, useTokenOnce } from './token-once.ts'

/**
 * Cancels the removal of second factors with the token of an emailed link. Waits for a click on a
 * button, because mail scanners open links too.
 */
export function CancelFactorResetPage() {
  const token = useTokenOnce()
  const cancel = useMutation({ mutationFn: () => call('cancelFactorReset', { body: { token: token ?? '' } }) })
  return (
    <AuthLayout>
      {token === null || isTokenRefused(cancel.error) ? (
        <Outcome icon={CircleX} tone="critical" title="Invalid Link" action={<AuthLink />}>
          {getErrorMessage(
            cancel.error,
            'This link is invalid, or the removal has already been completed or cancelled.',
          )}
        </Outcome>
      ) : cancel.data ? (
        <Outcome icon={CircleCheck} tone="ok" title="Factor Removal Cancelled" action={<AuthLink />}>
          {cancel.data.message}
        </Outcome>
      ) : (
        <Outcome
          icon={ShieldAlert}
          tone="medium"
          title="Keep your second factors?"
          action={
            <div className="grid gap-3">
              {cancel.isError && (
                <FieldError>
                  {getErrorMessage(cancel.error, 'The server did not respond. Please try again.')}
                </FieldError>
              )}
              <Button variant="primary" size="lg" busy={cancel.isPending} onClick={() => cancel.mutate()}>
                {cancel.isPending ? 'Cancelling…' : 'Cancel the removal'}
              </Button>
            </div>
          }
        >
          We were asked to remove the second factors of your account. Cancel the removal if you did not ask for it.
        </Outcome>
      )}
    </AuthLayout>
  )
}

function AuthLink() {
  return (
    <Button asChild variant="primary" size="lg">
      <Link to={paths.auth}>Log in</Link>
    </Button>
  )
}
