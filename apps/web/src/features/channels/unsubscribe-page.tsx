import { useMutation } from '@tanstack/react-query'
import { CircleCheck, CircleX, MailX } from 'lucide-react'
import { call, getErrorMessage } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { FieldError } from '../../ui/field.tsx'
import { AuthLayout } from '../account/auth-layout.tsx'
import { Outcome } from '../account/outcome.tsx'
import { isTokenRefused, useTokenOnce } from '../account/token-once.ts'

/**
 * Page with a button that stops the emails to an address. Opening the page changes nothing, because
 * mail scanners open links too.
 */
export function UnsubscribePage() {
  const token = useTokenOnce()
  const unsubscribe = useMutation({
    mutationFn: (givenToken: string) => call('unsubscribe', { params: { token: givenToken }, body: {} }),
  })
  return (
    <AuthLayout>
      {token === null || isTokenRefused(unsubscribe.error) ? (
        <Outcome icon={CircleX} tone="critical" title="The link is not valid" action={null}>
          {getErrorMessage(unsubscribe.error, 'Open the link in the email again.')}
        </Outcome>
      ) : unsubscribe.isSuccess ? (
        <Outcome icon={CircleCheck} tone="ok" title="Unsubscribed" action={null}>
          {unsubscribe.data.message}
        </Outcome>
      ) : (
        <Outcome
          icon={MailX}
          tone="ok"
          title="Unsubscribe from these emails?"
          action={
            <div className="grid gap-3">
              {unsubscribe.isError && (
                <FieldError>
                  {getErrorMessage(unsubscribe.error, 'The server did not respond. Please try again.')}
                </FieldError>
              )}
              <Button
                size="lg"
                variant="primary"
                busy={unsubscribe.isPending}
                onClick={() => unsubscribe.mutate(token)}
              >
                Unsubscribe
              </Button>
            </div>
          }
        >
          After you unsubscribe, emails of this kind are no longer sent to this address.
        </Outcome>
      )}
    </AuthLayout>
  )
}
