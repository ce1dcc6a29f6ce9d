import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowUp, Pause, Play } from 'lucide-react'
import { paths } from '../../paths.ts'
import { queries } from '../../queries.ts'
import { useStreamStatus } from '../../stream-status.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { usePhone } from '../../ui/media-query.ts'
import { Panel } from '../../ui/panel.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { isLocked } from '../alerts/alert-words.ts'
import { useHeldList } from '../alerts/held-list.ts'
import { InsightHeads, InsightRow, LockedRow } from '../alerts/insight-row.tsx'
import { ReadFailure } from '../alerts/read-failure.tsx'
import { usePurchase } from '../subscription/purchase-provider.tsx'

const shownAlerts = 5
const withoutStreamMs = 30_000

/** The newest five alerts, as they come in. Pause keeps them still. */
export function InsightsPanel() {
  const { isWanted } = useStreamStatus()
  const {
    data = [],
    isPending,
    isLoadingError,
    refetch,
  } = useQuery({
    ...queries.recentAlerts,
    // Without a stream nothing else would tell that there was another one.
    refetchInterval: isWanted ? false : withoutStreamMs,
  })
  const { data: status } = useQuery(queries.status)
  const { open } = usePurchase()
  const isPhone = usePhone()
  const list = useHeldList(data)
  const shown = list.shown.slice(0, shownAlerts)
  // Cut off it would say nothing: phones have the figure above.
  const detail =
    status && !isPhone ? `${shown.length} of ${status.alerts.last24Hours.toLocaleString('en-US')} today` : undefined
  return (
    <Panel
      title="Live insights"
      detail={detail}
      flush
      right={
        <>
          {list.waiting > 0 && (
            <Button size="sm" variant="primary" onClick={list.release}>
              <ArrowUp aria-hidden size={16} strokeWidth={2.25} />
              {list.waiting} new
            </Button>
          )}
          <PauseButton isHeld={list.isHeld} onToggle={list.isHeld ? list.release : list.hold} />
          <Button size="sm" variant="ghost" asChild>
            <Link to={paths.notifications}>View all</Link>
          </Button>
        </>
      }
    >
      {isPending ? (
        <SkeletonRows rows={shownAlerts} label="Loading alerts" />
      ) : isLoadingError ? (
        <ReadFailure onRetry={() => void refetch()}>Failed to fetch alerts</ReadFailure>
      ) : shown.length === 0 ? (
        <EmptyState title="No alerts yet">Market alerts will appear here as they are issued.</EmptyState>
      ) : (
        <>
          <InsightHeads />
          <ul>
            {shown.map((alert) =>
              isLocked(alert) ? (
                <LockedRow key={alert.id} alert={alert} onSubscribe={() => open()} />
              ) : (
                <InsightRow key={alert.id} alert={alert} />
              ),
            )}
          </ul>
        </>
      )}
    </Panel>
  )
}

function PauseButton({ isHeld, onToggle }: { isHeld: boolean; onToggle: () => void }) {
  const Icon = isHeld ? Play : Pause
  return (
    <Button size="sm" variant="ghost" aria-pressed={isHeld} onClick={onToggle}>
      <Icon aria-hidden size={16} strokeWidth={2.25} />
      {isHeld ? 'Resume' : 'Pause'}
    </Button>
  )
}
