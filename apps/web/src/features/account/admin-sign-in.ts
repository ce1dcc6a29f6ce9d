import type { SessionUser } from '@tocsin/protocol'
import { ApiError, call, sentenceOf } from '../../api.ts'
import { accountTexts } from '../../texts/account.tsx'

const texts = accountTexts.adminSignIn

export interface Denial {
  title: string
  message: string
}
type AdminSignIn = { user: SessionUser } | Denial

/** Signs in, then asks the server again who this is: only its answer makes an admin. */
export async function signInAsAdmin(credentials: { email: string; password: string }): Promise<AdminSignIn> {
  try {
    const { success, message, requiresVerification } = await call('login', { body: credentials })
    if (!success) return denied(requiresVerification ? message : texts.invalidCredentials)
  } catch (error) {
    if (!(error instanceof ApiError)) return { title: texts.loginError, message: texts.networkError }
    if (error.status === 401) return denied(texts.invalidCredentials)
    if (error.status === 403) return denied(sentenceOf(error, texts.invalidCredentials))
    return { title: texts.loginError, message: sentenceOf(error, texts.networkError) }
  }
  const current = await call('currentUser').catch(() => null)
  return current?.user ? { user: current.user } : denied(texts.couldNotVerifyAdmin)
}

function denied(message: string): Denial {
  return { title: texts.accessDenied, message }
}
