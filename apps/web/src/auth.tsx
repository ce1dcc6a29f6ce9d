import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { SessionUser } from '@tocsin/protocol'
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { onUnauthorized } from './api.ts'
import { browserStorage } from './browser-storage.ts'
import { tellOtherTabs, useOtherTabs } from './other-tabs.ts'
import { endPendingLogout, forgetPendingLogout, isLogoutPending, markLogoutPending } from './pending-logout.ts'
import { queries } from './queries.ts'
import { clearHint, readHint, type SignedInHint, writeHint } from './signed-in-hint.ts'

interface Auth {
  /** 'unknown' until the server has answered; a stored hint may already say what is likely. 'unreachable': it did not answer. */
  status: 'unknown' | 'unreachable' | 'in' | 'out'
  user: SessionUser | null
  isAuthenticated: boolean
  isAdmin: boolean
  /** What this browser remembers. It lets the first paint skip the spinner and opens nothing. */
  hint: SignedInHint | null
  /** This browser was signed in, and nobody signed it out here: the session was ended elsewhere, or ran out. */
  hasEnded: boolean
  /** Asks the server again who is signed in. */
  askAgain(): void
  signedIn(user: SessionUser): void
  /**
   * Ends the session, also here when the server can't be reached. Admin sign-out forgets the admin hint too. `leave` goes to a public
   * page before the guard would notice.
   */
  signOut(options?: { forgetAdmin?: boolean; leave?: () => Promise<void> }): Promise<void>
}

/** How often a logout that the server has not confirmed is repeated while the page is open. */
const logoutRetryMs = 5000
const AuthContext = createContext<Auth | null>(null)
const [userKey] = queries.currentUser.queryKey

export function AuthProvider({ children }: { children: ReactNode }) {
  const queryClient = useQueryClient()
  const { data, isError } = useQuery(queries.currentUser)
  const user = data?.user ?? null
  const status = data ? (user ? 'in' : 'out') : isError ? 'unreachable' : 'unknown'
  const isIn = status === 'in'
  const [hasEnded, setHasEnded] = useState(false)
  const wasIn = useRef(readHint() !== null)

  useEffect(() => {
    if (status === 'in') {
      wasIn.current = true
      setHasEnded(false)
    }
    if (status !== 'out') return
    setHasEnded(wasIn.current)
    wasIn.current = false
    // A hint that the server contradicts is stale, and what a session has read is not for the next one.
    clearHint()
    queryClient.removeQueries({ type: 'inactive' })
  }, [status, queryClient])
  // The public pages' header shows the way in or the way on by this alone.
  useEffect(() => {
    if (data) document.documentElement.dataset.session = user ? 'in' : 'out'
  }, [data, user])
  // However the session came about, by a provider's redirect too, and whatever the name is by now.
  const lastUserId = useRef<string | null>(null)
  useEffect(() => {
    if (!user) return
    writeHint(user)
    // Another tab has signed somebody else in: what this one has read is not theirs.
    const isOther = lastUserId.current !== null && lastUserId.current !== user.id
    lastUserId.current = user.id
    if (isOther) void queryClient.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== userKey })
  }, [user, queryClient])

  const askAgain = useCallback(
    () => void queryClient.invalidateQueries({ queryKey: queries.currentUser.queryKey }),
    [queryClient],
  )
  const follow = useCallback(() => {
    // Another tab that has signed this browser out has taken the hint away; a session that ended by itself leaves it.
    wasIn.current = readHint() !== null
    askAgain()
  }, [askAgain])
  useOtherTabs('session', follow)
  useEffect(() => {
    const timer = setInterval(() => {
      if (isLogoutPending()) endPendingLogout().then(askAgain, () => {})
    }, logoutRetryMs)
    return () => clearInterval(timer)
  }, [askAgain])
  // Only what a signed-in page asks can tell that the session has ended; a wrong password answers 401 too.
  useEffect(() => (isIn ? onUnauthorized(askAgain) : undefined), [isIn, askAgain])

  const become = useCallback(
    (next: SessionUser | null) =>
      queryClient.setQueryData(queries.currentUser.queryKey, { success: next !== null, user: next }),
    [queryClient],
  )
  const signedIn = useCallback(
    (next: SessionUser) => {
      forgetPendingLogout()
      writeHint(next)
      setHasEnded(false)
      become(next)
      tellOtherTabs('session')
    },
    [become],
  )
  const signOut = useCallback(
    async ({ forgetAdmin = false, leave = async () => {} }: Parameters<Auth['signOut']>[0] = {}) => {
      // Before the answer is there: whoever reloads meanwhile, or hears of the session's end by its socket, has left on purpose.
      wasIn.current = false
      markLogoutPending()
      clearHint()
      if (forgetAdmin) browserStorage.removeItem('adminAuth')
      await leave().catch(() => {})
      await endPendingLogout().catch(() => {})
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
      hasEnded,
      askAgain,
      signedIn,
      signOut,
    }),
    [status, user, hasEnded, askAgain, signedIn, signOut],
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
