import { useQuery } from '@tanstack/react-query'
import { getToleratedDelayMs } from '@tocsin/proof'
import type { Alert } from '@tocsin/protocol'
import type { ReactNode } from 'react'
import { paths } from '../../paths.ts'
import { classNames } from '../../ui/class-names.ts'
import { formatCount } from '../../ui/count.ts'
import { OutcomeGlyph } from '../../ui/identity/outcome-glyph.tsx'
import { addNoBreakSpaces } from '../../ui/keep-units.ts'
import { useNow } from '../../ui/now.ts'
import { SiteLink } from '../../ui/site-link.tsx'
import { Time } from '../../ui/time.tsx'
import { useTimeStyle } from '../../ui/time-style.ts'
import { describeConfidence, formatCalibrationNote, type TypeRecord } from './confidence-texts.ts'
import { findGreatestMove, getReference } from './moves.ts'
import { formatVoidReason, type OutcomeMessage, useOutcomeMessage } from './outcome-message.ts'
import { outcomeSentences } from './outcome-sentences.ts'
import {
  formatClockLeft,
  getCountdown,
  getOutcomeKind,
  getOutcomeShape,
  outcomeNames,
  timeLeftLabels,
} from './outcome-state.ts'
import { getVenueName, type Prediction } from './prediction-names.ts'
import { formatExpectation, formatMeasuredExpectation } from './prediction-texts.ts'
import { recordQueries } from './record-queries.ts'
import { findTypeRecord } from './type-record.ts'

export type PredictedAlert = Pick<
  Alert,
  | 'prediction'
  | 'outcome'
  | 'laterOutcomes'
  | 'model'
  | 'origin'
  | 'anomalyType'
  | 'confidence'
  | 'createdAt'
  | 'anchoredAt'
  | 'supersededBy'
>

/**
 * "not calibrated yet (37 outcomes)". Renders nothing if the confidence is calibrated, or if the
 * track record is unknown.
 */
export function CalibrationNote({ alert }: { alert: PredictedAlert }) {
  const record = useTypeRecord(alert)
  const note = record && formatCalibrationNote(record)
  return note && <span className="mt-0.5 block font-sans text-hint text-2">{note}</span>
}

/**
 * Loads the public track record of the alert's type. Null if the alert has no prediction, and until
 * the record is loaded.
 */
function useTypeRecord(alert: PredictedAlert): TypeRecord | null {
  const { data: response } = useQuery({
    ...recordQueries.record(alert.origin === 'demo' ? 'demo' : 'feed'),
    enabled: alert.prediction !== undefined,
  })
  return response && alert.prediction ? findTypeRecord(response, alert) : null
}

type PredictionPanelProps = {
  alert: PredictedAlert
  /**
   * Start price of the predicted move, from received trades. Used until the outcome has candles.
   */
  reference?: string | null
  className?: string
}

/**
 * The prediction of an alert and its outcome. Renders nothing for an alert without a prediction.
 */
export function PredictionPanel({ alert, reference = null, className }: PredictionPanelProps) {
  const { prediction } = alert
  const record = useTypeRecord(alert)
  const { message } = useOutcomeMessage(alert)
  if (!prediction) return null
  return (
    <PredictionView
      alert={alert}
      prediction={prediction}
      message={message}
      reference={reference}
      confidenceText={describeConfidence(alert.confidence, record)}
      className={className}
    />
  )
}

type ViewProps = {
  alert: PredictedAlert
  prediction: Prediction
  /** The message whose hash the outcome entry contains. */
  message: OutcomeMessage | null
  reference?: string | null
  /** The stated confidence, and how often predictions of this type came true, as text. */
  confidenceText: string
  className?: string | undefined
}

/** The view of the panel, without queries. */
export function PredictionView({ alert, prediction, message, reference = null, confidenceText, className }: ViewProps) {
  const style = useTimeStyle()
  const kind = useNow((nowMs) => getOutcomeKind(alert, nowMs) ?? 'open')
  const { outcome } = alert
  const confidenceSentence = `${confidenceText.charAt(0).toUpperCase()}${confidenceText.slice(1)}.`
  const candles = message?.candles ?? []
  const options = {
    reference: message ? getReference(candles, Date.parse(prediction.startsAt)) : reference,
    greatest: findGreatestMove(alert, null, candles),
    style,
  }
  if (kind === 'open') {
    return (
      <OpenView prediction={prediction} hint={<SupersededHint alert={alert} />} className={className}>
        <span className="text-1">{addNoBreakSpaces(formatExpectation(prediction, options))}.</span> {confidenceSentence}
      </OpenView>
    )
  }
  return (
    <Frame
      glyph={<OutcomeGlyph shape={getOutcomeShape(kind)} size={24} />}
      word={outcomeSentences[kind]}
      when={kind === 'came-true' || kind === 'did-not' ? 'judged by the candles' : 'counted as not true'}
      right={
        outcome && (
          <span className="text-base text-2">
            verdict <Time at={outcome.createdAt} className="text-data" />
          </span>
        )
      }
      className={className}
    >
      <p>
        <span className="text-1">{addNoBreakSpaces(formatMeasuredExpectation(prediction, outcome, options))}.</span>{' '}
        {kind === 'void' &&
          `${formatVoidReason(message, getVenueName(prediction.venue), style)} The track record also has a rate without such predictions. `}
        {kind === 'overdue' && <Overdue outcome={outcome} />}
        {kind === 'late' && formatLateReason(alert, prediction)}
        {confidenceSentence}
      </p>
      {outcome && (
        <p className="mt-1 text-hint text-2">
          The outcome is log entry #{formatCount(outcome.logIndex)}.{' '}
          <a href={`/api/log/messages/${outcome.messageHash}`} className="link touch-target underline">
            Candles
          </a>
          {' · '}
          <SiteLink href={paths.trackRecord} className="link touch-target underline">
            Track record
          </SiteLink>
        </p>
      )}
      {(alert.laterOutcomes ?? []).map((later) => (
        <p key={later.logIndex} className="mt-1 text-hint text-2">
          The exchange revised its candles: by entry #{formatCount(later.logIndex)} the verdict is “
          {outcomeSentences[later.verdict]}”. The first outcome counts.
        </p>
      ))}
      <SupersededHint alert={alert} />
    </Frame>
  )
}

