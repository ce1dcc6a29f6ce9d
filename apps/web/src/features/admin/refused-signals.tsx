import { useInfiniteQuery } from '@tanstack/react-query'
import type { RefusedSignal } from '@tocsin/protocol'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatNewestFirst } from '../../ui/format-newest-first.ts'
import { LoadMore } from '../../ui/load-more.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Time } from '../../ui/time.tsx'
import { adminQueries } from './admin-queries.ts'
import { QueryRows } from './query-rows.tsx'

/** Id of this panel, for links to it. */
export const refusedSignalsId = 'refused-signals'

/** Feed signals that the server rejected, each with the reason. */
export function RefusedSignals() {
  const query = useInfiniteQuery(adminQueries.refusedSignals)
  const signals = query.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <div id={refusedSignalsId} className="grid min-w-0 scroll-mt-20">
      <Panel
        title="Rejected signals"
        actions={<span className="text-base text-2 phone:hidden">Sent by the feed, not turned into alerts</span>}
        flush
        footer={
          signals.length === 0 ? undefined : (
            <LoadMore query={query}>{formatNewestFirst(query.hasNextPage, signals.length)}</LoadMore>
          )
        }
      >
        <QueryRows
          query={query}
          loading={{ label: 'Loading rejected signals', rows: 2 }}
          failed="Failed to fetch rejected signals"
          empty={
            <EmptyState isCompact title="No signal has been rejected">
              Signals that violate the protocol appear here with the reason.
            </EmptyState>
          }
        >
          {signals.length > 0 && (
            <section
              aria-label="Rejected signals, newest first"
              className="relative max-h-96 overflow-y-auto overscroll-contain"
            >
              <ul className="divide-y divide-line-1">
                {signals.map((signal) => (
                  <RefusedRow key={signal.id} signal={signal} />
                ))}
              </ul>
            </section>
          )}
        </QueryRows>
      </Panel>
    </div>
  )
}

function RefusedRow({ signal: { at, raw, reason } }: { signal: RefusedSignal }) {
  return (
    <li className="text-base">
      <details className="group">
        <summary className="focus-inset flex min-h-12 cursor-pointer items-center gap-5 px-5 py-2 hover:bg-ink-2 phone:flex-wrap phone:gap-x-3 phone:gap-y-0 phone:px-4">
          <Time at={at} className="text-data text-2" />
          <span className="min-w-0 flex-1 wrap-anywhere phone:order-3 phone:basis-full">{reason}</span>
          <span className="text-signal phone:ml-auto">
            <span className="group-open:hidden">Show</span>
            <span className="hidden group-open:inline">Hide</span>
          </span>
        </summary>
        <pre className="mx-5 mb-4 border border-line-1 bg-ink-0 p-4 text-data leading-5 wrap-anywhere whitespace-pre-wrap phone:mx-4">
          {raw}
        </pre>
      </details>
    </li>
  )
}
