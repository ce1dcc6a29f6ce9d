import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReadableAlert } from '@tocsin/protocol'
import { ArrowUp, Pause, Play, RefreshCw } from 'lucide-react'
import { useRef } from 'react'
import { queries } from '../../api/queries.ts'
import { paths } from '../../paths.ts'
import { usePreferences } from '../../session/preferences.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { numberLocale } from '../../ui/locale.ts'
import { usePhone } from '../../ui/media-query.ts'
import { Panel } from '../../ui/panel.tsx'
import { ReadFailure } from '../../ui/read-failure.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { isLocked } from '../alert/alert-words.ts'
import { InsightHeads, InsightRow, LockedRow } from '../alerts/insight-row.tsx'
import { useLiveList } from '../alerts/live-list.ts'
import { usePurchase } from '../subscription/purchase-provider.tsx'
import { useDayCounts } from './use-day-counts.ts'

const shownAlerts = 5
const noAlerts: ReadableAlert[] = []
const logIndexOf = ({ logIndex }: ReadableAlert) => logIndex

/** The newest five alerts, live. New alerts wait while the user reads the list or has paused it. */
export function InsightsPanel() {
  const { preferences } = usePreferences()
  const { data = noAlerts, isPending, isFetching, isLoadingError, refetch } = useQuery(queries.recentAlerts)
  const day = useDayCounts()
  const { open } = usePurchase()
  const isPhone = usePhone()
  const rows = useRef<HTMLUListElement>(null)
  const list = useLiveList(data, logIndexOf, rows)
  const shown = list.shown.slice(0, shownAlerts)
  // Phones have no space for this detail; the figures above show the same count.
  const detail = day && !isPhone ? `${shown.length} of ${day.total.toLocaleString(numberLocale)} today` : undefined
  return (
    <Panel
      title="Live insights"
      detail={detail}
      flush
      right={
        <>
          {list.waiting > 0 && (
            <Button size="sm" variant="primary" data-keys="." title="Show new (.)" onClick={list.showNew}>
              <ArrowUp aria-hidden size={16} strokeWidth={2.25} />
              {`${list.waiting} new`}
            </Button>
          )}
          {preferences.realTimeAlerts ? (
            <PauseButton isPaused={list.isPaused} onChange={list.setIsPaused} />
          ) : (
            <Button size="sm" variant="ghost" busy={isFetching} onClick={() => void refetch()}>
              <RefreshCw aria-hidden size={16} strokeWidth={2.25} />
              {isFetching ? 'Refreshing…' : 'Refresh'}
            </Button>
          )}
          <Button size="sm" variant="ghost" asChild className="-mr-2">
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
          <ul ref={rows}>
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

function PauseButton({ isPaused, onChange }: { isPaused: boolean; onChange: (isPaused: boolean) => void }) {
  const Icon = isPaused ? Play : Pause
  return (
    <Button
      size="sm"
      variant="ghost"
      data-keys="p"
      aria-pressed={isPaused}
      title={isPaused ? 'Resume (p)' : 'Pause (p)'}
      onClick={() => onChange(!isPaused)}
    >
      <Icon aria-hidden size={16} strokeWidth={2.25} />
      {isPaused ? 'Resume' : 'Pause'}
    </Button>
  )
}
