import { zodResolver } from '@hookform/resolvers/zod'
import { MailCheck } from 'lucide-react'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { call, getErrorMessage } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { HrefLink } from '../../ui/href-link.tsx'
import { toast } from '../../ui/toast.tsx'
import { EmailField } from './account-fields.tsx'
import { type EmailForm, emailForm } from './credentials.ts'
import { toastValidationError } from './form-failure.ts'
import { Outcome } from './outcome.tsx'

/** Requests a reset link by email. The response does not disclose whether the address is known. */
export function ForgotPasswordForm({ logInHref }: { logInHref: string }) {
  const [sentMessage, setSentMessage] = useState<string | null>(null)
  const { register, handleSubmit, setError, formState } = useForm<EmailForm>({
    resolver: zodResolver(emailForm),
    defaultValues: { email: '' },
  })
  const { errors, isSubmitting } = formState

  async function requestLink(request: EmailForm) {
    try {
      const { message } = await call('forgotPassword', { body: request })
      setSentMessage(message)
    } catch (error) {
      const message = getErrorMessage(error, 'Failed to send the reset link. Please try again.')
      setError('email', { message })
      toast({ title: 'Error', description: message, variant: 'destructive' })
    }
  }

  if (sentMessage !== null) {
    return (
      <Outcome icon={MailCheck} tone="ok" title="Check your email" action={<BackToLogIn href={logInHref} />}>
        {sentMessage}
      </Outcome>
    )
  }
  return (
    <form
      method="post"
      noValidate
      onSubmit={handleSubmit(requestLink, toastValidationError)}
      className="flex flex-col gap-5"
    >
      <div>
        <h1 className="text-h1">Forgot password</h1>
        <p className="mt-2 text-body text-2">
          We email you a link to choose a new password. The link works once, within one hour.
        </p>
      </div>
      <EmailField {...register('email')} error={errors.email} />
      <Button type="submit" variant="primary" size="lg" busy={isSubmitting}>
        {isSubmitting ? 'Sending…' : 'Send reset link'}
      </Button>
      <BackToLogIn href={logInHref} />
    </form>
  )
}

function BackToLogIn({ href }: { href: string }) {
  return (
    <Button asChild size="lg" variant="ghost">
      <HrefLink href={href}>Back to login</HrefLink>
    </Button>
  )
}
