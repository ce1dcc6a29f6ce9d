import type { AwaitedFactor, SessionUser } from '@tocsin/protocol'
import { ApiError, call } from '../../api/api.ts'
import { paths } from '../../paths.ts'
import { useAuth } from '../../session/auth.tsx'
import { Button } from '../../ui/button.tsx'
import { HrefLink } from '../../ui/href-link.tsx'
import { toast } from '../../ui/toast.tsx'
import { FactorForm } from './factor-form.tsx'
import { signInWithPasskey } from './passkeys.ts'

/**
 * Second step of a sign-in. It replaces the form of the first step. The page redirects afterwards.
 */
export function SecondFactorStep({ awaited }: { awaited: AwaitedFactor }) {
  const { onSignIn, refetchUser } = useAuth()

  function finishSignIn({ user, message }: { user?: SessionUser | undefined; message: string }) {
    if (user) onSignIn(user)
    else toast({ title: 'Login Failed', description: message, variant: 'destructive' })
  }
  async function startAgain() {
    await call('logout').catch(() => {})
    refetchUser()
  }

  return (
    <div className="flex flex-col">
      <h1 className="text-h1">Confirm your sign-in</h1>
      <p className="mt-2 mb-6 text-body text-2">Confirm with your second factor within ten minutes.</p>
      <FactorForm
        methods={awaited.methods}
        submitLabels={{ send: 'Confirm', sending: 'Checking…' }}
        onCode={async (code) => {
          try {
            finishSignIn(await call('completeSignIn', { body: { code } }))
          } catch (error) {
            // The sign-in has expired. Refetch the user, so that the page shows its first step
            // again.
            if (isSessionEnded(error)) refetchUser()
            throw error
          }
        }}
        onPasskey={async () => finishSignIn(await signInWithPasskey())}
      />
      <p className="mt-5 flex flex-wrap items-center justify-between gap-3 text-hint text-2">
        <Button variant="ghost" onClick={startAgain}>
          Start again
        </Button>
        <HrefLink href={paths.contactSupport} className="link touch-target">
          I have lost my second factor
        </HrefLink>
      </p>
    </div>
  )
}

const isSessionEnded = (error: unknown) => error instanceof ApiError && error.code === 'not_signed_in'
