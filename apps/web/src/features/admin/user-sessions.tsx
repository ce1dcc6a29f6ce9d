import type { AdminUserDetail } from '@tocsin/protocol'
import { call } from '../../api.ts'
import { adminUsersTexts } from '../../texts/admin-users.tsx'
import { Button } from '../../ui/button.tsx'
import { Time } from '../../ui/time.tsx'
import { useUserAction } from './use-user-action.ts'
import { UserSection } from './user-section.tsx'

const texts = adminUsersTexts.userSessions

/** Where the account is signed in. */
export function UserSessions({ detail: { user, sessions } }: { detail: AdminUserDetail }) {
  const all = useUserAction({
    id: user.id,
    run: () => call('endUserSessions', { params: { id: user.id } }),
    done: texts.sessionsEnded,
    failed: texts.failedToEndTheSessions,
  })
  const one = useUserAction<string>({
    id: user.id,
    run: (sessionId) => call('endUserSession', { params: { id: user.id, sessionId } }),
    done: texts.sessionEnded,
    failed: texts.failedToEndTheSession,
  })
  return (
    <UserSection
      title={texts.sessions}
      right={
        sessions.length > 0 && (
          <Button size="sm" busy={all.isPending} onClick={() => all.mutate()}>
            {all.isPending ? texts.ending : texts.endAll}
          </Button>
        )
      }
    >
      {sessions.length === 0 && <p className="text-base text-2">{texts.signedInNowhere}</p>}
      <ul className="divide-y divide-line-1">
        {sessions.map(({ id, device, createdAt, lastSeenAt, remembered }) => (
          <li key={id} className="flex min-h-10 flex-wrap items-center gap-x-4 py-1.5 text-base">
            <span className="min-w-40 flex-1 wrap-anywhere">{device}</span>
            <span className="text-2">
              {texts.sinceSeen({
                createdAt: <Time at={createdAt} show="date" className="text-data" />,
                lastSeenAt: <Time at={lastSeenAt} show="relative" />,
              })}
              {remembered && texts.remembered}
            </span>
            <Button
              size="sm"
              variant="ghost"
              aria-label={texts.endTheSessionOf({ device })}
              busy={one.isPending && one.variables === id}
              onClick={() => one.mutate(id)}
            >
              {texts.end}
            </Button>
          </li>
        ))}
      </ul>
    </UserSection>
  )
}
