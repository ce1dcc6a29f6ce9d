import { Navigate } from '@tanstack/react-router'
import { ShieldX } from 'lucide-react'
import { useState } from 'react'
import { paths } from '../../paths.ts'
import { useAuth } from '../../session/auth.tsx'
import type { Denial } from './admin-sign-in.ts'
import { AdminSignInForm } from './admin-sign-in-form.tsx'
import { AuthLayout } from './auth-layout.tsx'
import { FirstAdmin } from './first-admin.tsx'
import { Notice } from './notice.tsx'
import { useSetupTokenOnce } from './token-once.ts'

const notAdmin: Denial = { title: 'Access Denied', message: 'Admin privileges required' }

/** Admin sign-in. Signed-in users who are not admins see why they can't open /admin. */
export function AdminAuthPage() {
  const { isAuthenticated, isAdmin } = useAuth()
  const setupToken = useSetupTokenOnce()
  const [formDenial, setFormDenial] = useState<Denial | null>(null)
  const denial = formDenial ?? (isAuthenticated ? notAdmin : null)

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
      <p className="mt-2 mb-6 text-body text-2">For administrators of this installation.</p>
      <AdminSignInForm notAdmin={notAdmin} onDenial={setFormDenial} />
    </AuthLayout>
  )
}
