import { useAuth } from '../../session/auth.tsx'
import { Button } from '../../ui/button.tsx'
import { AddPasskeyButton, AddTotpButton } from './add-factor-buttons.tsx'
import { ConfirmationProvider } from './guard.tsx'

/** Leads an admin without a second factor through enrolment. The page redirects afterwards. */
export function EnrolAdmin() {
  const { refetchUser, signOut } = useAuth()
  return (
    <ConfirmationProvider>
      <h1 className="text-h1">Set up two-factor authentication</h1>
      <p className="mt-2 mb-6 text-body text-2">
        Admins can send alerts to every subscriber, so a password alone does not open the admin area. Add a passkey, or
        use an authenticator app.
      </p>
      <div className="grid gap-3">
        <AddPasskeyButton size="lg" onDone={refetchUser} />
        <AddTotpButton size="lg" onDone={refetchUser} />
        <Button variant="ghost" onClick={() => signOut({ forgetAdmin: true })}>
          Log out
        </Button>
      </div>
    </ConfirmationProvider>
  )
}
