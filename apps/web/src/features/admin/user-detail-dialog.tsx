import { useQuery } from '@tanstack/react-query'
import type { AdminUser, AdminUserDetail, EnrolmentCode } from '@tocsin/protocol'
import { Ban } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/api.ts'
import { useUser } from '../../session/auth.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { type AccessChange, AccessDialog } from './access-dialog.tsx'
import { adminQueries } from './admin-queries.ts'
import { AdminQueryError } from './admin-query-error.tsx'
import { useAllowed } from './allowed.tsx'
import { CancelDialog } from './cancel-dialog.tsx'
import { EnrolmentCodeDialog } from './enrolment-code-dialog.tsx'
import { ExtendDialog } from './extend-dialog.tsx'
import { GrantDialog } from './grant-dialog.tsx'
import { RoleDialog } from './role-dialog.tsx'
import { formatAccountType, roleLabels } from './role-texts.ts'
import { useUserAction } from './use-user-action.ts'
import { AccountFacts, SubscriptionFacts } from './user-facts.tsx'
import { UserExtensions, UserPayments, UserPeriods } from './user-history.tsx'
import { UserSection } from './user-section.tsx'
import { getDisplayName } from './user-texts.ts'
import { UserTimeline } from './user-timeline.tsx'

/**
 * Details of an account and the actions on it. One dialog shows all states of the query, because a
 * dialog that is replaced while it is open would not return the focus on closing.
 */
export function UserDetailDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useQuery(adminQueries.user(id))
  const { data, error } = query
  const [openDialog, setOpenDialog] = useState<'extend' | 'cancel' | 'grant'>()
  const mayChangePlan = useAllowed('payments.manage')
  const seesPayments = useAllowed('payments.read')
  const user = data?.user
  return (
    <Dialog
      onOpenChange={onClose}
      size="lg"
      title={user ? getDisplayName(user) : 'User'}
      description={user && formatAccountType(user.role)}
      aside={user && <StateBadge user={user} />}
      footer={
        <>
          {mayChangePlan && user?.activeSubscription && (
            <Button
              size="lg"
              variant="danger"
              onClick={() => setOpenDialog('cancel')}
              className="mr-auto phone:px-3 max-[374px]:w-full"
            >
              <Ban aria-hidden size={16} strokeWidth={2.25} className="text-critical phone:hidden" />
              Cancel subscription
            </Button>
          )}
          {mayChangePlan && user && (
            <Button size="lg" onClick={() => setOpenDialog('grant')} className="phone:px-3">
              Grant a plan
            </Button>
          )}
          <Button size="lg" onClick={onClose} className="phone:px-3">
            Close
          </Button>
          {mayChangePlan && user?.activeSubscription && (
            <Button size="lg" variant="primary" onClick={() => setOpenDialog('extend')} className="phone:px-3">
              Extend
            </Button>
          )}
        </>
      }
    >
      {data ? (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
          <AccountFacts detail={data} />
          <SubscriptionFacts detail={data} />
          <UserPeriods detail={data} />
          <UserExtensions detail={data} />
          {seesPayments && <UserPayments detail={data} />}
          <UserSessions detail={data} />
          <UserAccess detail={data} />
          <UserTimeline id={id} />
        </div>
      ) : error ? (
        <AdminQueryError fallback="Failed to fetch the user" query={query} />
      ) : (
        <SkeletonRows rows={6} label="Loading the user" />
      )}
      {user && openDialog === 'extend' && <ExtendDialog user={user} onClose={() => setOpenDialog(undefined)} />}
      {user && openDialog === 'grant' && <GrantDialog user={user} onClose={() => setOpenDialog(undefined)} />}
      {user && openDialog === 'cancel' && <CancelDialog user={user} onClose={() => setOpenDialog(undefined)} />}
    </Dialog>
  )
}

function StateBadge({ user: { suspendedAt, activeSubscription } }: { user: AdminUser }) {
  if (suspendedAt !== null) return <Badge tone="critical">Suspended</Badge>
  if (!activeSubscription) return <Badge>No Subscription</Badge>
  return <Badge tone="ok">{`Active: ${activeSubscription.planType}`}</Badge>
}

/** Role and suspension of an account. */
function UserAccess({ detail: { user, secondFactors } }: { detail: AdminUserDetail }) {
  const [openDialog, setOpenDialog] = useState<AccessChange | 'role'>()
  const [issuedCode, setIssuedCode] = useState<EnrolmentCode>()
  const { id } = useUser()
  const mayManage = useMayManage(user)
  const mayChangeRole = useAllowed('roles.change') && user.id !== id
  const access = user.suspendedAt === null ? 'suspend' : 'unsuspend'
  const { name, detail: rights } = roleLabels[user.role]
  return (
    <UserSection title="Access">
      <ul className="divide-y divide-line-1">
        <Row
          label={name}
          detail={user.id === id ? `${rights} Only another account with the Owner role can change your role.` : rights}
        >
          {mayChangeRole && <Button onClick={() => setOpenDialog('role')}>Change role…</Button>}
        </Row>
        <Row
          label={user.suspendedAt === null ? 'Active' : 'Suspended'}
          detail={
            user.suspendedAt === null
              ? 'A suspended account can’t sign in until it is unsuspended.'
              : 'Sign-in is blocked.'
          }
        >
          {mayManage && (
            <Button variant={access === 'suspend' ? 'danger' : 'secondary'} onClick={() => setOpenDialog(access)}>
              {access === 'suspend' ? 'Suspend…' : 'Unsuspend…'}
            </Button>
          )}
        </Row>
        <FactorsRow
          user={user}
          secondFactors={secondFactors}
          onReset={() => setOpenDialog('reset-factors')}
          onCode={setIssuedCode}
        />
      </ul>
      {openDialog === 'role' && (
        <RoleDialog user={user} onClose={() => setOpenDialog(undefined)} onCode={setIssuedCode} />
      )}
      {issuedCode && <EnrolmentCodeDialog issued={issuedCode} onClose={() => setIssuedCode(undefined)} />}
      {openDialog && openDialog !== 'role' && (
        <AccessDialog user={user} change={openDialog} onClose={() => setOpenDialog(undefined)} />
      )}
    </UserSection>
  )
}

