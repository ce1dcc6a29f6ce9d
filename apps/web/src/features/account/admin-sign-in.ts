import type { SessionUser } from '@tocsin/protocol'
import { ApiError, call, sentenceOf } from '../../api/api.ts'

export interface Denial {
  title: string
  message: string
}
type AdminSignIn = { user: SessionUser } | Denial

/** Signs in, then fetches the current user, because only that response confirms the admin role. */
export async function signInAsAdmin(credentials: { email: string; password: string }): Promise<AdminSignIn> {
  try {
    const { success, message, requiresVerification } = await call('login', { body: credentials })
    if (!success) return denied(requiresVerification ? message : 'Invalid credentials')
  } catch (error) {
    if (!(error instanceof ApiError)) return { title: 'Login Error', message: 'Network error' }
    if (error.status === 401) return denied('Invalid credentials')
    if (error.status === 403) return denied(sentenceOf(error, 'Invalid credentials'))
    return { title: 'Login Error', message: sentenceOf(error, 'Network error') }
  }
  const current = await call('currentUser').catch(() => null)
  return current?.user ? { user: current.user } : denied('Could not verify admin privileges')
}

function denied(message: string): Denial {
  return { title: 'Access Denied', message }
}
