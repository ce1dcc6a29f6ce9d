import { useMutation } from '@tanstack/react-query'
import { Mail } from 'lucide-react'
import { call, sentenceOf } from '../../api.ts'
import { accountTexts } from '../../texts/account.tsx'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { Notice } from './notice.tsx'

const texts = accountTexts.verificationBanner

interface VerificationBannerProps {
  email: string
  onDismiss: () => void
}

/** Says that the address waits to be confirmed, and mails the link again. */
export function VerificationBanner({ email, onDismiss }: VerificationBannerProps) {
  const resend = useMutation({
    mutationFn: () => call('resendVerification', { body: { email } }),
    onSuccess: ({ message }) => toast({ title: texts.verificationEmailSent, description: message, variant: 'success' }),
    onError: (error) =>
      toast({
        title: texts.error,
        description: sentenceOf(error, texts.failedToSend),
        variant: 'destructive',
      }),
  })
  return (
    <Notice
      tone="medium"
      icon={Mail}
      title={texts.emailVerificationRequired}
      actions={
        <>
          <Button size="sm" busy={resend.isPending} onClick={() => resend.mutate()}>
            {resend.isPending ? texts.sending : texts.resend}
          </Button>
          <Button size="sm" variant="ghost" onClick={onDismiss}>
            {texts.dismiss}
          </Button>
        </>
      }
    >
      {texts.weSentALink({ email })}
    </Notice>
  )
}
