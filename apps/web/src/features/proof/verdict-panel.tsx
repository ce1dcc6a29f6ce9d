import { priorities } from '@tocsin/protocol/names'
import { type ReactNode, useEffect, useRef } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { ghostLeaf } from '../../ui/empty-state.tsx'
import { PriorityGlyph } from '../../ui/identity/priority-glyph.tsx'
import { Seal } from '../../ui/identity/seal.tsx'
import { numberLocale } from '../../ui/locale.ts'
import { Panel } from '../../ui/panel.tsx'
import { shortenHex } from '../../ui/short-hex.ts'
import { Time } from '../../ui/time.tsx'
import { useCachedAlerts } from '../alert/held-alerts.ts'
import { RelationNotes } from '../alert/relations.tsx'
import { CheckedOutcomes } from './checked-outcomes.tsx'
import type { AlertCopy } from './claim.ts'
import type { Trust } from './proof-task.ts'
import { describeChecker, describeVerdict, verdictTones } from './verdict.ts'
import type { CheckedClaim } from './verify-claim.ts'

const sealSize = 168

type VerdictPanelProps = {
  checked: CheckedClaim | null
  /** Why the check could not run. */
  failure: string | null
  busy: 'server' | 'browser' | null
  /** True if the form was edited after the check. */
  isEdited: boolean
  className?: string
}

/** Result of the check: seal, verdict and the alert's data. */
export function VerdictPanel({ checked, failure, busy, isEdited, className }: VerdictPanelProps) {
  const ref = useRef<HTMLDivElement>(null)
  const hasResult = checked !== null || failure !== null
  useEffect(() => {
    if (hasResult && !busy) ref.current?.scrollIntoView({ block: 'nearest' })
  }, [hasResult, busy])
  return (
    <div ref={ref} role="status" data-covered-last className={classNames('scroll-mt-24', className)}>
      <Panel flush className="h-full min-h-58 justify-center">
        <div className="flex min-h-58 items-center gap-11 p-8 phone:flex-col phone:items-start phone:gap-5 phone:p-4">
          {checked ? (
            <VerdictDetails checked={checked} isEdited={isEdited} />
          ) : busy ? (
            <EmptyVerdict word={busy === 'server' ? 'Checking…' : 'Recomputing…'}>
              {busy === 'server' ? 'The server checks the alert.' : 'This browser checks the alert.'}
            </EmptyVerdict>
          ) : failure ? (
            <EmptyVerdict word="Cannot check now">{failure}</EmptyVerdict>
          ) : (
            <EmptyVerdict word="Unverified">
              Paste an alert, or choose one of yours: its verdict will appear here.
            </EmptyVerdict>
          )}
        </div>
      </Panel>
    </div>
  )
}

function EmptyVerdict({ word, children }: { word: string; children: ReactNode }) {
  return (
    <>
      <Seal leafHash={ghostLeaf} state="unsigned" size={sealSize} className="opacity-60 phone:self-center" />
      <div data-never-covered>
        <h2 className="text-verdict wrap-anywhere text-2">{word}</h2>
        <p className="mt-2 text-lead text-2">{children}</p>
      </div>
    </>
  )
}

function VerdictDetails({ checked, isEdited }: { checked: CheckedClaim; isEdited: boolean }) {
  const { alert, findings, outcomes, checker } = checked
  const { word, tone, seal, sentence } = describeVerdict(checked)
  const claimedAt = findings.chainTime ?? alert.anchoredAt ?? null
  return (
    <>
      <Seal
        leafHash={alert.leafHash ?? ghostLeaf}
        root={alert.root ?? null}
        state={seal}
        size={sealSize}
        className="phone:self-center"
      />
      <div className="min-w-0 flex-1 phone:w-full">
        <AlertHeading alert={alert} />
        <RelatedEntries alert={alert} />
        <div data-never-covered className="mt-1">
          <h2 className={classNames('text-verdict wrap-anywhere', verdictTones[tone])}>{word}</h2>
          <p className="mt-1 text-lead">{sentence}</p>
        </div>
        <dl className="mt-5 grid grid-cols-[repeat(auto-fit,minmax(8.5rem,1fr))] gap-x-6 gap-y-4">
          <Fact label="Issued">
            <TimeOrText at={alert.createdAt} />
          </Fact>
          <Fact label={findings.chainTime === null && claimedAt !== null ? 'Anchor claimed' : 'In block'}>
            {claimedAt === null ? 'not yet' : <TimeOrText at={claimedAt} />}
          </Fact>
          <Fact label="Confidence">{formatPercent(alert.confidence)}</Fact>
          <Fact label="Regime">
            <span className="font-sans text-base wrap-anywhere">{alert.regime || '—'}</span>
          </Fact>
        </dl>
        {findings.verdict !== 'failed' && <CheckedOutcomes outcomes={outcomes} />}
        <p className="mt-4 max-w-[72ch] text-hint text-2">
          {describeChecker(checker, location.host)}
          {checker.kind === 'browser' && <TrustedValues trust={checker.trust} />}
        </p>
        {isEdited && (
          <p className="mt-1 text-hint text-2">
            The form has changed since: this verdict is about its earlier content.
          </p>
        )}
      </div>
    </>
  )
}

/** The trust anchors of a check in this browser. */
function TrustedValues({ trust: { firstSigner, domain } }: { trust: Trust }) {
  return (
    <>
      {' '}
      The check trusted the first signer{' '}
      <span title={firstSigner} className="text-data whitespace-nowrap">
        {shortenHex(firstSigner)}
      </span>{' '}
      and the contract{' '}
      <span title={domain.verifyingContract} className="text-data whitespace-nowrap">
        {shortenHex(domain.verifyingContract)}
      </span>{' '}
      on chain <span className="text-data">{domain.chainId}</span>.
    </>
  )
}

/**
 * The entry that the alert corrects or retracts, and the entry that supersedes it, if this page has
 * loaded it.
 */
function RelatedEntries({ alert }: { alert: AlertCopy }) {
  const find = useCachedAlerts()
  const knownAlert = alert.logIndex === undefined ? null : find(alert.logIndex)
  const supersededBy = knownAlert !== null && knownAlert.leafHash === alert.leafHash ? knownAlert.supersededBy : null
  const { kind, targetIndex = null } = alert
  const ownKind = kind === 'correction' || kind === 'retraction' ? kind : 'alert'
  return <RelationNotes alert={{ kind: ownKind, targetIndex, supersededBy }} className="mt-1" />
}

/** Describes the alert by the values in the pasted copy. The values are not verified. */
function AlertHeading({ alert }: { alert: AlertCopy }) {
  const knownPriority = priorities.find((priority) => priority === alert.priority)
  return (
    <p className="flex flex-wrap items-center gap-x-2 text-base wrap-anywhere">
      {knownPriority ? <PriorityGlyph priority={knownPriority} word className="font-medium" /> : alert.priority}
      <span className="font-semibold">{alert.asset}</span>
      <span className="text-2">
        {[alert.anomalyType, alert.logIndex !== undefined && `#${alert.logIndex.toLocaleString(numberLocale)}`]
          .filter(Boolean)
          .join(' · ')}
      </span>
    </p>
  )
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-label whitespace-nowrap text-2">{label}</dt>
      <dd className="mt-1 text-data wrap-anywhere">{children}</dd>
    </div>
  )
}

function TimeOrText({ at }: { at: string }) {
  return Number.isNaN(Date.parse(at)) ? at : <Time at={at} />
}

function formatPercent(confidence: number): string {
  return `${confidence.toLocaleString(numberLocale, { minimumFractionDigits: 1, maximumFractionDigits: 20 })}%`
}
