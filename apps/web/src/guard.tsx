import { useRouter } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { useAuth } from './auth.tsx'
import { paths } from './paths.ts'
import { FullPageSpinner } from './ui/spinner.tsx'

const REDIRECT_DELAY_MS = 800

interface GuardProps {
  children: ReactNode
  adminOnly?: boolean
}

/** Shows its children to those who may see them. The server decides again on every call. */
export function Guard({ children, adminOnly = false }: GuardProps) {
  const { status, isAuthenticated, isAdmin, hint } = useAuth()
  const waited = useDelay(status === 'out', REDIRECT_DELAY_MS)

  if (isAuthenticated && (!adminOnly || isAdmin)) return children
  if (isAuthenticated || waited) return <ToDoor adminOnly={adminOnly} />
  // Likely signed in: the answer is milliseconds away, a spinner would only flash.
  if (hint) return null
  return <FullPageSpinner>{adminOnly ? 'Checking admin access...' : 'Checking authentication...'}</FullPageSpinner>
}

function useDelay(running: boolean, ms: number): boolean {
  const [passed, setPassed] = useState(false)
  useEffect(() => {
    if (!running) return setPassed(false)
    const timer = setTimeout(() => setPassed(true), ms)
    return () => clearTimeout(timer)
  }, [running, ms])
  return passed
}

/** Leaves once: the address is read when leaving, not followed, since leaving changes it. */
function ToDoor({ adminOnly }: { adminOnly: boolean }) {
  const router = useRouter()
  useEffect(() => {
    const { href, pathname } = router.state.location
    const door = adminOnly ? paths.adminAuth : paths.auth
    if (pathname === door) return
    void router.navigate({ to: door, search: adminOnly ? {} : { next: href }, replace: true })
  }, [router, adminOnly])
  return null
}
