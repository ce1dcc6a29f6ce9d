import type { RecordFigures, ResponseOf } from '@tocsin/protocol'
import type { ReactNode, Ref } from 'react'
import { createAlertPath, paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/count.ts'
import { OutcomeGlyph, type OutcomeShape } from '../../ui/identity/outcome-glyph.tsx'
import { PriorityGlyph } from '../../ui/identity/priority-glyph.tsx'
import { addNoBreakSpaces } from '../../ui/keep-units.ts'
import { Panel } from '../../ui/panel.tsx'
import { SiteLink } from '../../ui/site-link.tsx'
import { Time } from '../../ui/time.tsx'
import { formatMeasuredExpectation } from '../prediction/prediction-texts.ts'
import type { RecordOrigin, RecordSelection } from '../prediction/record-queries.ts'
import { createAlertsCsvHref, statusNames } from './record-texts.ts'

export type RecordItem = ResponseOf<'trackRecordAlerts'>['items'][number]
type Status = keyof RecordFigures['statuses']

const statusShapes: Record<Status, OutcomeShape> = {
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

type RecordAlertsPanelProps = {
  ref?: Ref<HTMLDivElement>
  origin: RecordOrigin
  selection: RecordSelection
  title: string
  footer?: ReactNode
  children: ReactNode
}

/** The panel with the alerts behind a figure. The links of all figures lead to this panel. */
export function RecordAlertsPanel({ ref, origin, selection, title, footer, children }: RecordAlertsPanelProps) {
  return (
    <div id="alerts" ref={ref} tabIndex={-1} className="scroll-mt-4 outline-none">
      <Panel
        title="Alerts in this count"
        detail={title}
        actions={
          <>
            <Button size="sm" variant="ghost" asChild>
              <a href={createAlertsCsvHref(origin, selection)} download>
                CSV
              </a>
            </Button>
            <Button size="sm" variant="ghost" asChild>
              <SiteLink href={paths.trackRecord}>Close</SiteLink>
            </Button>
          </>
        }
        footer={footer}
        flush
      >
        {children}
      </Panel>
    </div>
  )
}

/** The list of the alerts behind a figure, or the sentence "No alerts." if it is empty. */
export function RecordRows({ items }: { items: readonly RecordItem[] }) {
  if (items.length === 0) return <p className="p-5 text-base text-2 phone:p-4">No alerts.</p>
  return (
    <ul>
      {items.map((item) => (
        <RecordRow key={item.logIndex} item={item} />
      ))}
    </ul>
  )
}

function RecordRow({ item }: { item: RecordItem }) {
  const { logIndex, alert, prediction, outcome, problem } = item
  return (
    <li className="grid min-h-12 items-center gap-x-4 gap-y-1 border-t border-line-1 px-5 py-2 text-base first:border-t-0 lg:grid-cols-[72px_96px_132px_minmax(0,1fr)_136px] phone:px-4 max-lg:grid-cols-[auto_auto_minmax(0,1fr)]">
      <span className="text-data text-2">
        {alert ? (
          <SiteLink href={createAlertPath(logIndex)} className="link touch-target" title="Alert with its proof">
            #{formatCount(logIndex)}
          </SiteLink>
        ) : (
          `#${formatCount(logIndex)}`
        )}
      </span>
      <span>{alert && <PriorityGlyph priority={alert.priority} word />}</span>
      <span className="min-w-0 wrap-anywhere max-lg:justify-self-end">
        {alert && <span className="font-semibold">{alert.asset}</span>}
        {alert && <Time at={alert.createdAt} show="date" className="block text-data text-2" />}
      </span>
      <span className="min-w-0 wrap-anywhere text-2 max-lg:col-span-3">
        {prediction
          ? `${formatMeasuredExpectation(prediction, outcome ?? undefined)}.`
          : addNoBreakSpaces(alert?.summary ?? 'Content not public.')}
        {prediction && alert && ` Confidence ${alert.confidence.toFixed(1)}%.`}
        {problem !== null && ` ${problem}`}
        {outcome?.timeProven === false && ' Time of outcome not proven.'}
      </span>
      <span className="inline-flex items-center gap-2 whitespace-nowrap max-lg:col-span-3">
        <OutcomeGlyph shape={statusShapes[item.status]} size={14} />
        {statusNames[item.status]}
      </span>
    </li>
  )
}
