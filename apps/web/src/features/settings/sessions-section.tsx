import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { AccountSession } from '@tocsin/protocol'
import { useState } from 'react'
import { call } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { paths } from '../../paths.ts'
import { useAuth } from '../../session/auth.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'
import { QueryContent } from './query-content.tsx'
import { SettingRow, SettingRows } from './setting-row.tsx'
import { useAccountChange } from './use-account-change.ts'

export function SessionsSection() {
  const sessions = useQuery({ ...queries.sessions, staleTime: 0 })
  const endOthers = useAccountChange({
    run: () => call('endOtherSessions'),
    done: 'Sessions Ended',
    failed: 'The sessions could not be ended. Please try again.',
  })
  const hasOthers = sessions.data?.some(({ isCurrent }) => !isCurrent) ?? false
  return (
    <Panel
      title="Sessions"
      flush
      actions={
        hasOthers && (
          <Button size="sm" busy={endOthers.isPending} onClick={() => endOthers.mutate()}>
            {endOthers.isPending ? 'Ending…' : 'End all others'}
          </Button>
        )
      }
      footer="If you do not recognise a session, end it and change your password."
    >
      <QueryContent query={sessions} what="your sessions" rows={2}>
        {(list) => (
          <SettingRows>
            {list.map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
          </SettingRows>
        )}
      </QueryContent>
    </Panel>
  )
}

function SessionRow({ session }: { session: AccountSession }) {
  const { device, method, place, isCurrent, createdAt, lastSeenAt, remembered } = session
  return (
    <SettingRow
      label={
        <span className="flex flex-wrap items-center gap-2">
          {device}
          {isCurrent && <Badge tone="ok">This device</Badge>}
        </span>
      }
      detail={
        <>
          Started <Time at={createdAt} show="date" /> <ZoneName />.{' '}
          {isCurrent ? 'In use now' : <LastSeen at={lastSeenAt} />}.{remembered ? ' Remembered.' : ''}
          {method && ` Signed in with ${method}.`}
          {place && ` From ${place}.`}
        </>
      }
    >
      {isCurrent ? <LogOutButton /> : <EndButton session={session} />}
    </SettingRow>
  )
}

function LastSeen({ at }: { at: string }) {
  return (
    <>
      Last seen: <Time at={at} show="relative" />
    </>
  )
}

function EndButton({ session: { id, device } }: { session: AccountSession }) {
  const end = useAccountChange({
    run: () => call('endSession', { params: { id } }),
    done: 'Session Ended',
    failed: 'The session could not be ended. Please try again.',
  })
  return (
    <Button busy={end.isPending} aria-label={`End the session of ${device}`} onClick={() => end.mutate()}>
      {end.isPending ? 'Ending…' : 'End'}
    </Button>
  )
}

function LogOutButton() {
  const { signOut } = useAuth()
  const navigate = useNavigate()
  const [isLoggingOut, setLoggingOut] = useState(false)

  async function logOut() {
    setLoggingOut(true)
    await signOut({ leave: () => navigate({ to: paths.home }) })
  }

  return (
    <Button busy={isLoggingOut} onClick={logOut}>
      {isLoggingOut ? 'Logging out…' : 'Log out'}
    </Button>
  )
}
