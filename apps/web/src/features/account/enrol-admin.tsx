import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { useAuth } from '../../session/auth.tsx'
import { Button } from '../../ui/button.tsx'
import { AddPasskeyButton, AddTotpButton } from './add-factor-buttons.tsx'
import { CodeForm } from './factor-form.tsx'
import { ReauthenticationProvider } from './guard.tsx'

/**
 * Guides a member of staff without a second factor through enrolment. If the server requires an
 * enrolment code, the user gets it from an owner or an admin and enters it first. The page
 * redirects afterwards.
 */
export function EnrolAdmin() {
  const { refetchUser, signOut } = useAuth()
  const { data: factors, refetch } = useQuery(queries.factors)
  const needsCode = factors?.needsEnrolmentCode === true
  return (
    <ReauthenticationProvider>
      <h1 className="text-h1">Set up two-factor authentication</h1>
      <p className="mt-2 mb-6 text-body text-2">
        {needsCode
          ? 'A password alone does not give access to the admin area. Enter the enrolment code that an owner or an admin has given you in person or by phone, then add a passkey or an authenticator app.'
          : 'Admins can send alerts to every subscriber, so a password alone does not give access to the admin area. Add a passkey, or use an authenticator app.'}
      </p>
      <div className="grid gap-3">
        {needsCode && (
          <CodeForm
            method="enrolment"
            submitLabels={{ send: 'Continue', sending: 'Checking…' }}
            onCode={async (code) => {
              await call('useEnrolmentCode', { body: { code } })
              await refetch()
            }}
          />
        )}
        {factors && !needsCode && (
          <>
            <AddPasskeyButton size="lg" onDone={refetchUser} />
            <AddTotpButton size="lg" onDone={refetchUser} />
          </>
        )}
        <Button variant="ghost" onClick={() => signOut({ forgetAdmin: true })}>
          Log out
        </Button>
      </div>
    </ReauthenticationProvider>
  )
}
