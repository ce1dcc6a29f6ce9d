import type { Alert, AlertAt, SignalSeries } from '@tocsin/protocol'
import type { Signal } from '@tocsin/protocol/feed'
import type { ReactNode } from 'react'
import { createAlertPath } from '../../paths.ts'
import { classNames } from '../../ui/class-names.ts'
import { formatCount } from '../../ui/count.ts'
import { formatClock, formatDateTimeWithZone } from '../../ui/format-time.ts'
import { Mark } from '../../ui/identity/logo.tsx'
import { OutcomeGlyph } from '../../ui/identity/outcome-glyph.tsx'
import { PriorityGlyph, priorityStyles } from '../../ui/identity/priority-glyph.tsx'
import { Seal, type SealState } from '../../ui/identity/seal.tsx'
import { formatPath, layOutSeries } from '../../ui/identity/series-layout.ts'
import { addNoBreakSpaces } from '../../ui/keep-units.ts'
import { utcStyle } from '../../ui/time-style.ts'
import { formatConfidence } from '../alert/alert-texts.ts'
import { createRelations, formatRelation } from '../alert/relation.ts'
import { formatSeriesSentence } from '../alert/series-texts.ts'
import { readSignal } from '../alert/use-signal.ts'
import { CandleDrawing } from '../market/candle-drawing.tsx'
import type { CandleRow } from '../market/candles.ts'
import { Change } from '../market/change.tsx'
import { createChartMarks } from '../market/chart-figures.ts'
import { formatCandleSentence } from '../market/chart-legend.tsx'
import { computeEndPrice, type EndPrice } from '../market/end-price.tsx'
import { getIssuePrice } from '../market/issue-price.ts'
import { formatPrice } from '../market/price-texts.ts'
import { findGreatestMove } from '../prediction/moves.ts'
import { outcomeSentences } from '../prediction/outcome-sentences.ts'
import { getCountdown, getOutcomeKind, getOutcomeShape } from '../prediction/outcome-state.ts'
import { formatAnomalyType, getVenueName, type Prediction } from '../prediction/prediction-names.ts'
import { formatAmounts, formatShortClaim } from '../prediction/prediction-texts.ts'
import { findOutcomeMessage, type ReadablePage } from './alert-view.tsx'
import { embedIds } from './embed-ids.ts'

type EmbedViewProps = {
  page: AlertAt
  nowMs: number
}

/**
 * An alert in another site's frame of 420 x 280 px. The script changes only the times, the
 * countdown, and the text and the seal of the last row.
 */
export function EmbedView({ page, nowMs }: EmbedViewProps) {
  const { priority } = page.access === 'withheld' ? page : page.bundle.alert
  return (
    <main
      className={classNames(
        'flex h-dvh min-h-60 flex-col overflow-hidden border border-l-2 border-line-1 bg-ink-0',
        priorityStyles[priority].border,
      )}
    >
      {page.access === 'withheld' ? <Withheld page={page} /> : <Readable page={page} nowMs={nowMs} />}
    </main>
  )
}

