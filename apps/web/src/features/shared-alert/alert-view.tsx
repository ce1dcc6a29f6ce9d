import type { Alert, AlertAt } from '@tocsin/protocol'
import { type ReactNode, useMemo } from 'react'
import { createAlertPath } from '../../paths.ts'
import { Badge } from '../../ui/badge.tsx'
import { classNames } from '../../ui/class-names.ts'
import { formatCount } from '../../ui/count.ts'
import { PriorityGlyph } from '../../ui/identity/priority-glyph.tsx'
import { Seal, type SealState } from '../../ui/identity/seal.tsx'
import { addNoBreakSpaces } from '../../ui/keep-units.ts'
import { Panel } from '../../ui/panel.tsx'
import { Time } from '../../ui/time.tsx'
import { formatAlertAnchorDelay, formatConfidence } from '../alert/alert-texts.ts'
import { createRelations } from '../alert/relation.ts'
import { supersededClasses } from '../alert/relations.tsx'
import { readSignal } from '../alert/use-signal.ts'
import { Change } from '../market/change.tsx'
import { computeEndPrice, EndPriceLabel } from '../market/end-price.tsx'
import { getIssuePrice, type IssuePrice } from '../market/issue-price.ts'
import { formatPrice } from '../market/price-texts.ts'
import { type OutcomeMessage, readOutcomeMessage } from '../prediction/outcome-message.ts'
import { formatAnomalyType, getVenueName, isSimulated } from '../prediction/prediction-names.ts'
import { formatShortClaim } from '../prediction/prediction-texts.ts'
import { container } from '../site/section.tsx'

export type ReadablePage = Exclude<AlertAt, { access: 'withheld' }>
export type WithheldPage = Extract<AlertAt, { access: 'withheld' }>

/** Result of the check in this browser, as the head of the page shows it. */
export interface ProofState {
  seal: SealState
  word: string
  tone: string
  sentence: string
}

/** State before the first check, and for users without JavaScript. */
export const uncheckedProof: ProofState = {
  seal: 'signed',
  word: 'Signed',
  tone: 'text-1',
  sentence: 'Your browser verifies the proof as soon as this page’s script has loaded.',
}

/** The price now and its change since issue in percent, for subscribers. */
export type PriceSince = { price: string; change: number }

type AlertViewProps = {
  page: ReadablePage
  /** The prediction of the alert and its outcome. */
  prediction: ReactNode
  proof?: ProofState
  since?: PriceSince | null
  /** The parts that need a script: chart, checks and actions. */
  children?: ReactNode
}

/**
 * The public page of an alert: its content, the state of its proof, its prediction and its figures.
 */
export function AlertView(props: AlertViewProps) {
  const { page, prediction, proof = uncheckedProof, since = null, children } = props
  const { alert } = page.bundle
  return (
    <div className={`${container} pt-8 phone:px-0 phone:pt-0`}>
      <Panel flush className="phone:border-x-0 phone:border-t-0">
        <div className="flex items-center gap-9 px-9 py-8 max-lg:gap-6 max-lg:px-6 phone:block phone:p-0">
          <AlertSeal alert={alert} state={proof.seal} size={144} className="phone:hidden" />
          <div className="min-w-0 flex-1 phone:p-4">
            <div className="phone:flex phone:items-start phone:gap-4">
              <div className="min-w-0 flex-1">
                <Subject alert={alert} />
                <h1
                  dir="auto"
                  className={classNames(
                    'mt-1.5 text-section text-balance wrap-anywhere phone:text-h2',
                    alert.supersededBy && supersededClasses,
                  )}
                >
                  {addNoBreakSpaces(alert.summary)}
                </h1>
              </div>
              <AlertSeal alert={alert} state={proof.seal} size={72} className="md:hidden" />
            </div>
            <p className="mt-2 flex flex-wrap gap-x-3 text-base text-2">
              <Time at={alert.createdAt} show="moment" className="text-data leading-5! text-1" />
              <Time at={alert.createdAt} show="relative" />
              {alert.regime && <span>{alert.regime}</span>}
            </p>
            <RelatedAlertLinks alert={alert} />
            <AccessNote page={page} />
            <p aria-live="polite" className="mt-4 flex flex-wrap items-baseline gap-x-3 gap-y-1 text-body text-2">
              <span className={classNames('text-h2', proof.tone)}>{proof.word}</span>
              <span className="min-w-0 wrap-anywhere">{proof.sentence}</span>
            </p>
          </div>
        </div>
        {alert.prediction && (
          <div className="border-t border-line-1 px-9 py-5 max-lg:px-6 phone:px-4 phone:py-4">{prediction}</div>
        )}
        <Figures page={page} since={since} />
      </Panel>
      {children}
      <p className="py-5 text-body text-2 phone:px-4">
        The proof shows that these words existed{' '}
        {alert.anchoredAt !== null && (
          <>
            at <Moment at={alert.anchoredAt} />{' '}
          </>
        )}
        and were not changed since. It does not show that following the alert earns money.
      </p>
    </div>
  )
}

/** A time within a sentence: UTC in the HTML of the server, then in the zone of the reader. */
function Moment({ at }: { at: string }) {
  return <Time at={at} show="moment" mono={false} className="whitespace-normal!" />
}

/**
 * The seal of the alert. It is rendered twice, because phones need another size and position. CSS
 * hides one of them.
 */
function AlertSeal({ alert, ...sealProps }: { alert: Alert; state: SealState; size: number; className: string }) {
  return <Seal leafHash={alert.leafHash} root={alert.root} {...sealProps} />
}

