import { useMutation } from '@tanstack/react-query'
import { Mail } from 'lucide-react'
import { call, sentenceOf } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { Notice } from './notice.tsx'

interface VerificationBannerProps {
  email: string
  onDismiss: () => void
}

/** Asks the user to verify their email, with a button to resend the link. */
export function VerificationBanner({ email, onDismiss }: VerificationBannerProps) {
  const resend = useMutation({
    mutationFn: () => call('resendVerification', { body: { email } }),
    onSuccess: ({ message }) => toast({ title: 'Verification Email Sent', description: message, variant: 'success' }),
    onError: (error) =>
      toast({
        title: 'Error',
        description: sentenceOf(error, 'Failed to send the verification email. Please try again.'),
        variant: 'destructive',
      }),
  })
  return (
    <Notice
      tone="medium"
      icon={Mail}
      title="Email Verification Required"
      actions={
        <>
          <Button size="sm" busy={resend.isPending} onClick={() => resend.mutate()}>
            {resend.isPending ? 'Sending…' : 'Resend'}
          </Button>
          <Button size="sm" variant="ghost" onClick={onDismiss}>
            Dismiss
          </Button>
        </>
      }
    >
      {`We sent a link to ${email}. Open it to finish signing up.`}
    </Notice>
  )
}