function Readable({ page, nowMs }: { page: ReadablePage; nowMs: number }) {
  const { alert } = page.bundle
  const [relation] = createRelations({ ...alert, kind: 'alert', targetIndex: null }, () => null)
  const state = alert.signalHash === null ? null : readSignal(page.message, alert.signalHash)
  const signal = state?.kind === 'proved' ? state.signal : null
  const issue = signal && getIssuePrice(signal)
  const outcome = findOutcomeMessage(page)
  const candles = outcome?.candles ?? []
  return (
    <>
      <Head at={alert.createdAt}>
        <PriorityGlyph priority={alert.priority} word className="font-semibold" />
        <span className="max-w-28 shrink-0 truncate font-semibold">{alert.asset}</span>
        <span className="min-w-0 truncate text-2 max-[479px]:hidden">{formatAnomalyType(alert)}</span>
      </Head>
      <h1 dir="auto" className="px-4 pt-2 text-body font-semibold wrap-anywhere">
        <span className={classNames('line-clamp-2', relation && 'line-through decoration-text-3')}>
          {addNoBreakSpaces(alert.summary)}
        </span>
        {relation && <span className="mt-1 block text-base">{formatRelation(relation)}</span>}
      </h1>
      <p className="mt-0.5 truncate px-4 text-hint text-2">
        {[
          ...(alert.prediction ? [] : [`Confidence ${formatConfidence(alert.confidence)}`]),
          ...(issue ? [`Price at issue ${formatPrice(issue.price)} on ${getVenueName(issue.venue)}`] : []),
        ].join('. ')}
      </p>
      <div className="relative mx-4 my-1 min-h-0 flex-1">
        <Chart alert={alert} signal={signal} candles={candles} />
      </div>
      {alert.prediction && (
        <Outcome
          prediction={alert.prediction}
          {...{
            alert,
            nowMs,
            end: computeEndPrice(alert, issue, outcome),
            greatest: findGreatestMove(alert, null, candles),
          }}
        />
      )}
      <ProofRow leafHash={alert.leafHash} root={alert.root} logIndex={alert.logIndex} />
    </>
  )
}

function Withheld({ page }: { page: Extract<AlertAt, { access: 'withheld' }> }) {
  return (
    <>
      <Head at={page.createdAt}>
        <PriorityGlyph priority={page.priority} word className="font-semibold" />
      </Head>
      <div className="flex-1 px-4 py-3">
        <h1 className="text-body font-semibold">
          Public from <time dateTime={page.publicAt}>{formatDateTimeWithZone(Date.parse(page.publicAt))}</time>
        </h1>
        <p className="mt-2 text-base text-2">
          This alert is signed and logged. The log holds the hash of its content, so the content can’t be changed.
        </p>
        <p className="mt-2 text-data wrap-anywhere text-2">{page.leafHash}</p>
      </div>
      <ProofRow leafHash={page.leafHash} root={null} logIndex={page.logIndex} />
    </>
  )
}

function Head({ at, children }: { at: string; children: ReactNode }) {
  return (
    <header className="flex h-10 shrink-0 items-center gap-3 border-b border-line-1 px-4 text-base">
      {children}
      <time dateTime={at} className="ml-auto text-data whitespace-nowrap text-2">
        {formatDateTimeWithZone(Date.parse(at))}
      </time>
    </header>
  )
}

/** Approximate height of the chart: the space that the other rows leave in a frame of 280 px. */
const chartPx = 60

type ChartProps = { alert: Alert; signal: Signal | null; candles: readonly CandleRow[] }

/**
 * Draws the candles in the outcome message, or else the series in the message of the alert. Both
 * messages were compared with their signed hashes.
 */
function Chart({ alert, signal, candles: [first, ...rest] }: ChartProps) {
  const { prediction } = alert
  if (first && prediction) {
    const rows = [first, ...rest] as const
    const price = signal?.price ?? null
    const marks = createChartMarks(alert, price, rows)
    const words = formatCandleSentence({ alert, venue: prediction.venue, price, rows, marks }, utcStyle)
    return (
      <div role="img" aria-label={`${words} Times in UTC.`} className="absolute inset-0">
        <CandleDrawing {...{ rows, marks }} priority={alert.priority} heightPx={chartPx} className="h-full" />
      </div>
    )
  }
  return signal?.series ? <SeriesChart series={signal.series} alert={alert} /> : null
}

/** Draws the series without style attributes, because the content security policy forbids them. */
function SeriesChart({ series, alert }: { series: SignalSeries; alert: Alert }) {
  const { points, band, trigger } = layOutSeries(series)
  return (
    <svg
      role="img"
      aria-label={`Measurements around the alert: ${formatSeriesSentence(series)}`}
      viewBox="0 0 100 100"
      preserveAspectRatio="none"
      fill="none"
      className="absolute inset-0 size-full"
    >
      <g className="[&>path]:[vector-effect:non-scaling-stroke]">
        <path d={`M0 ${band.top}H100V${band.bottom}H0Z`} className="fill-ink-3" />
        <path d={`M${trigger.x} 0V100`} strokeDasharray="2 3" className={priorityStyles[alert.priority].stroke} />
        <path d={formatPath(points)} strokeWidth={1.5} strokeLinejoin="round" className="stroke-text-2" />
      </g>
    </svg>
  )
}

