import type { Alert } from '@tocsin/protocol'
import { Lock } from 'lucide-react'
import { type ReactNode, Suspense, useId, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { PriorityGlyph, priorityLooks } from '../../ui/identity/priority-glyph.tsx'
import { keepUnits } from '../../ui/keep-units.ts'
import { lazyLoad } from '../../ui/lazy-load.tsx'
import { Time, TimeTip, ZoneName } from '../../ui/time.tsx'
import { formatConfidence, type LockedAlert } from '../alert/alert-words.ts'
import { RelationTags, supersededLook } from '../alert/relations.tsx'
import { OutcomeTag } from '../prediction/outcome-tag.tsx'
import { useFailedProof } from '../proof/proof-findings.ts'
import { AlertDetail } from './alert-detail.tsx'
import { AlertSeal } from './alert-seal.tsx'

const RowPrice = lazyLoad(async () => (await import('../market/row-price.tsx')).RowPrice)
const RowSparkline = lazyLoad(async () => (await import('./row-sparkline.tsx')).RowSparkline)

/** The columns of an insight row and its headings. Below 1280 px the same cells take four lines. */
const insightColumns =
  'xl:grid-cols-[92px_128px_minmax(0,1fr)_88px_124px_140px] xl:gap-x-4 wide:grid-cols-[92px_128px_minmax(0,1fr)_112px_88px_124px_140px]'

/** An insight, 64 px high; a click expands it. */
export function InsightRow({ alert }: { alert: Alert }) {
  const [isOpen, setIsOpen] = useState(false)
  const isRefuted = useFailedProof(alert) !== null
  const detailId = useId()
  return (
    <li className={classNames('animate-row border-t border-line-1', priorityLooks[alert.priority].rail)}>
      <button
        type="button"
        data-alert-row
        aria-expanded={isOpen}
        aria-controls={isOpen ? detailId : undefined}
        onClick={() => setIsOpen(!isOpen)}
        className={classNames(
          'group/row focus-inset relative grid w-full items-center py-2 pr-5 pl-[18px] text-left text-base transition-[background-color] hover:bg-ink-2 xl:min-h-16 compact:py-1 compact:xl:min-h-11 phone:px-4 phone:pl-3.5',
          'max-xl:grid-cols-[minmax(min-content,1fr)_auto] max-xl:gap-x-4 max-xl:gap-y-1 max-xl:py-3',
          insightColumns,
        )}
      >
        <PriorityGlyph priority={alert.priority} word />
        <TimeCell at={alert.createdAt} className="xl:order-5" />
        <span className="min-w-0 max-xl:col-span-2 max-xl:flex max-xl:flex-wrap max-xl:items-baseline max-xl:gap-x-2 xl:order-1">
          <span className="block font-semibold xl:truncate max-xl:wrap-anywhere">{alert.asset}</span>
          <span className="block text-hint text-2 xl:truncate max-xl:wrap-anywhere">{alert.anomalyType}</span>
        </span>
        <span className="min-w-0 max-xl:col-span-2 xl:order-3">
          <RelationTags alert={alert} className="mb-1" />
          <span
            dir="auto"
            className={classNames(
              'wrap-anywhere',
              alert.supersededBy || isRefuted ? `line-clamp-1 ${supersededLook}` : 'line-clamp-2 compact:line-clamp-1',
            )}
          >
            {keepUnits(alert.summary)}
          </span>
        </span>
        <span className="hidden wide:order-3 wide:block">
          <Suspense>
            <RowSparkline alert={alert} />
          </Suspense>
        </span>
        <span className="text-data max-xl:mt-1 max-xl:flex max-xl:flex-wrap max-xl:gap-x-4 xl:order-4 xl:text-right">
          {formatConfidence(alert.confidence)}
          <Suspense>
            <RowPrice alert={alert} className="max-xl:gap-x-4 xl:flex-col xl:items-end phone:flex-col" />
          </Suspense>
        </span>
        <span className="flex items-center gap-x-4 justify-self-end max-xl:mt-1 xl:order-6 xl:flex-col xl:items-start xl:gap-1 xl:justify-self-auto">
          <OutcomeTag alert={alert} />
          <AlertSeal alert={alert} size={alert.prediction ? 20 : 36} />
        </span>
      </button>
      {isOpen && <AlertDetail alert={alert} id={detailId} />}
    </li>
  )
}

/** A recent alert for a user without a plan, with a Subscribe button. */
export function LockedRow({ alert, onSubscribe }: { alert: LockedAlert; onSubscribe: () => void }) {
  return (
    <li className={classNames('border-t border-line-1', priorityLooks[alert.priority].rail)}>
      <div
        className={classNames(
          'grid items-center py-2 pr-5 pl-[18px] text-base xl:min-h-16 phone:px-4 phone:pl-3.5',
          'max-xl:grid-cols-[minmax(0,1fr)_auto] max-xl:gap-x-4 max-xl:gap-y-2 max-xl:py-3',
          insightColumns,
        )}
      >
        <PriorityGlyph priority={alert.priority} word />
        <TimeCell at={alert.createdAt} className="xl:order-5" />
        <span className="flex items-center gap-2 text-2 max-xl:order-last xl:order-1 xl:col-span-3 wide:col-span-4 phone:col-span-2">
          <Lock aria-hidden size={16} strokeWidth={2.25} className="shrink-0" />
          Asset, summary and proof are for subscribers
        </span>
        <span className="text-right max-xl:order-last xl:order-6 phone:col-span-2 phone:text-left">
          <Button size="sm" onClick={onSubscribe}>
            Subscribe
          </Button>
        </span>
      </div>
    </li>
  )
}

function TimeCell({ at, className }: { at: string; className: string }) {
  return (
    <span
      className={classNames(
        'relative text-right max-xl:flex max-xl:flex-wrap max-xl:items-baseline max-xl:justify-end max-xl:gap-x-3',
        className,
      )}
    >
      <Time at={at} className="block text-data" />
      <Time at={at} show="relative" className="block text-hint text-2" />
      <TimeTip at={at} />
    </span>
  )
}

export function InsightHeads(): ReactNode {
  return (
    <div
      aria-hidden
      className={classNames('hidden h-8 items-center pr-5 pl-5 text-label text-2 xl:grid', insightColumns)}
    >
      <span>Priority</span>
      <span>Asset</span>
      <span>Summary</span>
      <span className="hidden wide:block">Anomaly</span>
      <span className="text-right">Conf., price</span>
      <span className="text-right">
        Time <ZoneName />
      </span>
      <span>Outcome, proof</span>
    </div>
  )
}
