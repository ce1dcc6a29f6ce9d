import type { AdminUserDetail } from '@tocsin/protocol'
import { type ReactNode, useState } from 'react'
import { adminUsersTexts } from '../../texts/admin-users.tsx'
import { Button } from '../../ui/button.tsx'
import { type AccessChange, AccessDialog } from './access-dialog.tsx'
import { UserSection } from './user-section.tsx'

const texts = adminUsersTexts.userAccess

/** Who may sign in, and as what. */
export function UserAccess({ detail: { user } }: { detail: AdminUserDetail }) {
  const [asked, setAsked] = useState<AccessChange>()
  const role = user.isAdmin ? 'demote' : 'promote'
  const access = user.suspendedAt === null ? 'suspend' : 'unsuspend'
  return (
    <UserSection title={texts.access}>
      <ul className="divide-y divide-line-1">
        <Row
          label={user.isAdmin ? texts.administrator : texts.regularUser}
          detail={user.isAdmin ? texts.sees : texts.seesNothingOfThisArea}
        >
          <Button onClick={() => setAsked(role)}>{user.isAdmin ? texts.makeARegularUser : texts.makeAnAdmin}</Button>
        </Row>
        <Row
          label={user.suspendedAt === null ? texts.maySignIn : texts.suspended}
          detail={user.suspendedAt === null ? texts.suspendedAccountIsShut : texts.shutOut}
        >
          <Button variant={access === 'suspend' ? 'danger' : 'secondary'} onClick={() => setAsked(access)}>
            {access === 'suspend' ? texts.suspend : texts.letInAgain}
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