type OutcomeProps = {
  alert: Alert
  prediction: Prediction
  nowMs: number
  end: EndPrice | null
  greatest: number | null
}

/** Shows the prediction and its confidence, then the verdict and the change of the price. */
function Outcome({ alert, prediction, nowMs, end, greatest }: OutcomeProps) {
  const kind = getOutcomeKind(alert, nowMs) ?? 'open'
  const [, measured] = formatAmounts(prediction, alert.outcome, { greatest })
  return (
    <div className="shrink-0 border-t border-line-1 px-4 py-1.5 text-base">
      <p className="text-hint text-2">
        {formatConfidence(alert.confidence)} confident of {formatShortClaim(prediction, alert.asset)}
      </p>
      <p className="flex items-center gap-2 whitespace-nowrap">
        <OutcomeGlyph shape={getOutcomeShape(kind)} size={14} share={1} />
        <span className="min-w-0 truncate font-medium">
          {outcomeSentences[kind]}
          {measured !== null && <span className="font-normal text-2 max-[399px]:hidden">: {measured}</span>}
        </span>
        {kind === 'open' && <VerdictTime prediction={prediction} nowMs={nowMs} />}
        {end && (
          <span className="ml-auto text-2">
            until{' '}
            <time dateTime={new Date(end.atMs).toISOString()} data-show="clock">
              {formatClock(end.atMs)}
            </time>{' '}
            <Change percent={end.change} className="ml-1 text-data" />
          </span>
        )}
      </p>
    </div>
  )
}

const timeLabels = { start: 'starts', end: 'verdict after', verdict: 'verdict due by' } as const

/**
 * The time of the next event of the prediction. The script of the embed replaces it by a countdown.
 */
function VerdictTime({ prediction, nowMs }: { prediction: Prediction; nowMs: number }) {
  const { until, atMs } = getCountdown(prediction, nowMs)
  return (
    <span id={embedIds.countdown} className="ml-auto whitespace-nowrap text-2">
      {timeLabels[until]} <time dateTime={new Date(atMs).toISOString()}>{formatDateTimeWithZone(atMs)}</time>
    </span>
  )
}

const sealStates: readonly SealState[] = ['signed', 'anchored', 'failed']

function ProofRow({ leafHash, root, logIndex }: { leafHash: string; root: string | null; logIndex: number }) {
  return (
    <footer className="flex h-11 shrink-0 items-center gap-3 border-t border-line-1 px-4 text-base">
      <span id={embedIds.seals} className="contents">
        {sealStates.map((state) => (
          <span key={state} data-seal={state} hidden={state !== 'signed'}>
            <Seal leafHash={leafHash} root={root} state={state} size={28} className="block" />
          </span>
        ))}
      </span>
      <span aria-live="polite" className="flex min-w-0 flex-wrap gap-x-2">
        <span id={embedIds.word} className="font-semibold">
          Signed
        </span>
        <span id={embedIds.checked} className="text-hint/5 text-2" />
        <span id={embedIds.where} className="truncate text-hint text-2" />
      </span>
      <button type="button" id={embedIds.retry} hidden className="link touch-target whitespace-nowrap">
        Check again
      </button>
      <a
        href={createAlertPath(logIndex)}
        target="_blank"
        rel="noopener"
        className="link touch-target ml-auto flex items-center gap-2 whitespace-nowrap"
      >
        <span>
          <span className="sr-only">Open </span>
          <span className="max-[399px]:sr-only">Tocsin #{formatCount(logIndex)}</span>
        </span>
        <Mark size={20} />
      </a>
    </footer>
  )
}
