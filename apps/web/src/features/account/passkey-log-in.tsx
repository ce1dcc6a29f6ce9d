import { Fingerprint } from 'lucide-react'
import { useState } from 'react'
import { useAuth } from '../../session/auth.tsx'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { describePasskeyFailure, hasPasskeySupport, signInWithPasskey } from './passkeys.ts'

interface PasskeyLogInProps {
  /** Returns true if the session should continue after the browser is closed. */
  isRemembered?: () => boolean
}

/** Signs in with a passkey alone. The page redirects afterwards. */
export function PasskeyLogIn({ isRemembered = () => false }: PasskeyLogInProps) {
  const { onSignIn } = useAuth()
  const [isAsking, setIsAsking] = useState(false)
  if (!hasPasskeySupport()) return null

  async function requestPasskey() {
    setIsAsking(true)
    try {
      const { user, message } = await signInWithPasskey({ rememberMe: isRemembered() })
      if (user) onSignIn(user)
      else showFailure(message)
    } catch (error) {
      showFailure(describePasskeyFailure(error))
    }
    setIsAsking(false)
  }

  function showFailure(message: string) {
    toast({ title: 'Login Failed', description: message, variant: 'destructive' })
  }

  return (
    <Button size="lg" busy={isAsking} onClick={requestPasskey}>
      <Fingerprint aria-hidden size={18} strokeWidth={2} />
      {isAsking ? 'Waiting for your passkey…' : 'Log in with a passkey'}
    </Button>
  )
}
