import { useQuery } from '@tanstack/react-query'
import type { SystemStatus } from '@tocsin/protocol'
import { queries } from '../../api/queries.ts'
import { Dot, getLiveState } from '../../shell/status.tsx'
import { useStreamStatus } from '../../stream/stream-status.ts'
import { formatAge, formatUptime } from '../../ui/format-duration.ts'
import { useNow } from '../../ui/now.ts'
import { Panel } from '../../ui/panel.tsx'
import { QueryError } from '../../ui/query-error.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { feedStates, type StatusTone, toneClasses } from './feed-states.ts'
import { useNotLiveReason } from './not-live-reason.ts'

const anchorStateSuffix = { current: '', delayed: ', delayed', stopped: ', stopped' }

const anchorLights: Record<SystemStatus['anchor']['state'], StatusTone> = {
  current: 'ok',
  delayed: 'medium',
  stopped: 'critical',
}

/**
 * Shows the measured status of the system. The server measures the feed, and this page measures the
 * WebSocket.
 */
export function SystemCard() {
  const { data, isPending, isLoadingError, refetch } = useQuery(queries.status)
  return (
    <Panel title="System status" plainHeader>
      <div className="-mt-3 min-h-36">
        {isLoadingError ? (
          <QueryError onRetry={() => void refetch()}>The status could not be loaded.</QueryError>
        ) : isPending ? (
          <Skeleton className="h-36 w-full" />
        ) : (
          <StatusRows status={data} />
        )}
      </div>
    </Panel>
  )
}

function StatusRows({ status }: { status: SystemStatus }) {
  const { state, isNeeded, lastMessageAt } = useStreamStatus()
  const shownState = useNow((nowMs) => getLiveState(state, lastMessageAt, nowMs))
  const notLiveReason = useNotLiveReason()
  const feed = feedStates[status.feed.state]
  // "Delayed" counts as connected: the socket is open, but the server cannot see new alerts.
  const isConnected = shownState === 'live' || shownState === 'delayed'
  const uptime = useNow((nowMs) => formatUptime(nowMs - Date.parse(status.startedAt)))
  const { lastSignalAt, signalsReceived } = status.feed
  const lastSignal = useNow((nowMs) => (lastSignalAt === null ? '' : formatAge(nowMs - Date.parse(lastSignalAt))))
  return (
    <>
      <dl className="divide-y divide-line-1">
        <StatusRow label="Analysis system" light={feed.tone} value={feed.label} />
        <StatusRow
          label="WebSocket"
          light={shownState === 'live' ? 'ok' : shownState === 'silent' ? 'critical' : isNeeded ? 'medium' : 'off'}
          value={isConnected ? 'Connected' : shownState === 'late' ? 'Late' : 'Disconnected'}
          detail={state === 'delayed' ? 'New alerts are delayed' : isConnected || isNeeded ? null : notLiveReason}
        />
        <StatusRow
          label="Anchor chain"
          light={anchorLights[status.anchor.state]}
          value={status.anchor.chainName + anchorStateSuffix[status.anchor.state]}
        />
      </dl>
      <p className="mt-3 text-hint text-2">
        {signalsReceived === null
          ? `Up ${uptime}.`
          : `Up ${uptime}. ${lastSignalAt === null ? 'No signal yet.' : `Last signal ${lastSignal} ago.`}`}
      </p>
    </>
  )
}

type StatusRowProps = {
  label: string
  light: StatusTone
  value: string
  /** Explanation below the status. */
  detail?: string | null
}

function StatusRow({ label, light, value, detail = null }: StatusRowProps) {
  return (
    <div className="flex min-h-9 items-center gap-3 py-1">
      <Dot className={toneClasses[light]} />
      <dt className="max-w-[60%] shrink-0 text-base font-medium wrap-anywhere">{label}</dt>
      <dd className="ml-auto min-w-0 text-right text-base wrap-break-word text-2">
        {value}
        {detail !== null && <span className="block text-hint">{detail}</span>}
      </dd>
    </div>
  )
}
