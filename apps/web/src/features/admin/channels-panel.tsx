import { useMutation, useQuery } from '@tanstack/react-query'
import type { AdminChannelKind } from '@tocsin/protocol'
import { call } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/count.ts'
import { useNow } from '../../ui/now.ts'
import { Panel } from '../../ui/panel.tsx'
import { toastFailure } from '../account/toast-failure.ts'
import { formatDuration } from '../alert/alert-texts.ts'
import { kindNames } from '../channels/channel-texts.ts'
import { adminQueries } from './admin-queries.ts'
import { AdminQueryError } from './admin-query-error.tsx'
import { Allowed } from './allowed.tsx'
import { FigureCell, FigureGrid, PanelWarning } from './figure-cell.tsx'

/** Queue and failures of each kind of destination, and a test of the Telegram bot. */
export function ChannelsPanel() {
  const query = useQuery(adminQueries.channels)
  const { data, error } = query
  if (error && !data) {
    return (
      <Panel title="Channels">
        <AdminQueryError fallback="Failed to fetch the figures of channels" query={query} />
      </Panel>
    )
  }
  if (!data) return null
  const usedKinds = data.kinds.filter(isUsed)
  return (
    <Panel
      title="Channels"
      detail="Last 24 hours"
      flush
      actions={
        data.hasTelegramBot && (
          <Allowed to="settings.change">
            <BotTest />
          </Allowed>
        )
      }
    >
      {!data.canPush && (
        <PanelWarning>
          The key for web push cannot be decrypted, because APP_SECRET has changed. Set PUSH_PRIVATE_KEY or restore the
          secret.
        </PanelWarning>
      )}
      {usedKinds.length === 0 ? (
        <p className="px-5 py-4 text-base text-2 phone:px-4">No account has added a destination yet.</p>
      ) : (
        <FigureGrid>
          {usedKinds.map((row) => (
            <KindCell key={row.kind} row={row} />
          ))}
        </FigureGrid>
      )}
    </Panel>
  )
}

const isUsed = ({ destinations, waiting, attemptsLastDay }: AdminChannelKind) =>
  Object.values(destinations).some((count) => count > 0) || waiting > 0 || attemptsLastDay > 0

function KindCell({ row }: { row: AdminChannelKind }) {
  const { kind, destinations, waiting, oldestDueAt, deliveredLastDay, failedLastDay, failedLastHour } = row
  const queueMs = useNow((nowMs) => (oldestDueAt === null ? 0 : Math.max(0, nowMs - Date.parse(oldestDueAt))))
  const states = [
    `${formatCount(destinations.on)} on`,
    ...(destinations.failing > 0 ? [`${formatCount(destinations.failing)} failing`] : []),
    ...(destinations.gone > 0 ? [`${formatCount(destinations.gone)} removed or blocked`] : []),
    ...(destinations.paused > 0 ? [`${formatCount(destinations.paused)} paused`] : []),
    ...(destinations.unconfirmed > 0 ? [`${formatCount(destinations.unconfirmed)} not confirmed`] : []),
  ]
  return (
    <FigureCell
      label={kindNames[kind]}
      detail={
        <>
          {states.join(', ')}
          <br />
          {formatCount(failedLastDay)} failed, {formatCount(failedLastHour)} of them in the last hour
          <br />
          {formatCount(waiting)} waiting
          {oldestDueAt !== null && queueMs >= 1_000 && `, the oldest is ${formatDuration(queueMs)} overdue`}
          {row.medianDelayMs !== null && `, median ${formatDuration(row.medianDelayMs)} to delivery`}
        </>
      }
    >
      {formatCount(deliveredLastDay)} delivered
    </FigureCell>
  )
}

function BotTest() {
  const test = useMutation({
    mutationFn: () => call('testTelegramBot'),
    onError: (error) => toastFailure(error, 'The Telegram bot could not be tested. Please try again.'),
  })
  return (
    <span className="flex flex-wrap items-center gap-3 phone:gap-y-2 phone:pb-3">
      {test.data && (
        <span role="status" className={`text-hint ${test.data.isWorking ? 'text-ok' : 'text-critical'}`}>
          {test.data.message}
        </span>
      )}
      <Button size="sm" busy={test.isPending} onClick={() => test.mutate()}>
        {test.isPending ? 'Testing…' : 'Test the Telegram bot'}
      </Button>
    </span>
  )
}
