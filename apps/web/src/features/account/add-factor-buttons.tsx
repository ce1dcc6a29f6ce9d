import { useMutation } from '@tanstack/react-query'
import type { ResponseOf } from '@tocsin/protocol'
import { Fingerprint, Smartphone } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/api.ts'
import { useReauthentication } from '../../session/reauthentication.ts'
import { Button } from '../../ui/button.tsx'
import { EnrolPasskeyDialog } from './enrol-passkey-dialog.tsx'
import { EnrolTotpDialog } from './enrol-totp-dialog.tsx'
import { hasPasskeySupport } from './passkeys.ts'
import { toastFailure } from './toast-failure.ts'

interface AddFactorProps {
  size?: 'md' | 'lg'
  onDone: () => void
}

export function AddPasskeyButton({ size = 'md', onDone }: AddFactorProps) {
  const [isOpen, setIsOpen] = useState(false)
  if (!hasPasskeySupport()) return <p className="text-base text-2">This browser does not support passkeys.</p>
  return (
    <>
      <Button size={size} variant={size === 'lg' ? 'primary' : 'secondary'} onClick={() => setIsOpen(true)}>
        {size === 'lg' && <Fingerprint aria-hidden size={18} strokeWidth={2} />}
        Add a passkey
      </Button>
      {isOpen && (
        <EnrolPasskeyDialog
          onCancel={() => setIsOpen(false)}
          onDone={() => {
            setIsOpen(false)
            onDone()
          }}
        />
      )}
    </>
  )
}

export function AddTotpButton({ size = 'md', onDone }: AddFactorProps) {
  const withReauthentication = useReauthentication()
  const [enrolment, setEnrolment] = useState<ResponseOf<'startTotp'> | null>(null)
  const start = useMutation({
    mutationFn: () => withReauthentication(() => call('startTotp')),
    onSuccess: setEnrolment,
    onError: (error) => toastFailure(error, 'The server did not respond. Please try again.'),
  })
  return (
    <>
      <Button size={size} busy={start.isPending} onClick={() => start.mutate()}>
        {size === 'lg' && <Smartphone aria-hidden size={18} strokeWidth={2} />}
        Set up an authenticator app
      </Button>
      {enrolment && (
        <EnrolTotpDialog
          enrolment={enrolment}
          onCancel={() => setEnrolment(null)}
          onDone={() => {
            setEnrolment(null)
            onDone()
          }}
        />
      )}
    </>
  )
}