function Overdue({ outcome }: Pick<PredictedAlert, 'outcome'>): ReactNode {
  if (!outcome) return 'No verdict is in the log, and its deadline has passed. '
  return `The verdict “${outcomeSentences[outcome.verdict]}” came after the deadline. `
}

/** Says why the verdict of an alert that was anchored late does not count. */
function formatLateReason({ createdAt, anchoredAt, outcome }: PredictedAlert, prediction: Prediction): string {
  const startMs = Date.parse(prediction.startsAt)
  const limit = `and at most ${formatDelay(getToleratedDelayMs(prediction))} are allowed`
  const reason =
    Date.parse(createdAt) > startMs
      ? 'The alert was signed after the start'
      : anchoredAt === null
        ? `The alert is not anchored yet, ${limit}`
        : `The alert was anchored ${formatDelay(Date.parse(anchoredAt) - startMs)} after the start, ${limit}`
  return outcome ? `${reason}, so the verdict “${outcomeSentences[outcome.verdict]}” does not count. ` : `${reason}. `
}

/** "6 min", "6 min 1 s". */
function formatDelay(ms: number): string {
  const [minutes, seconds] = [Math.floor(ms / 60_000), Math.floor(ms / 1000) % 60]
  return seconds === 0 ? `${minutes} min` : `${minutes} min ${seconds} s`
}

const supersedingLabels = { correction: 'Corrected', retraction: 'Retracted' } as const

/** Says that the alert was corrected or retracted, which does not change the track record. */
function SupersededHint({ alert: { supersededBy } }: { alert: PredictedAlert }) {
  if (!supersededBy) return null
  return (
    <p className="mt-1 text-hint text-2">
      {supersedingLabels[supersededBy.kind]} by entry #{formatCount(supersededBy.logIndex)}, which changes nothing here:
      the first statement counts.
    </p>
  )
}

const untilLabels = { start: 'starts at', end: 'ends at', verdict: 'verdict due by' } as const

type OpenViewProps = { prediction: Prediction; hint: ReactNode; children: ReactNode; className?: string | undefined }

/** The panel before the verdict. It never says whether the threshold has been reached. */
function OpenView({ prediction, hint, children, className }: OpenViewProps) {
  const until = useNow((nowMs) => getCountdown(prediction, nowMs).until)
  const atMs = useNow((nowMs) => getCountdown(prediction, nowMs).atMs)
  const seconds = useNow((nowMs) => getCountdown(prediction, nowMs).secondsLeft)
  const share = useNow((nowMs) => Math.round(getCountdown(prediction, nowMs).share * 100) / 100)
  return (
    <Frame
      glyph={<OutcomeGlyph shape="open" size={24} share={share} />}
      word={outcomeNames.open}
      when={
        <>
          {untilLabels[until]} <Time at={new Date(atMs).toISOString()} mono={false} />
        </>
      }
      right={
        <>
          <span className="text-base text-2">{timeLeftLabels[until]}</span>{' '}
          <span role="timer" aria-label="Time left" className="text-number-sm">
            {formatClockLeft(seconds)}
          </span>
        </>
      }
      className={className}
    >
      <p>{children}</p>
      <svg aria-hidden width="100%" height={4} className="mt-2 block">
        <rect width="100%" height={4} className="fill-ink-3" />
        <rect width={`${100 * (1 - share)}%`} height={4} className="fill-text-2" />
      </svg>
      {until === 'verdict' && (
        <p className="mt-1 text-hint text-2">
          The horizon has ended. The verdict follows once the candles are published.
        </p>
      )}
      {hint}
    </Frame>
  )
}

type FrameProps = {
  glyph: ReactNode
  word: string
  when: ReactNode
  right: ReactNode
  children: ReactNode
  className?: string | undefined
}

function Frame({ glyph, word, when, right, children, className }: FrameProps) {
  return (
    <section aria-label="Prediction" className={classNames('flex gap-3', className)}>
      {glyph}
      <div className="min-w-0 flex-1">
        <p className="flex min-h-6 flex-wrap items-baseline gap-x-2">
          <span className="text-lead font-semibold">{word}</span>
          <span className="text-base text-2">{when}</span>
          <span className="whitespace-nowrap @min-[520px]:ml-auto">{right}</span>
        </p>
        <div className="mt-1 max-w-[72ch] text-base wrap-anywhere text-2">{children}</div>
      </div>
    </section>
  )
}
