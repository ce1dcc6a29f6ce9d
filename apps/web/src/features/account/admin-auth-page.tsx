import { Navigate } from '@tanstack/react-router'
import { ShieldX } from 'lucide-react'
import { useState } from 'react'
import { useAuth } from '../../auth.tsx'
import { paths } from '../../paths.ts'
import type { Denial } from './admin-sign-in.ts'
import { AdminSignInForm } from './admin-sign-in-form.tsx'
import { AuthLayout } from './auth-layout.tsx'
import { FirstAdmin } from './first-admin.tsx'
import { Notice } from './notice.tsx'
import { useSetupTokenOnce } from './token-once.ts'

const notAdmin: Denial = { title: 'Access Denied', message: 'Admin privileges required' }

/**
 * Sign-in of administrators. Somebody signed in without that role learns here why /admin stays
 * shut.
 */
export function AdminAuthPage() {
  const { isAuthenticated, isAdmin } = useAuth()
  const setupToken = useSetupTokenOnce()
  const [refusal, setRefusal] = useState<Denial | null>(null)
  const denial = refusal ?? (isAuthenticated ? notAdmin : null)

  if (isAdmin) return <Navigate to={paths.admin} replace />
  if (setupToken !== null) {
    return (
      <AuthLayout>
        <FirstAdmin token={setupToken} />
      </AuthLayout>
    )
  }
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
      <AdminSignInForm notAdmin={notAdmin} onDenial={setRefusal} />
    </AuthLayout>
  )
}
