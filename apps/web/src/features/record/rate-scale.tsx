import type { RecordFigures } from '@tocsin/protocol'
import { classNames } from '../../ui/class-names.ts'
import { formatInterval, formatRatePercent, percent } from './record-texts.ts'

type RateScaleProps = {
  figures: Pick<RecordFigures, 'strict' | 'interval'>
  /**
   * Share of randomly selected minutes at which the same predictions would have come true. Null if
   * it is unknown, or in a table row that counts fewer than `minCompared` alerts.
   */
  baseRate: number | null
  /** The share at the right end of the scale. */
  end: number
  /** Writes the percentages under the ticks. */
  labels?: boolean
  className?: string
}

/** A rate with its interval on a scale from 0; the base rate is a hollow diamond. */
export function RateScale({ figures: { strict, interval }, baseRate, end, labels = false, className }: RateScaleProps) {
  const getX = (share: number) => `${(100 * Math.min(1, share / end)).toFixed(2)}%`
  const ticks = Array.from({ length: Math.round(end * 10) + 1 }, (_, step) => step / 10)
  const name = `${formatRatePercent(strict)}, 95% interval ${formatInterval(interval)}${baseRate === null ? '' : `, at random minutes ${percent(baseRate)}`}`
  return (
    <svg
      role="img"
      aria-label={name}
      width="100%"
      height={labels ? 36 : 18}
      fill="none"
      className={classNames('overflow-visible', className)}
    >
      <line x2="100%" y1={9.5} y2={9.5} className="stroke-line-2" />
      {ticks.map((tick, index) => (
        <g key={tick}>
          <line x1={getX(tick)} x2={getX(tick)} y1={6} y2={13} className="stroke-line-2" />
          {labels && (
            <text
              x={getX(tick)}
              y={32}
              textAnchor={index === 0 ? 'start' : index === ticks.length - 1 ? 'end' : 'middle'}
              className="fill-text-2 text-data"
            >
              {`${index * 10}${index === ticks.length - 1 ? '%' : ''}`}
            </text>
          )}
        </g>
      ))}
      {interval && (
        <rect x={getX(interval[0])} y={5} width={getX(interval[1] - interval[0])} height={9} className="fill-line-2" />
      )}
      {strict.rate !== null && (
        <rect x={getX(strict.rate)} y={1} width={3} height={17} transform="translate(-1.5 0)" className="fill-text-1" />
      )}
      {baseRate !== null && (
        <svg aria-hidden="true" x={getX(baseRate)} y={9.5} overflow="visible">
          <path d="M0 -5.5 L5 0 L0 5.5 L-5 0 Z" className="fill-ink-1 stroke-text-2" />
        </svg>
      )}
    </svg>
  )
}

/** Explains the marks of `RateScale`. */
export function ScaleKey({ className }: { className?: string }) {
  return (
    <p className={classNames('flex flex-wrap items-center gap-x-5 gap-y-1 text-hint text-2', className)}>
      <span className="inline-flex items-center gap-2">
        <svg aria-hidden width={18} height={14}>
          <rect y={3} width={18} height={8} className="fill-line-2" />
          <rect x={7.5} width={3} height={14} className="fill-text-1" />
        </svg>
        rate with 95% interval
      </span>
      <span className="inline-flex items-center gap-2">
        <svg aria-hidden width={12} height={14} fill="none">
          <path d="M6 1.5 L11 7 L6 12.5 L1 7 Z" className="stroke-text-2" />
        </svg>
        at random minutes
      </span>
    </p>
  )
}
