import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { SessionUser } from '@tocsin/protocol'
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo } from 'react'
import { z } from 'zod'
import { call, onUnauthorized } from './api.ts'
import { tellOtherTabs, useOtherTabs } from './other-tabs.ts'
import { queries } from './queries.ts'

interface Auth {
  /** 'unknown' until the server has answered; a stored hint may already say what is likely. 'unreachable': it did not answer. */
  status: 'unknown' | 'unreachable' | 'in' | 'out'
  user: SessionUser | null
  isAuthenticated: boolean
  isAdmin: boolean
  /** What this browser remembers. It lets the first paint skip the spinner and opens nothing. */
  hint: { name: string; isAdmin: boolean } | null
  /** Asks the server again who is signed in. */
  askAgain(): void
  signedIn(user: SessionUser): void
  /** Ends the session, also here when the server can't be reached. Admin sign-out forgets the admin hint too. */
  signOut(options?: { forgetAdmin: boolean }): Promise<void>
}

const AuthContext = createContext<Auth | null>(null)

export function AuthProvider({ children }: { children: ReactNode }) {
  const queryClient = useQueryClient()
  const { data, isError } = useQuery(queries.currentUser)
  const user = data?.user ?? null
  const status = data ? (user ? 'in' : 'out') : isError ? 'unreachable' : 'unknown'
  const isIn = status === 'in'

  useEffect(() => {
    if (status !== 'out') return
    // A hint that the server contradicts is stale, and what a session has read is not for the next one.
    clearHint()
    queryClient.removeQueries({ type: 'inactive' })
  }, [status, queryClient])

  const askAgain = useCallback(
    () => void queryClient.invalidateQueries({ queryKey: queries.currentUser.queryKey }),
    [queryClient],
  )
  useOtherTabs('session', askAgain)
  // Only what a signed-in page asks can tell that the session has ended; a wrong password answers 401 too.
  useEffect(() => (isIn ? onUnauthorized(askAgain) : undefined), [isIn, askAgain])

  const become = useCallback(
    (next: SessionUser | null) =>
      queryClient.setQueryData(queries.currentUser.queryKey, { success: next !== null, user: next }),
    [queryClient],
  )
  const signedIn = useCallback(
    (next: SessionUser) => {
      writeHint(next)
      become(next)
      tellOtherTabs('session')
    },
    [become],
  )
  const signOut = useCallback(
    async (options?: { forgetAdmin: boolean }) => {
      await call('logout').catch(() => {})
      clearHint()
      if (options?.forgetAdmin) localStorage.removeItem('adminAuth')
      become(null)
      tellOtherTabs('session')
    },
    [become],
  )
  const auth = useMemo<Auth>(
    () => ({
      status,
      user,
      isAuthenticated: user !== null,
      isAdmin: user?.isAdmin ?? false,
      hint: status === 'unknown' ? readHint() : null,
      askAgain,
      signedIn,
      signOut,
    }),
    [status, user, askAgain, signedIn, signOut],
  )
  return <AuthContext value={auth}>{children}</AuthContext>
}

export function useAuth(): Auth {
  const auth = use(AuthContext)
  if (!auth) throw new Error('useAuth must be used within an AuthProvider')
  return auth
}

/** The signed-in user of a guarded page: the guard has seen to it that there is one. */
export function useUser(): SessionUser {
  const { user } = useAuth()
  if (!user) throw new Error('useUser must be used behind the guard')
  return user
}

const storedUser = z.object({ email: z.string().nullable(), name: z.string() })

function readHint(): Auth['hint'] {
  if (localStorage.getItem('userAuth') !== 'true') return null
  try {
    const { name } = storedUser.parse(JSON.parse(localStorage.getItem('userData') ?? ''))
    return { name, isAdmin: localStorage.getItem('adminAuth') === 'true' }
  } catch {
    return null
  }
}

function writeHint({ email, name, isAdmin }: SessionUser): void {
  localStorage.setItem('userAuth', 'true')
  localStorage.setItem('userData', JSON.stringify({ email, name }))
  if (isAdmin) localStorage.setItem('adminAuth', 'true')
}

function clearHint(): void {
  localStorage.removeItem('userAuth')
  localStorage.removeItem('userData')
}
