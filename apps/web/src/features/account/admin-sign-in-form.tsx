import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { useAuth } from '../../session/auth.tsx'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { CurrentPasswordField, EmailField } from './account-fields.tsx'
import { type Denial, signInAsAdmin } from './admin-sign-in.ts'
import { type AdminForm, adminForm } from './credentials.ts'
import { toastValidationError } from './form-failure.ts'

interface AdminSignInFormProps {
  /** Shown if the credentials are valid but the user is not an admin. */
  notAdmin: Denial
  onDenial: (denial: Denial | null) => void
}

export function AdminSignInForm({ notAdmin, onDenial }: AdminSignInFormProps) {
  const { signedIn } = useAuth()
  const { register, handleSubmit, formState } = useForm<AdminForm>({
    resolver: zodResolver(adminForm),
    defaultValues: { email: '', password: '' },
  })
  const { errors, isSubmitting } = formState

  async function signIn(credentials: AdminForm) {
    onDenial(null)
    const outcome = await signInAsAdmin(credentials)
    if ('user' in outcome) signedIn(outcome.user)
    else onDenial(outcome)
    const denial = 'user' in outcome ? (outcome.user.isAdmin ? null : notAdmin) : outcome
    if (denial) toast({ title: denial.title, description: denial.message, variant: 'destructive' })
  }

  return (
    <form
      method="post"
      noValidate
      onSubmit={handleSubmit(signIn, toastValidationError)}
      className="flex flex-col gap-5"
    >
      <EmailField {...register('email')} error={errors.email} />
      <CurrentPasswordField {...register('password')} error={errors.password} />
      <Button type="submit" variant="primary" size="lg" busy={isSubmitting}>
        {isSubmitting ? 'Checking…' : 'Log in as admin'}
      </Button>
    </form>
  )
}
