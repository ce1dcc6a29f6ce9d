import type { AdminUserDetail } from '@tocsin/protocol'
import { call } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { Time } from '../../ui/time.tsx'
import { useUserAction } from './use-user-action.ts'
import { UserSection } from './user-section.tsx'

/** The active sessions of an account. */
export function UserSessions({ detail: { user, sessions } }: { detail: AdminUserDetail }) {
  const all = useUserAction({
    id: user.id,
    run: () => call('endUserSessions', { params: { id: user.id } }),
    done: 'Sessions Ended',
    failed: 'Failed to end the sessions.',
  })
  const one = useUserAction<string>({
    id: user.id,
    run: (sessionId) => call('endUserSession', { params: { id: user.id, sessionId } }),
    done: 'Session Ended',
    failed: 'Failed to end the session.',
  })
  return (
    <UserSection
      title="Sessions"
      right={
        sessions.length > 0 && (
          <Button size="sm" busy={all.isPending} onClick={() => all.mutate()}>
            {all.isPending ? 'Ending…' : 'End all'}
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
              Since <Time at={createdAt} show="date" className="text-data" />, seen{' '}
              <Time at={lastSeenAt} show="relative" />
              {remembered && ', remembered'}
            </span>
            <Button
              size="sm"
              variant="ghost"
              aria-label={`End the session of ${device}`}
              busy={one.isPending && one.variables === id}
              onClick={() => one.mutate(id)}
            >
              End
            </Button>
          </li>
        ))}
      </ul>
    </UserSection>
  )
}
