import { useQuery } from '@tanstack/react-query'
import type { AdminUser } from '@tocsin/protocol'
import { Ban } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { adminQueries } from './admin-queries.ts'
import { CancelDialog } from './cancel-dialog.tsx'
import { ExtendDialog } from './extend-dialog.tsx'
import { FetchFailure } from './fetch-failure.tsx'
import { UserAccess } from './user-access.tsx'
import { AccountFacts, SubscriptionFacts } from './user-facts.tsx'
import { UserExtensions, UserPayments, UserPeriods } from './user-history.tsx'
import { UserSessions } from './user-sessions.tsx'
import { displayName } from './user-words.ts'

/**
 * Details of an account and the actions on it. One dialog for all query states, so that focus
 * returns correctly on close.
 */
export function UserDetailDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error, isFetching, refetch } = useQuery(adminQueries.user(id))
  const [asked, setAsked] = useState<'extend' | 'cancel'>()
  const user = data?.user
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="lg"
      title={user ? displayName(user) : 'User'}
      description={user && (user.isAdmin ? 'Administrator' : 'Regular User')}
      aside={user && <StateBadge user={user} />}
      footer={
        <>
          {user?.activeSubscription && (
            <Button
              size="lg"
              variant="danger"
              onClick={() => setAsked('cancel')}
              className="mr-auto phone:px-3 max-[374px]:w-full"
            >
              <Ban aria-hidden size={16} strokeWidth={2.25} className="text-critical phone:hidden" />
              Cancel subscription
            </Button>
          )}
          <Button size="lg" onClick={onClose} className="phone:px-3">
            Close
          </Button>
          {user?.activeSubscription && (
            <Button size="lg" variant="primary" onClick={() => setAsked('extend')} className="phone:px-3">
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
          <UserPayments detail={data} />
          <UserSessions detail={data} />
          <UserAccess detail={data} />
        </div>
      ) : error ? (
        <FetchFailure fallback="Failed to fetch the user" error={error} isFetching={isFetching} onRetry={refetch} />
      ) : (
        <SkeletonRows rows={6} label="Loading the user" />
      )}
      {user && asked === 'extend' && <ExtendDialog user={user} onClose={() => setAsked(undefined)} />}
      {user && asked === 'cancel' && <CancelDialog user={user} onClose={() => setAsked(undefined)} />}
    </Dialog>
  )
}

function StateBadge({ user: { suspendedAt, activeSubscription } }: { user: AdminUser }) {
  if (suspendedAt !== null) return <Badge tone="critical">Suspended</Badge>
  if (!activeSubscription) return <Badge>No Subscription</Badge>
  return <Badge tone="ok">{`Active: ${activeSubscription.planType}`}</Badge>
}
