import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { AccountSession } from '@tocsin/protocol'
import { useState } from 'react'
import { call } from '../../api.ts'
import { useAuth } from '../../auth.tsx'
import { paths } from '../../paths.ts'
import { queries } from '../../queries.ts'
import { settingsTexts } from '../../texts/settings.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'
import { ReadState } from './read-state.tsx'
import { SettingRow, SettingRows } from './setting-row.tsx'
import { useAccountChange } from './use-account-change.ts'

const texts = settingsTexts.sessionsSection

/** Where the account is signed in. */
export function SessionsSection() {
  const sessions = useQuery({ ...queries.sessions, staleTime: 0 })
  const endOthers = useAccountChange({
    run: () => call('endOtherSessions'),
    done: texts.sessionsEnded,
    failed: texts.sessionsCouldNotBeEnded,
  })
  const hasOthers = sessions.data?.some(({ isCurrent }) => !isCurrent) ?? false
  return (
    <Panel
      title={texts.sessions}
      flush
      right={
        hasOthers && (
          <Button size="sm" busy={endOthers.isPending} onClick={() => endOthers.mutate()}>
            {endOthers.isPending ? texts.ending : texts.endAllOthers}
          </Button>
        )
      }
      footer={texts.one}
    >
      <ReadState query={sessions} what={texts.yourSessions} rows={2}>
        {(list) => (
          <SettingRows>
            {list.map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
          </SettingRows>
        )}
      </ReadState>
    </Panel>
  )
}

function SessionRow({ session }: { session: AccountSession }) {
  const { device, isCurrent, createdAt, lastSeenAt, remembered } = session
  return (
    <SettingRow
      label={
        <span className="flex flex-wrap items-center gap-2">
          {device}
          {isCurrent && <Badge tone="ok">{texts.thisDevice}</Badge>}
        </span>
      }
      detail={texts.startedCreatedAtZone({
        createdAt: <Time at={createdAt} show="date" />,
        zone: <ZoneName />,
        isCurrent,
        lastSeenAt: <LastSeen at={lastSeenAt} />,
        remembered,
      })}
    >
      {isCurrent ? <LogOutButton /> : <EndButton session={session} />}
    </SettingRow>
  )
}

function LastSeen({ at }: { at: string }) {
  return <>{texts.lastSeenAt({ at: <Time at={at} show="relative" /> })}</>
}

function EndButton({ session: { id, device } }: { session: AccountSession }) {
  const end = useAccountChange({
    run: () => call('endSession', { params: { id } }),
    done: texts.sessionEnded,
    failed: texts.sessionCouldNotBeEnded,
  })
  return (
    <Button busy={end.isPending} aria-label={texts.endTheSessionOfDevice({ device })} onClick={() => end.mutate()}>
      {end.isPending ? texts.ending : texts.end}
    </Button>
  )
}

function LogOutButton() {
  const { signOut } = useAuth()
  const navigate = useNavigate()
  const [leaving, setLeaving] = useState(false)

  async function leave() {
    setLeaving(true)
    await navigate({ to: paths.home })
    await signOut()
  }

  return (
    <Button busy={leaving} onClick={leave}>
      {leaving ? texts.loggingOut : texts.logOut}
    </Button>
  )
}
