import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Alert, PredictionProgress as Progress } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { call } from '../../api/api.ts'
import { livePricesQuery } from '../../stream/live-prices.ts'
import { useNow } from '../../ui/now.ts'
import { Time } from '../../ui/time.tsx'
import { useTimeStyle } from '../../ui/time-style.ts'
import { getOutcomeKind } from '../prediction/outcome-state.ts'
import type { Prediction } from '../prediction/prediction-names.ts'
import { PredictionPanel } from '../prediction/prediction-panel.tsx'
import { computeReachedShare, formatProgress } from './progress-texts.ts'

/** Time in ms that the server waits for late trades after the end of a minute. */
const progressDelayMs = 3_000
/** Maximum random delay of a request in ms, to spread the requests of many users. */
const jitterMs = 3_000

const progressQuery = (id: string) =>
  queryOptions({
    queryKey: ['/api/alerts/progress', id],
    queryFn: async ({ signal }) => (await call('alertProgress', { params: { id }, signal })).progress,
    staleTime: 0,
    refetchInterval: () => MINUTE_MS - ((Date.now() - progressDelayMs) % MINUTE_MS) + Math.random() * jitterMs,
  })

/**
 * The prediction of an alert and, while it is open, its progress according to the received trades.
 */
export function LivePrediction({ alert }: { alert: Alert }) {
  const { progress, isExpected } = useProgress(alert)
  return (
    <>
      <PredictionPanel
        alert={alert}
        reference={progress?.reference ?? null}
        className="mt-4 max-w-200 border-t border-line-1 pt-4"
      />
      {alert.prediction && isExpected && (
        <div className="mt-3 ml-9 min-h-18">
          {progress && <ProgressView prediction={alert.prediction} progress={progress} />}
        </div>
      )}
    </>
  )
}

/**
 * Returns the progress of an open prediction according to the trades since its start. `progress` is
 * null if the server may have missed a trade. `isExpected` is true if the progress is known or its
 * first read is pending, so that space is reserved for it.
 */
function useProgress(alert: Alert): { progress: Progress | null; isExpected: boolean } {
  const { prediction } = alert
  const isRunning = useNow(
    (nowMs) =>
      getOutcomeKind(alert, nowMs) === 'open' &&
      nowMs > Date.parse(prediction?.startsAt ?? '') + MINUTE_MS + progressDelayMs &&
      nowMs < Date.parse(prediction?.resolveBy ?? ''),
  )
  const { data: hasSource = false } = useQuery({ ...livePricesQuery, enabled: isRunning })
  const isWanted = isRunning && hasSource
  const { data: progress = null, isPending } = useQuery({ ...progressQuery(alert.id), enabled: isWanted })
  return { progress: isWanted ? progress : null, isExpected: isWanted && (isPending || progress !== null) }
}

type ViewProps = { prediction: Prediction; progress: Progress }

/** The view of the progress, without queries. It never states a verdict. */
export function ProgressView({ prediction, progress }: ViewProps) {
  const style = useTimeStyle()
  const share = computeReachedShare(prediction, progress)
  return (
    <section aria-label="Progress">
      <div className="max-w-[72ch] text-base">
        <p>{formatProgress(prediction, progress, style)}</p>
        <svg aria-hidden width="100%" height={4} className="mt-2 block">
          <rect width="100%" height={4} className="fill-ink-3" />
          <rect width={`${100 * share}%`} height={4} className="fill-text-1" />
        </svg>
        <p className="mt-1 text-hint text-2">
          Computed from the trades that this site has received from the start until{' '}
          <Time at={progress.until} show="clock" mono={false} />. The candles of the exchange decide the verdict.
        </p>
      </div>
    </section>
  )
}
