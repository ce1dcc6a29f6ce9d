import type { Priority } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { classNames } from '../../ui/class-names.ts'
import { priorityStyles } from '../../ui/identity/priority-glyph.tsx'
import { type AxisLabel, layOutCandles } from './candle-layout.ts'
import type { CandleRow } from './candles.ts'
import type { ChartMarks } from './chart-figures.ts'
import { formatPrice } from './price-texts.ts'

const labelHeightPx = 18
const axisPx = 76

type CandleDrawingProps = {
  rows: readonly [CandleRow, ...CandleRow[]]
  marks: ChartMarks
  priority: Priority
  /** Height of the chart without the times below it. Used to keep the labels of prices apart. */
  heightPx: number
  /** Formats the times below the chart and at the alert. If it is missing, no times are drawn. */
  formatTime?: (atMs: number, withSeconds: boolean) => string
  className?: string
}

/**
 * Candles with the marks of an alert, as an SVG of any size. It has no style attributes, because
 * the content security policy of the embed forbids them. It is hidden from screen readers, so
 * render a description beside it.
 */
export function CandleDrawing({ rows, marks, priority, heightPx, formatTime, className }: CandleDrawingProps) {
  const layout = layOutCandles(rows, marks, (100 * labelHeightPx) / heightPx)
  const { rising, falling, volumes, getX, getY, gridPrices, priceLabels, timeLabels } = layout
  const issuedX = getX(marks.issuedMs)
  const isLabelRight = issuedX < 60
  return (
    <div aria-hidden className={classNames('flex', formatTime && 'pb-5', className)}>
      <svg aria-hidden className="h-full min-w-0 flex-1 overflow-visible text-data">
        <HorizonArea marks={marks} xOf={getX} yOf={getY} />
        {gridPrices.map((value) => (
          <Line key={value} y={getY(value)} className="stroke-line-1" />
        ))}
        <svg aria-hidden viewBox="0 0 100 100" preserveAspectRatio="none" width="100%" height="100%">
          <g className="[&>path]:[vector-effect:non-scaling-stroke]">
            <path d={volumes} className="fill-line-2/70" />
            <path d={rising} className="fill-ink-1 stroke-up" />
            <path d={falling} className="fill-down stroke-down" />
          </g>
        </svg>
        {marks.price !== null && <Line y={getY(marks.price)} dashes="4 4" className="stroke-text-1" />}
        {marks.thresholds.map((value) => (
          <Line key={value} y={getY(value)} dashes="2 3" className="stroke-text-2" />
        ))}
        <line
          x1={`${issuedX}%`}
          x2={`${issuedX}%`}
          y2="100%"
          strokeDasharray="1 3"
          className={priorityStyles[priority].stroke}
        />
        {formatTime && (
          <text
            x={`${issuedX}%`}
            dx={isLabelRight ? 6 : -6}
            dy={10}
            textAnchor={isLabelRight ? 'start' : 'end'}
            className="fill-text-1"
          >
            {`issued ${formatTime(marks.issuedMs, true)}`}
          </text>
        )}
        {marks.price !== null && (
          <PositionedGroup x={issuedX} y={getY(marks.price)}>
            <path d="M0-6 6 0 0 6-6 0Z" strokeWidth={1.5} className={`fill-ink-1 ${priorityStyles[priority].stroke}`} />
          </PositionedGroup>
        )}
        <ReachedMark marks={marks} xOf={getX} yOf={getY} heightPx={heightPx} />
        {formatTime &&
          timeLabels.map(({ atMs, x }) => (
            <text key={atMs} x={`${x}%`} y="100%" dy={16} textAnchor="middle" className="fill-text-2">
              {formatTime(atMs, false)}
            </text>
          ))}
      </svg>
      <svg aria-hidden width={axisPx} className="h-full shrink-0 overflow-visible text-data">
        {priceLabels.map((label) => (
          <PriceLabel key={`${label.kind} ${label.value}`} label={label} />
        ))}
      </svg>
    </div>
  )
}

type ChartCoordinates = { marks: ChartMarks; xOf: (atMs: number) => number; yOf: (price: number) => number }

/**
 * A rectangle from the start to the end of the prediction. If there are thresholds, it lies between
 * them; otherwise it has the full height.
 */
function HorizonArea({ marks: { horizon, thresholds }, xOf, yOf }: ChartCoordinates) {
  if (!horizon) return null
  const x = xOf(horizon.from)
  const [top, bottom] = thresholds.length > 0 ? [yOf(Math.max(...thresholds)), yOf(Math.min(...thresholds))] : [0, 100]
  return (
    <rect
      x={`${x}%`}
      y={`${top}%`}
      width={`${xOf(horizon.to) - x}%`}
      height={`${bottom - top}%`}
      className="fill-ink-3/45"
    />
  )
}

const stemPx = { tall: 34, short: 22 }
const shortBelowPx = 110

/** A square with a check mark, linked by a line to the minute whose close reached the threshold. */
function ReachedMark({
  marks: { reachedPoint, thresholds },
  xOf,
  yOf,
  heightPx,
}: ChartCoordinates & { heightPx: number }) {
  if (!reachedPoint) return null
  const isUp = reachedPoint.price === Math.max(...thresholds)
  const stem = (heightPx < shortBelowPx ? stemPx.short : stemPx.tall) * (isUp ? 1 : -1)
  return (
    <PositionedGroup x={xOf(reachedPoint.atMs + MINUTE_MS / 2)} y={yOf(reachedPoint.price)}>
      <path d={`M0 0V${stem}`} className="stroke-text-1" />
      <rect x={-7} y={isUp ? stem : stem - 14} width={14} height={14} className="fill-text-1" />
      <path
        d="M-3.5 7.2-.9 9.7 3.5 4.6"
        transform={`translate(0 ${isUp ? stem : stem - 14})`}
        fill="none"
        strokeWidth={1.75}
        className="stroke-ink-1"
      />
    </PositionedGroup>
  )
}

/** Places its children at a point, which is given in percent of the chart. */
function PositionedGroup({ x, y, children }: { x: number; y: number; children: React.ReactNode }) {
  return (
    <svg aria-hidden x={`${x}%`} y={`${y}%`} width={1} height={1} className="overflow-visible">
      {children}
    </svg>
  )
}

function Line({ y, dashes, className }: { y: number; dashes?: string; className: string }) {
  return <line x2="100%" y1={`${y}%`} y2={`${y}%`} strokeDasharray={dashes} className={className} />
}

const tagStyles = {
  issue: { backgroundClass: 'fill-ink-1 stroke-text-2', words: 'fill-text-1' },
  last: { backgroundClass: 'fill-text-1', words: 'fill-ink-0' },
}

function PriceLabel({ label: { kind, value, y } }: { label: AxisLabel }) {
  const words = formatPrice(String(value))
  const tag = kind === 'issue' || kind === 'last' ? tagStyles[kind] : null
  return (
    <PositionedGroup x={0} y={y}>
      {tag && <rect x={0.5} y={-8.5} width={axisPx - 1} height={labelHeightPx - 1} className={tag.backgroundClass} />}
      <text x={6} y={4} className={tag ? tag.words : 'fill-text-2'}>
        {words}
      </text>
    </PositionedGroup>
  )
}
