import { useQuery } from '@tanstack/react-query'
import type { Alert } from '@tocsin/protocol'
import { type ReactNode, Suspense } from 'react'
import { queries } from '../../api/queries.ts'
import { classNames } from '../../ui/class-names.ts'
import { CommandLine } from '../../ui/command-line.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { formatCount } from '../../ui/count.ts'
import { HrefLink } from '../../ui/href-link.tsx'
import { PriorityGlyph } from '../../ui/identity/priority-glyph.tsx'
import { addNoBreakSpaces } from '../../ui/keep-units.ts'
import { KeyValue, KeyValueList } from '../../ui/key-value.tsx'
import { lazyLoad } from '../../ui/lazy-load.tsx'
import { shortenHash } from '../../ui/short-hex.ts'
import { Time } from '../../ui/time.tsx'
import { AlertLink } from '../alert/alert-link.tsx'
import { alertQueries } from '../alert/alert-queries.ts'
import { formatConfidence, isLocked } from '../alert/alert-texts.ts'
import { createAssetPath } from '../alert/asset-path.ts'
import { RelationNotes, supersededClasses } from '../alert/relations.tsx'
import { useSignal } from '../alert/use-signal.ts'
import { OutcomeTag } from '../prediction/outcome-tag.tsx'
import { formatAnomalyType } from '../prediction/prediction-names.ts'
import { createProofFileName, createVerifyCommand } from '../proof/verify-command.ts'
import { AlertActions } from './alert-actions.tsx'
import { useUpdatedEntries } from './arrivals.ts'
import { RowPrice } from './lazy-cells.ts'

const LivePrediction = lazyLoad(async () => (await import('../market/prediction-progress.tsx')).LivePrediction)
const CalibrationNote = lazyLoad(async () => (await import('../prediction/prediction-panel.tsx')).CalibrationNote)
const PriceFigures = lazyLoad(async () => (await import('../market/price-figures.tsx')).PriceFigures)
const AlertProof = lazyLoad(async () => (await import('./alert-proof.tsx')).AlertProof)
const AlertChart = lazyLoad(async () => (await import('../market/alert-chart.tsx')).AlertChart)

type AlertDetailProps = {
  alert: Alert
  id: string
  /** Shown instead of the summary. */
  heading?: ReactNode
  /** True if the page shows the alert although the user has not opened it. */
  isUnopened?: boolean
  className?: string
}

/**
 * Shows all fields of an alert with its proof, either in the expanded part of a row or beside the
 * list. Space is reserved for parts that load late, so that they do not move the buttons.
 */
