import type { Alert } from '@tocsin/protocol'
import { classNames } from '../../ui/class-names.ts'
import { OutcomeGlyph } from '../../ui/identity/outcome-glyph.tsx'
import { useNow } from '../../ui/now.ts'
import {
  formatClockLeft,
  getCountdown,
  getOutcomeKind,
  getOutcomeShape,
  outcomeNames,
  type PredictedFields,
} from './outcome-state.ts'

type OutcomeTagProps = {
  alert: PredictedFields
  /** Shows only the glyph. The word is its tooltip. */
  compact?: boolean
  className?: string
}

/** The outcome as a glyph, with the verdict or the countdown to it. */
export function OutcomeTag({ alert, compact = false, className }: OutcomeTagProps) {
  const kind = useNow((nowMs) => getOutcomeKind(alert, nowMs) ?? 'none')
  if (kind === 'open' && alert.prediction)
    return <OpenTag prediction={alert.prediction} compact={compact} className={className} />
  const word = outcomeNames[kind]
  return (
    <span title={word} className={classNames('inline-flex items-center gap-2 whitespace-nowrap', className)}>
      <OutcomeGlyph shape={getOutcomeShape(kind)} size={14} />
      <span className={compact ? 'sr-only' : kind === 'none' ? 'text-2' : undefined}>{word}</span>
    </span>
  )
}

type OpenTagProps = { prediction: NonNullable<Alert['prediction']>; compact: boolean; className: string | undefined }

const shareSteps = 20

function OpenTag({ prediction, compact, className }: OpenTagProps) {
  const timeLeft = useNow((nowMs) => {
    const { until, secondsLeft } = getCountdown(prediction, nowMs)
    if (until === 'verdict') return 'verdict due'
    return `${formatClockLeft(until === 'start' ? secondsLeft + prediction.horizonSeconds : secondsLeft)} left`
  })
  const share = useNow((nowMs) => Math.ceil(getCountdown(prediction, nowMs).share * shareSteps) / shareSteps)
  return (
    <span
      title={compact ? outcomeNames.open : undefined}
      className={classNames('inline-flex items-center gap-2 whitespace-nowrap', className)}
    >
      <OutcomeGlyph shape="open" size={14} share={share} />
      <span className="sr-only">{outcomeNames.open}</span>
      {!compact && (
        <span aria-hidden className="text-2 tabular-nums">
          {timeLeft}
        </span>
      )}
    </span>
  )
}
