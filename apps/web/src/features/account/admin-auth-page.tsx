import { zodResolver } from '@hookform/resolvers/zod'
import { Navigate } from '@tanstack/react-router'
import { ShieldX } from 'lucide-react'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { useAuth } from '../../auth.tsx'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toast.tsx'
import { type Denial, signInAsAdmin } from './admin-sign-in.ts'
import { AuthLayout } from './auth-layout.tsx'
import { type AdminForm, adminForm } from './credentials.ts'
import { toastValidationError } from './form-failure.ts'
import { Notice } from './notice.tsx'

const notAdmin: Denial = { title: 'Access Denied', message: 'Admin privileges required' }

/** Sign-in of administrators. Somebody signed in without that role learns here why /admin stays shut. */
export function AdminAuthPage() {
  const { isAuthenticated, isAdmin } = useAuth()
  const [refusal, setRefusal] = useState<Denial | null>(null)
  const denial = refusal ?? (isAuthenticated ? notAdmin : null)

  if (isAdmin) return <Navigate to={paths.admin} replace />
  return (
    <AuthLayout>
      <div role="alert">
        {denial && (
          <div className="mb-8">
            <Notice tone="critical" icon={ShieldX} title={denial.title}>
              {denial.message}
            </Notice>
          </div>
        )}
      </div>
      <h1 className="text-h1">Admin sign-in</h1>
      <p className="mt-2 mb-6 text-body text-2">For accounts that run this installation.</p>
      <AdminSignInForm onDenial={setRefusal} />
    </AuthLayout>
  )
}

function AdminSignInForm({ onDenial }: { onDenial: (denial: Denial | null) => void }) {
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
      <TextField
        {...register('email')}
        label="Email"
        type="email"
        autoComplete="username"
        error={errors.email?.message}
      />
      <TextField
        {...register('password')}
        label="Password"
        type="password"
        autoComplete="current-password"
        error={errors.password?.message}
      />
      <Button type="submit" variant="primary" size="lg" busy={isSubmitting}>
        {isSubmitting ? 'Checking…' : 'Log in as admin'}
      </Button>
    </form>
  )
}