export function AlertDetail({ alert, id, heading, isUnopened = false, className }: AlertDetailProps) {
  const { data: config } = useQuery(queries.config)
  const message = useSignal(alert)
  const hasPrice = message.kind === 'pending' || (message.kind === 'proved' && message.signal.price !== undefined)
  const hasChart = message.kind !== 'none' || alert.prediction !== undefined
  return (
    <div
      id={id}
      data-open-alert={alert.logIndex}
      data-asset={alert.asset}
      className={classNames('@container animate-row px-5 py-4 phone:px-4', className)}
    >
      <RelationNotes alert={alert} className="mb-3 max-w-[72ch]" />
      {heading ?? (
        <>
          <p
            dir="auto"
            className={classNames('max-w-[72ch] text-body wrap-anywhere', alert.supersededBy && supersededClasses)}
          >
            {addNoBreakSpaces(alert.summary)}
          </p>
          <AlertActions alert={alert} hasAllButtons className="mt-3" />
        </>
      )}
      {alert.prediction && (
        <Suspense fallback={<div className="mt-4 h-28" />}>
          <LivePrediction alert={alert} />
        </Suspense>
      )}
      <div className={hasPrice ? 'mt-4 min-h-20' : undefined}>
        <Suspense>
          <PriceFigures alert={alert} />
        </Suspense>
      </div>
      <div className={hasChart ? 'mt-4 min-h-66' : undefined}>
        <Suspense>
          <AlertChart alert={alert} className="max-w-200" />
        </Suspense>
      </div>
      <Suspense fallback={<div className="mt-4 h-25" />}>
        <AlertProof alert={alert} isUnopened={isUnopened} className="mt-4" />
      </Suspense>
      <RelatedAlerts alert={alert} className="mt-4" />
      <div className="mt-3 grid gap-x-10 @min-[600px]:grid-cols-2 @min-[900px]:grid-cols-3">
        <KeyValueList>
          <KeyValue label="Type" plain>
            {alert.anomalyType || '—'}
          </KeyValue>
          <KeyValue label="Regime" plain>
            {alert.regime || '—'}
          </KeyValue>
          <KeyValue label="Confidence">
            {formatConfidence(alert.confidence)}
            {alert.prediction && (
              <Suspense>
                <CalibrationNote alert={alert} />
              </Suspense>
            )}
          </KeyValue>
        </KeyValueList>
        <KeyValueList>
          <KeyValue label="Issued">
            <Time at={alert.createdAt} show="date" />
          </KeyValue>
          <KeyValue label="Anchored">
            {alert.anchoredAt === null ? 'Not yet anchored' : <Time at={alert.anchoredAt} show="date" />}
          </KeyValue>
          <KeyValue label="Log index">{formatCount(alert.logIndex)}</KeyValue>
        </KeyValueList>
        <KeyValueList>
          <Hash label="Leaf" value={alert.leafHash} />
          <Hash label="Root" value={alert.root} />
          <Hash label="Transaction" value={alert.avalancheTx} />
        </KeyValueList>
      </div>
      <CommandLine command={createVerifyCommand(createProofFileName(alert.logIndex), config)} className="my-4 w-full" />
      {heading !== undefined && (
        <AlertActions
          alert={alert}
          hasAllButtons={false}
          className="sticky bottom-0 -mx-5 mt-auto -mb-4 border-t border-line-1 bg-ink-1 px-5 py-3 phone:-mx-4 phone:px-4"
        />
      )}
    </div>
  )
}

/** Lists the newest other alerts of the same asset. */
function RelatedAlerts({ alert, className }: { alert: Alert; className: string }) {
  const { data, dataUpdatedAt } = useQuery(alertQueries.related(alert.asset))
  const relatedAlerts = useUpdatedEntries(data, dataUpdatedAt).flatMap(({ alert: other }) =>
    isLocked(other) || other.id === alert.id ? [] : [other],
  )
  if (relatedAlerts.length === 0) return null
  return (
    <section aria-label={`Related, ${alert.asset}`} className={className}>
      <p className="flex flex-wrap items-baseline gap-x-4 text-label text-2">
        <span className="min-w-0 truncate">Related, {alert.asset}</span>
        <HrefLink href={createAssetPath(alert.asset)} className="link touch-target ml-auto text-hint">
          All of {alert.asset}
        </HrefLink>
      </p>
      <ul className="mt-1 divide-y divide-line-1">
        {relatedAlerts.slice(0, relatedAlertLimit).map((other) => (
          <li key={other.id} className="flex min-h-8 items-center gap-3 touch:min-h-11">
            <Time at={other.createdAt} className="text-data text-2" />
            <PriorityGlyph priority={other.priority} />
            <AlertLink id={other.id} className="link touch-target min-w-0 flex-1 truncate">
              {formatAnomalyType(other) || other.asset}
            </AlertLink>
            <Suspense>
              <RowPrice alert={other} className="text-hint [&>span:first-child]:sr-only" />
            </Suspense>
            <OutcomeTag alert={other} className="text-hint" />
          </li>
        ))}
      </ul>
    </section>
  )
}

const relatedAlertLimit = 3

function Hash({ label, value }: { label: string; value: string | null }) {
  return (
    <KeyValue label={label}>
      {value === null ? (
        'Not yet anchored'
      ) : (
        <span className="-my-1 inline-flex items-center gap-1 whitespace-nowrap" title={value}>
          {shortenHash(value, 6)}
          <CopyButton text={value} label={`Copy ${label.toLowerCase()}`} />
        </span>
      )}
    </KeyValue>
  )
}
