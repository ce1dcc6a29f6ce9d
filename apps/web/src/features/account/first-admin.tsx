import { zodResolver } from '@hookform/resolvers/zod'
import { Link } from '@tanstack/react-router'
import { Link2Off } from 'lucide-react'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { ApiError, call, sentenceOf } from '../../api/api.ts'
import { paths } from '../../paths.ts'
import { useAuth } from '../../session/auth.tsx'
import { Button } from '../../ui/button.tsx'
import { FieldError } from '../../ui/field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toast.tsx'
import { EmailField, NewPasswordFields } from './account-fields.tsx'
import { adminMinLength, firstAdminForm, type SignUpForm } from './credentials.ts'
import { toastValidationError } from './form-failure.ts'
import { Outcome } from './outcome.tsx'

const invalidLinkCodes: readonly string[] = ['token_invalid', 'token_expired', 'not_found']

/**
 * Creates the first admin with the setup link that the server prints. The page redirects
 * afterwards.
 */
export function FirstAdmin({ token }: { token: string }) {
  const [linkError, setLinkError] = useState<string | null>(null)
  if (linkError === null) return <FirstAdminForm token={token} onInvalidLink={setLinkError} />
  return (
    <Outcome
      icon={Link2Off}
      tone="critical"
      title="Invalid Setup Link"
      action={
        <Button asChild variant="primary" size="lg">
          {/* Reload, because this page keeps the used token in its state. */}
          <Link to={paths.adminAuth} reloadDocument>
            Go to admin sign-in
          </Link>
        </Button>
      }
    >
      {linkError}
    </Outcome>
  )
}

interface FirstAdminFormProps {
  token: string
  /** Called with the reason if the link is used, expired or unknown. */
  onInvalidLink: (message: string) => void
}

function FirstAdminForm({ token, onInvalidLink }: FirstAdminFormProps) {
  const { signedIn } = useAuth()
  const { register, handleSubmit, setError, formState } = useForm<SignUpForm>({
    resolver: zodResolver(firstAdminForm),
    defaultValues: { name: '', email: '', password: '', confirmPassword: '' },
  })
  const { errors, isSubmitting } = formState

  async function create({ name, email, password }: SignUpForm) {
    try {
      const { user, message } = await call('createFirstAdmin', { body: { token, name, email, password } })
      if (user) signedIn(user)
      else fail(message)
    } catch (error) {
      const message = sentenceOf(error, 'The admin could not be created. Please try again.')
      if (error instanceof ApiError && invalidLinkCodes.includes(error.code ?? '')) onInvalidLink(message)
      else fail(message)
    }
  }

  function fail(message: string) {
    setError('root', { message })
    toast({ title: 'Error', description: message, variant: 'destructive' })
  }

  return (
    <form
      method="post"
      noValidate
      onSubmit={handleSubmit(create, toastValidationError)}
      className="flex flex-col gap-5"
    >
      <div>
        <h1 className="text-h1">Create the first admin</h1>
        <p className="mt-2 text-body text-2">
          This installation has no admin yet. The link works once; afterwards you sign in with this email and password.
        </p>
      </div>
      <TextField {...register('name')} id="name" label="Name" autoComplete="name" error={errors.name?.message} />
      <EmailField {...register('email')} error={errors.email} />
      <NewPasswordFields
        password={{ ...register('password'), error: errors.password }}
        confirmPassword={{ ...register('confirmPassword'), error: errors.confirmPassword }}
        minLength={adminMinLength}
      />
      {errors.root?.message !== undefined && <FieldError>{errors.root.message}</FieldError>}
      <Button type="submit" variant="primary" size="lg" busy={isSubmitting}>
        {isSubmitting ? 'Creating admin…' : 'Create admin'}
      </Button>
    </form>
  )
}
