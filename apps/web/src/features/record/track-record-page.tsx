import { useIsFetching, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { createElement, Suspense, useState } from 'react'
import { queries } from '../../api/queries.ts'
import { toSearchText } from '../../browser/search-text.ts'
import { Button } from '../../ui/button.tsx'
import { lazyLoad } from '../../ui/lazy-load.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { type RecordSelection, recordQueries } from '../prediction/record-queries.ts'
import { SitePage } from '../site/site-page.tsx'
import { recomputeKey } from './recompute-key.ts'
import { recordElement } from './record-element.ts'
import { formatSelection } from './record-texts.ts'
import { RecordContent, RecordView } from './record-view.tsx'

const RecordAlerts = lazyLoad(async () => (await import('./record-alerts.tsx')).RecordAlerts)

const RecordRecomputation = lazyLoad(async () => (await import('./record-recomputation.tsx')).RecordRecomputation)

/** The public record of all predictions, with the alerts behind each figure. */
export function TrackRecordPage() {
  const { data: config, isError: isConfigMissing, refetch: readConfig } = useQuery(queries.config)
  const origin = config?.demo ? 'demo' : 'feed'
  const { data, isLoadingError, refetch } = useQuery({ ...recordQueries.record(origin), enabled: config !== undefined })
  const selection = useSelection()
  const [runCount, setRunCount] = useState(0)
  const isBusy = useIsFetching({ queryKey: recomputeKey }) > 0
  const recomputation = {
    button: (
      <Button size="sm" variant="primary" disabled={!config} busy={isBusy} onClick={() => setRunCount(runCount + 1)}>
        {isBusy ? 'Recomputing…' : 'Recompute 30 days here'}
      </Button>
    ),
    result: runCount > 0 && config && (
      <Suspense>
        <RecordRecomputation key={runCount} run={runCount} config={config} origin={origin} />
      </Suspense>
    ),
  }
  const host = config ? location.origin : 'https://…'
  const content = (
    <RecordContent config={config} record={data?.record} host={host} recomputation={recomputation}>
      {isConfigMissing || isLoadingError ? (
        <Failure onRetry={() => void (config ? refetch() : readConfig())} />
      ) : data === undefined ? (
        <Loading />
      ) : (
        <RecordView record={data.record}>
          {data.record && selection && (
            <Suspense>
              <RecordAlerts
                key={JSON.stringify(selection)}
                origin={origin}
                selection={selection}
                title={formatSelection(data.record, selection)}
              />
            </Suspense>
          )}
        </RecordView>
      )}
    </RecordContent>
  )
  return (
    <SitePage
      kind="In public"
      title="Track record"
      lead="Every prediction was signed before its outcome was known, and is judged by the exchange’s own one-minute candles. Misses, void predictions and overdue verdicts count as not true."
    >
      {createElement(recordElement, { className: 'contents' }, content)}
    </SitePage>
  )
}

function Failure({ onRetry }: { onRetry: () => void }) {
  return (
    <div role="alert" className="flex flex-wrap items-center gap-4 border border-line-1 bg-ink-1 p-6 phone:p-4">
      <p className="text-body">The record can’t be read right now. Anchored entries remain provable on the chain.</p>
      <Button onClick={onRetry}>Try again</Button>
    </div>
  )
}

/**
 * Placeholder while the record is loading. Users without JavaScript see it too if the server could
 * not insert the figures.
 */
function Loading() {
  return (
    <Panel flush>
      <div className="grid min-h-66 place-content-center gap-3 p-6 text-center">
        <Skeleton className="mx-auto h-12 w-44" />
        <p className="text-base text-2">
          The figures are computed from the log as of its newest anchor. The figures as JSON:{' '}
          <a href="/api/track-record" className="link">
            /api/track-record
          </a>
        </p>
      </div>
    </Panel>
  )
}

/** The selection of the listed alerts, from the URL. Null if the URL selects none. */
function useSelection(): RecordSelection | null {
  const search: { [name: string]: unknown } = useSearch({ strict: false })
  const [status, set, by, key] = ['status', 'set', 'by', 'key'].map((name) => toSearchText(search[name]))
  const selection = {
    ...(status ? { status } : {}),
    ...(set ? { set } : {}),
    ...(by && key !== undefined ? { by, key } : {}),
  }
  return Object.keys(selection).length > 0 ? selection : null
}
