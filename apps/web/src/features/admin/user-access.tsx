import type { AdminUserDetail } from '@tocsin/protocol'
import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { type AccessChange, AccessDialog } from './access-dialog.tsx'
import { UserSection } from './user-section.tsx'

/** Role and suspension of an account. */
export function UserAccess({ detail: { user } }: { detail: AdminUserDetail }) {
  const [asked, setAsked] = useState<AccessChange>()
  const role = user.isAdmin ? 'demote' : 'promote'
  const access = user.suspendedAt === null ? 'suspend' : 'unsuspend'
  return (
    <UserSection title="Access">
      <ul className="divide-y divide-line-1">
        <Row
          label={user.isAdmin ? 'Administrator' : 'Regular User'}
          detail={user.isAdmin ? 'Has full access to this area.' : 'Has no access to this area.'}
        >
          <Button onClick={() => setAsked(role)}>{user.isAdmin ? 'Make a regular user…' : 'Make an admin…'}</Button>
        </Row>
        <Row
          label={user.suspendedAt === null ? 'Active' : 'Suspended'}
          detail={
            user.suspendedAt === null
              ? 'A suspended account can’t sign in until it is unsuspended.'
              : 'Sign-in is blocked.'
          }
        >
          <Button variant={access === 'suspend' ? 'danger' : 'secondary'} onClick={() => setAsked(access)}>
            {access === 'suspend' ? 'Suspend…' : 'Unsuspend…'}
          </Button>
        </Row>
      </ul>
      {asked && <AccessDialog user={user} change={asked} onClose={() => setAsked(undefined)} />}
    </UserSection>
  )
}

function Row({ label, detail, children }: { label: string; detail: string; children: ReactNode }) {
  return (
    <li className="flex min-h-14 flex-wrap items-center gap-x-4 gap-y-2 py-2 text-base">
      <span className="min-w-44 flex-1">
        <span className="block font-medium">{label}</span>
        <span className="block text-2">{detail}</span>
      </span>
      {children}
    </li>
  )
}
