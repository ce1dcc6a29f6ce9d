import { useQuery } from '@tanstack/react-query'
import { Search } from 'lucide-react'
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Panel } from '../../ui/panel.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { adminQueries } from './admin-queries.ts'
import { FetchFailure } from './fetch-failure.tsx'
import { HistoryRow } from './history-row.tsx'
import { searchHistory } from './history-search.ts'

/** Only so many rows at a time: the list may hold thousands. */
const pageRows = 100

/** Every alert, newest first. */
export function AlertHistory() {
  const { data: alerts } = useQuery(adminQueries.alerts)
  const { data: stats } = useQuery(adminQueries.stats)
  const [search, setSearch] = useState('')
  const total = stats?.totalAlerts ?? alerts?.length
  return (
    <Panel
      title="Alert History"
      detail={total?.toLocaleString('en-US')}
      right={
        <TextField
          hideLabel
          label="Search alerts"
          placeholder="Search"
          icon={Search}
          size="sm"
          value={search}
          onChange={({ target }) => setSearch(target.value)}
          className="w-54 phone:w-36"
        />
      }
      footer="Newest first. Sending again shows each id once."
      flush
    >
      <History search={search} />
    </Panel>
  )
}

function History({ search }: { search: string }) {
  const { data: alerts, error, isFetching, refetch } = useQuery(adminQueries.alerts)
  const [pages, setPages] = useState(1)
  const wanted = useDeferredValue(search)
  const found = useMemo(() => searchHistory(alerts ?? [], wanted), [alerts, wanted])

  if (!alerts && !error) return <SkeletonRows rows={4} label="Loading alerts" />
  if (!alerts || (alerts.length === 0 && error)) {
    return (
      <div className="p-5 phone:p-4">
        <FetchFailure fallback="Failed to fetch alerts" error={error} isFetching={isFetching} onRetry={refetch} />
      </div>
    )
  }
  if (alerts.length === 0) {
    return (
      <EmptyState title="No alerts generated yet">What you create appears here, and what the feed brings.</EmptyState>
    )
  }
  const shown = found.slice(0, pages * pageRows)
  return (
    <ScrollArea>
      {found.length === 0 && <p className="p-5 text-base text-2 phone:p-4">No alerts match. Search for fewer words.</p>}
      <ul>
        {shown.map((alert) => (
          <HistoryRow key={alert.id} alert={alert} />
        ))}
      </ul>
      {found.length > shown.length && (
        <div className="flex items-center gap-3 border-t border-line-1 px-5 py-3 text-base text-2 phone:px-4">
          <Button size="sm" onClick={() => setPages(pages + 1)}>
            Show more
          </Button>
          {shown.length.toLocaleString('en-US')} of {found.length.toLocaleString('en-US')}
        </div>
      )}
    </ScrollArea>
  )
}

/**
 * 24rem at most; its rows have buttons, so the keyboard scrolls it. Relative, so that words for screen readers, which are
 * positioned, scroll with it instead of making the page longer.
 */
function ScrollArea({ children }: { children: ReactNode }) {
  return (
    <section aria-label="Alerts, newest first" className="relative max-h-96 overflow-y-auto overscroll-contain">
      {children}
    </section>
  )
}
