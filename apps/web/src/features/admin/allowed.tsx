import type { Permission } from '@tocsin/protocol'
import type { ReactNode } from 'react'
import { useUser } from '../../session/auth.tsx'

/** Whether the signed-in user's role has this permission. The server checks every call itself. */
export function useAllowed(permission: Permission): boolean {
  return useUser().permissions.includes(permission)
}

/** Renders its children if the signed-in user's role has this permission. */
export function Allowed({ to, children }: { to: Permission; children: ReactNode }) {
  return useAllowed(to) ? children : null
}
