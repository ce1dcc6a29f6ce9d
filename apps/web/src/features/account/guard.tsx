import { useRouter } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { isLogoutPending } from '../../api/pending-logout.ts'
import { importOrThrow } from '../../browser/load-page.ts'
import { useOnline } from '../../browser/use-online.ts'
import { paths } from '../../paths.ts'
import { useAuth } from '../../session/auth.tsx'
import { findPlanInUrl, rememberChosenPlan } from '../../session/chosen-plan.ts'
import { ReauthenticationContext, ReauthenticationDeclined } from '../../session/reauthentication.ts'
import { Button } from '../../ui/button.tsx'
import { Mark } from '../../ui/identity/logo.tsx'
import { FullPageSpinner } from '../../ui/spinner.tsx'
import { formatAuthHref } from './auth-search-params.ts'
import { useProviderToasts } from './provider-return.ts'

const REDIRECT_DELAY_MS = 800

interface GuardProps {
  children: ReactNode
  adminOnly?: boolean
  /**
   * Shown instead of the children if the session can't be checked because the browser is offline.
   * Not shown while a logout is pending.
   */
  offline?: ReactNode
}

/**
 * Renders its children for signed-in users, or for admins if `adminOnly`. The server checks access
 * on every call.
 */
export function Guard({ children, adminOnly = false, offline }: GuardProps) {
  const { status, user, isAdmin, hint, refetchUser } = useAuth()
  const hasWaited = useHasElapsed(status === 'out', REDIRECT_DELAY_MS)

  // The key discards the state of the pages, such as open dialogs, when another tab signs in a
  // different user.
  if (user && (!adminOnly || isAdmin))
    return <ReauthenticationProvider key={user.id}>{children}</ReauthenticationProvider>
  if (user || hasWaited) return <RedirectToLogin adminOnly={adminOnly} />
  // Do not redirect: the session may still be valid, and signing in would fail as well.
  if (status === 'unreachable') return <Unreachable onRetry={refetchUser} offline={offline} />
  // The user is probably signed in. The server confirms this within milliseconds, so a spinner
  // would only flash.
  if (hint) return null
  return <FullPageSpinner>{formatWaitingText(adminOnly)}</FullPageSpinner>
}

function formatWaitingText(adminOnly: boolean): string {
  if (isLogoutPending()) return 'Logging out...'
  return adminOnly ? 'Checking admin access...' : 'Checking authentication...'
}

function Unreachable({ onRetry, offline }: { onRetry: () => void; offline: ReactNode }) {
  const isOnline = useOnline()
  useEffect(() => {
    window.addEventListener('online', onRetry)
    return () => window.removeEventListener('online', onRetry)
  }, [onRetry])
  const isLeaving = isLogoutPending()
  if (!isOnline && !isLeaving && offline) return offline
  return (
    <main className="grid min-h-dvh place-content-center justify-items-center gap-4 p-6 text-center">
      <Mark size={32} />
      <div role="alert">
        <h1 className="text-h2">{isLeaving ? 'Your logout is not confirmed' : 'Tocsin is not responding'}</h1>
        <p className="mt-1 text-body text-2">
          {isLeaving
            ? 'Tocsin did not respond, so your session may still be open on the server. This page shows no data and keeps trying to log you out.'
            : 'Your session and your plan are not affected. This page needs the server to show its content.'}
        </p>
      </div>
      <Button size="lg" variant="primary" onClick={onRetry}>
        Try again
      </Button>
    </main>
  )
}

function useHasElapsed(isRunning: boolean, ms: number): boolean {
  const [hasElapsed, setHasElapsed] = useState(false)
  useEffect(() => {
    if (!isRunning) return setHasElapsed(false)
    const timer = setTimeout(() => setHasElapsed(true), ms)
    return () => clearTimeout(timer)
  }, [isRunning, ms])
  return hasElapsed
}

/**
 * Redirects to the sign-in page, or to its sign-up tab if the visitor has chosen a plan. If
 * `adminOnly`, redirects to the sign-in page of the admin area. Reads the location when it
 * redirects instead of subscribing to it, because the redirect changes the location.
 */
function RedirectToLogin({ adminOnly }: { adminOnly: boolean }) {
  const router = useRouter()
  useEffect(() => {
    const { href, pathname, searchStr } = router.state.location
    const plan = findPlanInUrl(searchStr)
    if (plan !== null) rememberChosenPlan(plan, Date.now())
    const loginPath = adminOnly ? paths.adminAuth : paths.auth
    if (pathname === loginPath) return
    if (adminOnly) void router.navigate({ to: loginPath, replace: true })
    else router.history.replace(formatAuthHref({ ...(plan === null ? {} : { tab: 'sign-up' }), next: href }))
  }, [router, adminOnly])
  return null
}

const ReauthenticationDialog = lazy(async () => ({
  default: (await importOrThrow(() => import('./reauthentication-dialog.tsx'))).ReauthenticationDialog,
}))

interface Prompt {
  promise: Promise<void>
  resolve: () => void
  reject: (reason: Error) => void
}

/** Provides the reauthentication dialog to all signed-in pages. */
export function ReauthenticationProvider({ children }: { children: ReactNode }) {
  useProviderToasts()
  const [isOpen, setIsOpen] = useState(false)
  const prompt = useRef<Prompt | null>(null)

  // Concurrent calls wait for the same dialog.
  const ask = useCallback(() => {
    prompt.current ??= createPrompt()
    setIsOpen(true)
    return prompt.current.promise
  }, [])

  function close(isConfirmed: boolean) {
    if (isConfirmed) prompt.current?.resolve()
    else prompt.current?.reject(new ReauthenticationDeclined())
    prompt.current = null
    setIsOpen(false)
  }

  return (
    <ReauthenticationContext value={ask}>
      {children}
      {isOpen && (
        <Suspense>
          <ReauthenticationDialog onConfirmed={() => close(true)} onCancel={() => close(false)} />
        </Suspense>
      )}
    </ReauthenticationContext>
  )
}

function createPrompt(): Prompt {
  let resolve: Prompt['resolve'] = () => {}
  let reject: Prompt['reject'] = () => {}
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
}
