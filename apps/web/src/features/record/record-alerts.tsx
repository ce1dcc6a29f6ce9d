import { useInfiniteQuery } from '@tanstack/react-query'
import type { RecordFigures, ResponseOf } from '@tocsin/protocol'
import { useEffect, useRef } from 'react'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { OutcomeGlyph, type OutcomeShape } from '../../ui/identity/outcome-glyph.tsx'
import { PriorityGlyph } from '../../ui/identity/priority-glyph.tsx'
import { keepUnits } from '../../ui/keep-units.ts'
import { numberLocale } from '../../ui/locale.ts'
import { Panel } from '../../ui/panel.tsx'
import { ReadFailure } from '../../ui/read-failure.tsx'
import { SiteLink } from '../../ui/site-link.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { expectedWords } from '../prediction/prediction-words.ts'
import { type RecordOrigin, type RecordSelection, recordQueries } from '../prediction/record-queries.ts'
import { alertsCsvHref, statusNames } from './record-words.ts'

type Item = ResponseOf<'trackRecordAlerts'>['items'][number]
type Status = keyof RecordFigures['statuses']

const shapes: Record<Status, OutcomeShape> = {
  true: 'came-true',
  false: 'did-not',
  void: 'void',
  overdue: 'overdue',
  late: 'overdue',
  withheld: 'overdue',
  invalid: 'overdue',
  disputed: 'overdue',
  open: 'open',
  pending: 'open',
  'no-prediction': 'none',
}

type RecordAlertsProps = { origin: RecordOrigin; selection: RecordSelection; title: string }

/** The alerts behind a figure, newest first. */
export function RecordAlerts({ origin, selection, title }: RecordAlertsProps) {
  const query = useInfiniteQuery(recordQueries.alerts(origin, selection))
  const ref = useRef<HTMLDivElement>(null)
  const name = JSON.stringify(selection)
  // The panel is loaded after the link is followed, so the browser cannot scroll to it itself.
  useEffect(() => {
    if (name === '') return
    ref.current?.scrollIntoView({ block: 'start' })
    ref.current?.focus({ preventScroll: true })
  }, [name])
  const items = query.data?.pages.flatMap((page) => page.items) ?? []
  return (
    <div id="alerts" ref={ref} tabIndex={-1} className="scroll-mt-4 outline-none">
      <Panel
        title="Alerts behind the figure"
        detail={title}
        right={
          <>
            <Button size="sm" variant="ghost" asChild>
              <a href={alertsCsvHref(origin, selection)} download>
                CSV
              </a>
            </Button>
            <Button size="sm" variant="ghost" asChild>
              <SiteLink href={paths.trackRecord}>Close</SiteLink>
            </Button>
          </>
        }
        flush
      >
        {query.isPending ? (
          <SkeletonRows rows={3} label="Loading alerts" />
        ) : query.isLoadingError ? (
          <ReadFailure onRetry={() => void query.refetch()}>The alerts could not be loaded.</ReadFailure>
        ) : items.length === 0 ? (
          <p className="p-5 text-base text-2 phone:p-4">No alerts.</p>
        ) : (
          <ul>
            {items.map((item) => (
              <RecordRow key={item.logIndex} item={item} />
            ))}
          </ul>
        )}
        {query.hasNextPage && (
          <div className="border-t border-line-1 p-3 text-center">
            <Button size="sm" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              Show more
            </Button>
          </div>
        )}
      </Panel>
    </div>
  )
}

function RecordRow({ item }: { item: Item }) {
  const { logIndex, alert, prediction, outcome, problem } = item
  return (
    <li className="grid min-h-12 items-center gap-x-4 gap-y-1 border-t border-line-1 px-5 py-2 text-base first:border-t-0 lg:grid-cols-[72px_96px_132px_minmax(0,1fr)_136px] phone:px-4 max-lg:grid-cols-[auto_auto_minmax(0,1fr)]">
      <span className="text-data text-2">
        {alert ? (
          <a href={`/api/alerts/${alert.id}/bundle`} className="link touch-target" title="Proof bundle">
            #{logIndex.toLocaleString(numberLocale)}
          </a>
        ) : (
          `#${logIndex.toLocaleString(numberLocale)}`
        )}
      </span>
      <span>{alert && <PriorityGlyph priority={alert.priority} word />}</span>
      <span className="min-w-0 wrap-anywhere max-lg:justify-self-end">
        {alert && <span className="font-semibold">{alert.asset}</span>}
        {alert && <Time at={alert.createdAt} show="date" className="block text-data text-2" />}
      </span>
      <span className="min-w-0 wrap-anywhere text-2 max-lg:col-span-3">
        {prediction
          ? `${expectedWords(prediction, outcome ?? undefined)}.`
          : keepUnits(alert?.summary ?? 'Content not public.')}
        {prediction && alert && ` Confidence ${alert.confidence.toFixed(1)}%.`}
        {problem !== null && ` ${problem}`}
      </span>
      <span className="inline-flex items-center gap-2 whitespace-nowrap max-lg:col-span-3">
        <OutcomeGlyph shape={shapes[item.status]} size={14} />
        {statusNames[item.status]}
      </span>
    </li>
  )
}
