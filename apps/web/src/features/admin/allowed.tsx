import type { Permission } from '@tocsin/protocol'
import type { ReactNode } from 'react'
import { useUser } from '../../session/auth.tsx'

/**
 * Returns whether the role of the signed-in user has this permission. The server checks every call
 * again.
 */
export function useAllowed(permission: Permission): boolean {
  return useUser().permissions.includes(permission)
}

/** Renders its children if the signed-in user's role has this permission. */
export function Allowed({ to, children }: { to: Permission; children: ReactNode }) {
  return useAllowed(to) ? children : null
}
