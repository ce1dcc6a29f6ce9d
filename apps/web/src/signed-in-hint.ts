import type { SessionUser } from '@tocsin/protocol'
import { z } from 'zod'

/** What this browser remembers of who was signed in. It opens nothing. */
export interface SignedInHint {
  name: string
  isAdmin: boolean
}

const storedUser = z.object({ email: z.string().nullable(), name: z.string() })

export function readHint(): SignedInHint | null {
  if (localStorage.getItem('userAuth') !== 'true') return null
  try {
    const { name } = storedUser.parse(JSON.parse(localStorage.getItem('userData') ?? ''))
    return { name, isAdmin: localStorage.getItem('adminAuth') === 'true' }
  } catch {
    return null
  }
}

export function writeHint({ email, name, isAdmin }: SessionUser): void {
  localStorage.setItem('userAuth', 'true')
  localStorage.setItem('userData', JSON.stringify({ email, name }))
  if (isAdmin) localStorage.setItem('adminAuth', 'true')
}

export function clearHint(): void {
  localStorage.removeItem('userAuth')
  localStorage.removeItem('userData')
}
