import type { SessionUser } from '@tocsin/protocol'
import { z } from 'zod'
import { isLogoutPending } from '../api/pending-logout.ts'
import { browserStorage } from '../browser/browser-storage.ts'

/**
 * The last signed-in user, stored in this browser. A hint for rendering only; it grants no access.
 */
export interface SignedInHint {
  name: string
  isAdmin: boolean
}

const storedUser = z.object({ email: z.string().nullable(), name: z.string() })

export function readHint(): SignedInHint | null {
  if (browserStorage.getItem('userAuth') !== 'true' || isLogoutPending()) return null
  try {
    const { name } = storedUser.parse(JSON.parse(browserStorage.getItem('userData') ?? ''))
    return { name, isAdmin: browserStorage.getItem('adminAuth') === 'true' }
  } catch {
    return null
  }
}

export function writeHint({ email, name, isAdmin }: SessionUser): void {
  browserStorage.setItem('userAuth', 'true')
  browserStorage.setItem('userData', JSON.stringify({ email, name }))
  if (isAdmin) browserStorage.setItem('adminAuth', 'true')
}

export function clearHint(): void {
  browserStorage.removeItem('userAuth')
  browserStorage.removeItem('userData')
}