function Subject({ alert }: { alert: Alert }) {
  return (
    <p className="flex flex-wrap items-center gap-x-3 text-body wrap-anywhere">
      <PriorityGlyph priority={alert.priority} word className="font-semibold" />
      <span className="font-semibold">{alert.asset}</span>
      <span className="text-2">{formatAnomalyType(alert)}</span>
      <span className="text-data text-2">#{formatCount(alert.logIndex)}</span>
      {isSimulated(alert) && <Badge>Simulated market</Badge>}
    </p>
  )
}

function RelatedAlertLinks({ alert }: { alert: Alert }) {
  const relations = createRelations(alert, () => null)
  return relations.map(({ word, logIndex }) => (
    <p key={word} className="mt-2 text-body font-medium">
      {word}{' '}
      <a href={createAlertPath(logIndex)} className="link touch-target underline">
        #{formatCount(logIndex)}
      </a>
    </p>
  ))
}

function AccessNote({ page: { access, publicAt } }: { page: ReadablePage }) {
  if (access === 'public') return null
  return (
    <p className="mt-2 text-body">
      {access === 'shared'
        ? 'A subscriber shared this link with you. The alert becomes public at '
        : 'Only subscribers and operators see this alert now. It becomes public at '}
      <Moment at={publicAt} />.
    </p>
  )
}

/** Returns the price in the message that came with the page, if the message is the signed one. */
export function findIssuePrice({ bundle: { alert }, message }: ReadablePage): IssuePrice | null {
  if (alert.signalHash === null) return null
  const state = readSignal(message, alert.signalHash)
  return state.kind === 'proved' ? getIssuePrice(state.signal) : null
}

/** Returns the outcome message that came with the page, if it has the hash in the outcome entry. */
export function findOutcomeMessage({ bundle: { alert }, outcomeMessage }: ReadablePage): OutcomeMessage | null {
  return alert.outcome && outcomeMessage !== null ? readOutcomeMessage(outcomeMessage, alert.outcome.messageHash) : null
}

function Figures({ page, since }: { page: ReadablePage; since: PriceSince | null }) {
  const { alert } = page.bundle
  const issuePrice = useMemo(() => findIssuePrice(page), [page])
  const end = useMemo(() => computeEndPrice(alert, issuePrice, findOutcomeMessage(page)), [alert, issuePrice, page])
  const delay = formatAlertAnchorDelay(alert)
  return (
    <dl className="grid auto-cols-fr divide-x divide-line-1 border-t border-line-1 *:px-8 *:py-4 md:grid-flow-col max-lg:*:px-4 phone:grid-cols-2 phone:*:py-3 phone:*:nth-[2n]:border-r-0 phone:*:nth-[n+3]:border-t phone:*:nth-[n+3]:border-line-1 phone:*:last:odd:col-span-2">
      {issuePrice && (
        <Figure label="Price at issue" hint={`${issuePrice.market} on ${getVenueName(issuePrice.venue)}`}>
          {formatPrice(issuePrice.price)}
        </Figure>
      )}
      {end && (
        <Figure label={<EndPriceLabel end={end} />} hint={`since issue, to ${formatPrice(end.price)}`}>
          <Change percent={end.change} />
        </Figure>
      )}
      {since && (
        <Figure label="Since issue" hint={`now ${formatPrice(since.price)}`}>
          <Change percent={since.change} />
        </Figure>
      )}
      <Figure label="Confidence" hint={alert.prediction && `of ${formatShortClaim(alert.prediction, alert.asset)}`}>
        {formatConfidence(alert.confidence)}
      </Figure>
      <Figure label="Anchored" hint={delay !== null && 'after issue'}>
        {delay ?? 'not yet'}
      </Figure>
    </dl>
  )
}

type FigureProps = { label: ReactNode; hint: ReactNode; children: ReactNode }

function Figure({ label, hint, children }: FigureProps) {
  return (
    <div className="min-w-0">
      <dt className="text-label text-2">{label}</dt>
      <dd className="mt-1 text-number-sm wrap-anywhere">{children}</dd>
      {hint && <dd className="mt-0.5 text-hint text-2">{hint}</dd>}
    </div>
  )
}

/** The page of an alert whose content is not public yet. Shows only the fields that are public. */
export function WithheldView({ page, children }: { page: WithheldPage; children?: ReactNode }) {
  const { priority, logIndex, leafHash, createdAt, publicAt } = page
  return (
    <div className={`${container} pt-8 pb-10 phone:px-0 phone:pt-0`}>
      <Panel flush className="phone:border-x-0 phone:border-t-0">
        <div className="flex items-center gap-9 px-9 py-8 max-lg:gap-6 max-lg:px-6 phone:flex-col phone:items-start phone:gap-4 phone:p-4">
          <Seal leafHash={leafHash} state="signed" size={144} />
          <div className="min-w-0">
            <p className="flex flex-wrap items-center gap-x-3 text-body">
              <PriorityGlyph priority={priority} word className="font-semibold" />
              <span className="text-data text-2">#{formatCount(logIndex)}</span>
            </p>
            <h1 className="mt-1.5 text-section text-balance phone:text-h2">
              Public from <Moment at={publicAt} />
            </h1>
            <p className="mt-2 max-w-[72ch] text-body text-2">
              This alert was signed and logged at{' '}
              <span className="text-1">
                <Moment at={createdAt} />
              </span>
              . Subscribers can read it now, everyone else from the time above. Its leaf hash is public now, so its
              content can’t be changed until then.
            </p>
            <p className="mt-4 text-label text-2">Leaf hash</p>
            <p className="mt-1 text-data wrap-anywhere">{leafHash}</p>
            {children}
          </div>
        </div>
      </Panel>
    </div>
  )
}
