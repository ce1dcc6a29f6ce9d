import type { Alert } from '@tocsin/protocol'
import { memo, type ReactNode, Suspense } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { formatCount } from '../../ui/count.ts'
import { PriorityGlyph } from '../../ui/identity/priority-glyph.tsx'
import { addNoBreakSpaces } from '../../ui/keep-units.ts'
import { lazyLoad } from '../../ui/lazy-load.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'
import { formatConfidence } from '../alert/alert-texts.ts'
import { supersededClasses } from '../alert/relations.tsx'
import { ShareButton } from '../alert/share-button.tsx'
import { WatchButton } from '../alert/watch-button.tsx'
import { AlertDetail } from '../alerts/alert-detail.tsx'
import { formatAnomalyType } from '../prediction/prediction-names.ts'
import { formatShortClaim } from '../prediction/prediction-texts.ts'
import { useProofFailure } from '../proof/proof-findings.ts'
import { useResetDetail } from './use-reset-detail.ts'

const ProofTag = lazyLoad(async () => (await import('../alerts/alert-proof.tsx')).ProofTag)

type AlertContentProps = {
  alert: Alert
  /** True if the page shows the alert although the user has not opened it. */
  isUnopened?: boolean
}

type OpenAlertProps = AlertContentProps & {
  /** Rendered before the actions in the header, for example the button "Show newest". */
  leadingActions?: ReactNode
  /** Rendered after the actions in the header. */
  trailingActions?: ReactNode
}

/** Shows the selected alert beside the list. */
export function SelectedAlert({ alert, isUnopened = false, leadingActions, trailingActions }: OpenAlertProps) {
  return (
    <>
      <header className="sticky top-0 z-1 flex h-9 shrink-0 items-center gap-2 border-b border-line-1 bg-ink-1 pr-2 pl-5">
        <h2 className="flex min-w-0 items-center gap-2 text-base font-normal">
          <AlertTitle alert={alert} />
        </h2>
        <span className="ml-auto flex shrink-0 items-center">
          {leadingActions}
          <HeaderActions alert={alert} />
          {trailingActions}
        </span>
      </header>
      <AlertContent key={alert.id} alert={alert} isUnopened={isUnopened} />
    </>
  )
}

export function HeaderActions({ alert }: { alert: Alert }) {
  return (
    <>
      <WatchButton asset={alert.asset} isIcon />
      <ShareButton alert={alert} isIcon />
    </>
  )
}

export function AlertTitle({ alert }: { alert: Alert }) {
  const { priority, asset, logIndex } = alert
  return (
    <>
      <PriorityGlyph priority={priority} word className="font-semibold" />
      <span className="max-w-32 shrink-0 truncate font-semibold">{asset}</span>
      <span className="min-w-0 truncate text-2 phone:hidden">{formatAnomalyType(alert)}</span>
      <span className="text-data text-2 lg:max-xl:hidden phone:hidden">#{formatCount(logIndex)}</span>
    </>
  )
}

/**
 * The content of the detail. Callers must set the id of the alert as `key`, because state and
 * scroll position belong to one alert. Memoised, so that a change of the list beside it does not
 * render it again.
 */
export const AlertContent = memo(function AlertContent({ alert, isUnopened = false }: AlertContentProps) {
  useResetDetail()
  const hasFailedProof = useProofFailure(alert) !== null
  const heading = (
    <>
      <p className="mb-1 flex items-baseline gap-x-3 text-hint text-2 md:hidden">
        <span className="min-w-0 truncate">{formatAnomalyType(alert)}</span>
        <span className="ml-auto text-data">#{formatCount(alert.logIndex)}</span>
      </p>
      <p
        dir="auto"
        className={classNames(
          'text-lead font-semibold text-balance wrap-anywhere',
          (alert.supersededBy || hasFailedProof) && supersededClasses,
        )}
      >
        {addNoBreakSpaces(alert.summary)}
      </p>
      <p className="mt-1 flex flex-wrap items-baseline gap-x-3 text-2 phone:gap-x-2">
        <span className="whitespace-nowrap text-1">
          <Time at={alert.createdAt} className="mr-1 text-data font-medium" /> <ZoneName />
        </span>
        <Time at={alert.createdAt} show="relative" />
        <span className="min-w-24">
          <Suspense>
            <ProofTag alert={alert} />
          </Suspense>
        </span>
      </p>
      <p className="mt-1 text-2">
        Confidence <span className="text-data font-medium text-1">{formatConfidence(alert.confidence)}</span>
        {alert.prediction && ` of ${formatShortClaim(alert.prediction, alert.asset)}`}
      </p>
    </>
  )
  return (
    <AlertDetail
      alert={alert}
      id="open-alert"
      heading={heading}
      isUnopened={isUnopened}
      className="flex flex-1 flex-col"
    />
  )
})
