import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { AwaitedFactor, SessionUser } from '@tocsin/protocol'
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { onUnauthorized } from '../api/api.ts'
import {
  endPendingLogout,
  forgetPendingLogout,
  isLogoutPending,
  markLogoutPending,
  onOtherTabsLogout,
} from '../api/pending-logout.ts'
import { queries } from '../api/queries.ts'
import { browserStorage } from '../browser/browser-storage.ts'
import { notifyOtherTabs, useOtherTabs } from '../browser/other-tabs.ts'
import { clearOfflineAlerts } from './offline-alerts.ts'
import { clearHint, readHint, type SignedInHint, writeHint } from './signed-in-hint.ts'

interface Auth {
  /**
   * 'unknown' until the server has responded; `hint` may be set before. 'unreachable' if the
   * request failed.
   */
  status: 'unknown' | 'unreachable' | 'in' | 'out'
  user: SessionUser | null
  isAuthenticated: boolean
  /** False for an admin who still has to enrol a second factor. */
  isAdmin: boolean
  /** A sign-in of this browser that is waiting for the second factor. */
  awaitedFactor: AwaitedFactor | null
  /**
   * The last signed-in user, set only while `status` is 'unknown'. Used to skip the spinner; grants
   * no access.
   */
  hint: SignedInHint | null
  /**
   * True if the session ended without a logout in this browser: it expired or was ended elsewhere.
   */
  hasEnded: boolean
  refetchUser(): void
  onSignIn(user: SessionUser): void
  /** Shows the second step of a sign-in. */
  awaitFactor(awaitedFactor: AwaitedFactor): void
  /**
   * Signs out, even if the server is unreachable (the logout then stays pending). `forgetAdmin`
   * also clears the admin hint. `leave` navigates to a public page before the guard redirects.
   */
  signOut(options?: { forgetAdmin?: boolean; leave?: () => Promise<void> }): Promise<void>
}

/** Interval at which a logout is sent again until the server confirms it. */
const logoutRetryMs = 5000
const AuthContext = createContext<Auth | null>(null)
const [userKey] = queries.currentUser.queryKey

export function AuthProvider({ children }: { children: ReactNode }) {
  const queryClient = useQueryClient()
  const { data, isError } = useQuery(queries.currentUser)
  const user = data?.user ?? null
  const status = data ? (user ? 'in' : 'out') : isError ? 'unreachable' : 'unknown'
  const isSignedIn = status === 'in'
  const [hasEnded, setHasEnded] = useState(false)
  const wasSignedIn = useRef(readHint() !== null)

  useEffect(() => {
    if (status === 'in') {
      wasSignedIn.current = true
      setHasEnded(false)
    }
    if (status !== 'out') return
    setHasEnded(wasSignedIn.current)
    wasSignedIn.current = false
    // The hint is stale, and cached data must not leak into the next session.
    clearHint()
    void clearOfflineAlerts()
    queryClient.removeQueries({ type: 'inactive' })
  }, [status, queryClient])
  // CSS shows "Log in" or "Dashboard" in the header of public pages depending on `data-session`.
  useEffect(() => {
    if (data) document.documentElement.dataset.session = user ? 'in' : 'out'
  }, [data, user])
  const lastUserId = useRef<string | null>(null)
  // This effect runs after every kind of sign-in, including redirects from sign-in providers, and
  // after a change of the user's name.
  useEffect(() => {
    if (!user) return
    writeHint(user)
    // Another tab signed in a different user: discard the previous user's data.
    const isOtherUser = lastUserId.current !== null && lastUserId.current !== user.id
    lastUserId.current = user.id
    if (!isOtherUser) return
    void clearOfflineAlerts()
    void queryClient.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== userKey })
  }, [user, queryClient])

  const refetchUser = useCallback(() => {
    const filter = { queryKey: queries.currentUser.queryKey }
    // During a pending logout, reset the query: the cached user must not be used until the server
    // answers.
    void (isLogoutPending() ? queryClient.resetQueries(filter) : queryClient.invalidateQueries(filter))
  }, [queryClient])
  const handleOtherTabSessionChange = useCallback(() => {
    // If the hint is missing, the user has logged out in another tab. Then do not report an expired
    // session.
    wasSignedIn.current = readHint() !== null
    refetchUser()
  }, [refetchUser])
  useOtherTabs('session', handleOtherTabSessionChange)
  useEffect(() => {
    const stopListening = onOtherTabsLogout(handleOtherTabSessionChange)
    // A logout may have been marked after the user was fetched and before this component was
    // mounted.
    if (isLogoutPending()) handleOtherTabSessionChange()
    return stopListening
  }, [handleOtherTabSessionChange])
  useEffect(() => {
    const timer = setInterval(() => {
      if (isLogoutPending()) endPendingLogout().then(refetchUser, () => {})
    }, logoutRetryMs)
    return () => clearInterval(timer)
  }, [refetchUser])
  // Listen only while signed in: a wrong password returns 401 too.
  useEffect(() => (isSignedIn ? onUnauthorized(refetchUser) : undefined), [isSignedIn, refetchUser])

  const setUser = useCallback(
    (nextUser: SessionUser | null) => {
      const { queryKey } = queries.currentUser
      // Cancel a pending request: its response would describe the session before this change.
      void queryClient.cancelQueries({ queryKey })
      queryClient.setQueryData(queryKey, { success: nextUser !== null, user: nextUser })
    },
    [queryClient],
  )
  const awaitFactor = useCallback(
    (awaitedFactor: AwaitedFactor) => {
      forgetPendingLogout()
      const { queryKey } = queries.currentUser
      void queryClient.cancelQueries({ queryKey })
      queryClient.setQueryData(queryKey, { success: false, user: null, awaitedFactor })
    },
    [queryClient],
  )
  const onSignIn = useCallback(
    (nextUser: SessionUser) => {
      forgetPendingLogout()
      writeHint(nextUser)
      setHasEnded(false)
      setUser(nextUser)
      notifyOtherTabs('session')
    },
    [setUser],
  )
  const signOut = useCallback(
    async ({ forgetAdmin = false, leave = async () => {} }: Parameters<Auth['signOut']>[0] = {}) => {
      // Record the logout before the server responds, so that a reload or the end of the stream is
      // not reported as an expired session.
      wasSignedIn.current = false
      markLogoutPending()
      clearHint()
      void clearOfflineAlerts()
      if (forgetAdmin) browserStorage.removeItem('adminAuth')
      await leave().catch(() => {})
      // Do not wait for the response of the server, which may never arrive.
      setUser(null)
      notifyOtherTabs('session')
      await endPendingLogout().catch(() => {})
      notifyOtherTabs('session')
    },
    [setUser],
  )
  const auth = useMemo<Auth>(
    () => ({
      status,
      user,
      isAuthenticated: user !== null,
      isAdmin: user?.isAdmin === true && !user.mustEnrol,
      awaitedFactor: data?.awaitedFactor ?? null,
      hint: status === 'unknown' ? readHint() : null,
      hasEnded,
      refetchUser,
      onSignIn,
      awaitFactor,
      signOut,
    }),
    [status, user, data?.awaitedFactor, hasEnded, refetchUser, onSignIn, awaitFactor, signOut],
  )
  return <AuthContext value={auth}>{children}</AuthContext>
}

export function useAuth(): Auth {
  const auth = use(AuthContext)
  if (!auth) throw new Error('useAuth must be used within an AuthProvider')
  return auth
}

/** The signed-in user. Use only on pages behind the guard. */
export function useUser(): SessionUser {
  const { user } = useAuth()
  if (!user) throw new Error('useUser must be used behind the guard')
  return user
}