/**
 * Returns true if the signed-in user is allowed to manage an account with this role. Support,
 * admins and owners manage users. Only admins and owners manage staff, and only owners manage
 * owners.
 */
function useMayManage({ role }: Pick<AdminUser, 'role'>): boolean {
  return useAllowed(role === 'user' ? 'users.manage' : role === 'owner' ? 'roles.change' : 'staff.manage')
}

const methodLabels = { passkey: 'passkey', totp: 'authenticator app', 'recovery-code': 'recovery codes' }

interface FactorsRowProps extends Pick<AdminUserDetail, 'user' | 'secondFactors'> {
  onReset: () => void
  onCode: (issued: EnrolmentCode) => void
}

function FactorsRow({ user, secondFactors: { methods, resetDueAt }, onReset, onCode }: FactorsRowProps) {
  const { id } = user
  const mayManage = useMayManage(user)
  const cancel = useUserAction({
    id,
    run: () => call('cancelUserFactorReset', { params: { id } }),
    done: 'Reset Cancelled',
    failed: 'Failed to cancel the reset. Please try again.',
  })
  const isOwnAccount = useUser().id === id
  const issue = useUserAction({
    id,
    run: async () => {
      const { message, enrolmentCode } = await call('issueEnrolmentCode', { params: { id } })
      onCode(enrolmentCode)
      return { message }
    },
    done: 'Code Issued',
    failed: 'Failed to issue an enrolment code. Please try again.',
  })
  if (methods.length === 0) {
    const isStaff = user.role !== 'user'
    return (
      <Row
        label="No second factor"
        detail={isStaff ? 'Setting one up needs an enrolment code.' : 'The user can set one up in Settings.'}
      >
        {isStaff && mayManage && !isOwnAccount && (
          <Button busy={issue.isPending} onClick={() => issue.mutate()}>
            Issue a code
          </Button>
        )}
      </Row>
    )
  }
  return (
    <Row
      label="Two-factor authentication"
      detail={
        resetDueAt === null ? (
          `On: ${methods.map((method) => methodLabels[method]).join(', ')}.`
        ) : (
          <>
            Will be removed at <Time at={resetDueAt} className="text-data" /> at the earliest, unless the reset is
            cancelled.
          </>
        )
      }
    >
      {!mayManage ? null : resetDueAt === null ? (
        <Button onClick={onReset}>Reset…</Button>
      ) : (
        <Button busy={cancel.isPending} onClick={() => cancel.mutate()}>
          Cancel the reset
        </Button>
      )}
    </Row>
  )
}

function Row({ label, detail, children }: { label: string; detail: ReactNode; children?: ReactNode }) {
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

/** The active sessions of an account. */
function UserSessions({ detail: { user, sessions } }: { detail: AdminUserDetail }) {
  const mayManage = useMayManage(user)
  const endAllSessions = useUserAction({
    id: user.id,
    run: () => call('endUserSessions', { params: { id: user.id } }),
    done: 'Sessions Ended',
    failed: 'Failed to end the sessions. Please try again.',
  })
  const endSession = useUserAction<string>({
    id: user.id,
    run: (sessionId) => call('endUserSession', { params: { id: user.id, sessionId } }),
    done: 'Session Ended',
    failed: 'Failed to end the session. Please try again.',
  })
  return (
    <UserSection
      title="Sessions"
      right={
        mayManage &&
        sessions.length > 0 && (
          <Button size="sm" busy={endAllSessions.isPending} onClick={() => endAllSessions.mutate()}>
            {endAllSessions.isPending ? 'Ending…' : 'End all'}
          </Button>
        )
      }
    >
      {sessions.length === 0 && <p className="text-base text-2">No active sessions</p>}
      <ul className="divide-y divide-line-1">
        {sessions.map(({ id, device, createdAt, lastSeenAt, remembered }) => (
          <li key={id} className="flex min-h-10 flex-wrap items-center gap-x-4 py-1.5 text-base">
            <span className="min-w-40 flex-1 wrap-anywhere">{device}</span>
            <span className="text-2">
              Since <Time at={createdAt} show="date" className="text-data" />. Last seen:{' '}
              <Time at={lastSeenAt} show="relative" />.{remembered && ' Remembered.'}
            </span>
            {mayManage && (
              <Button
                size="sm"
                variant="ghost"
                aria-label={`End the session of ${device}`}
                busy={endSession.isPending && endSession.variables === id}
                onClick={() => endSession.mutate(id)}
              >
                End
              </Button>
            )}
          </li>
        ))}
      </ul>
    </UserSection>
  )
}
