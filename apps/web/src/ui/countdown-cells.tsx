import { HOUR_MS } from '@tocsin/protocol/durations'
import { classNames } from './class-names.ts'
import { useNow } from './now.ts'

const hoursPerDay = 24

export type CountdownCellsProps = {
  /** Length of the plan: 6, 24 or 72. */
  hours: number
  /** ISO time of the end. If omitted, every cell is lit, to illustrate a plan's length. */
  endsAt?: string
  /**
   * Cell size and arrangement: strip: 4 x 12 px in one line, 436 px wide for 72 h · line: 1 x 12
   * px in one line, 147 px wide for 72 h · rows: 11 x 8 px, one row per day (phones) · plan: 11 x
   * 12 px, rows of 24, 333 px wide · small: 5 x 8 px, rows of 24, 166 px wide (narrow plan cards).
   */
  layout?: 'strip' | 'line' | 'rows' | 'plan' | 'small'
  className?: string
}

type Cell = { x: number; y: number; hour: number }

const layouts = {
  strip: { width: 4, height: 12, gap: 2, rowGap: 0, dayGap: 5 },
  line: { width: 1, height: 12, gap: 1, rowGap: 0, dayGap: 3 },
  rows: { width: 11, height: 8, gap: 2, rowGap: 4 },
  plan: { width: 11, height: 12, gap: 3, rowGap: 3 },
  small: { width: 5, height: 8, gap: 2, rowGap: 4 },
}

/**
 * One cell per hour. Past hours are dark. The current hour is partly filled, from the right. All
 * lit cells are yellow in the last hour.
 */
export function CountdownCells({ hours, endsAt, layout = 'strip', className }: CountdownCellsProps) {
  const { width, height, gap } = layouts[layout]
  // Hours left in steps of 1/16 hour. A step is less than one pixel of a cell, but long enough that
  // the component does not render again every second.
  const hoursLeft = useNow((nowMs) => (endsAt === undefined ? hours : computeHoursLeft(endsAt, nowMs)))
  const cells = layOutCells(hours, layout)
  // In layouts with one row per day, each row is as wide as a full day, so that an hour has the
  // same size in every plan.
  const lastCellX =
    'dayGap' in layouts[layout] ? Math.max(...cells.map((cell) => cell.x)) : (hoursPerDay - 1) * (width + gap)
  const right = lastCellX + width
  const bottom = Math.max(...cells.map((cell) => cell.y)) + height
  const litClass = hoursLeft < 1 ? 'fill-medium' : 'fill-text-1'
  return (
    <svg
      role="img"
      aria-label={`${Math.ceil(Math.min(hoursLeft, hours))} of ${hours} hours left`}
      viewBox={`0 0 ${right} ${bottom}`}
      width={right}
      height={bottom}
      // `className` can set another width. The drawing is then stretched and keeps its height.
      preserveAspectRatio="none"
      shapeRendering="crispEdges"
      className={classNames('max-w-full', className)}
    >
      {cells.map((cell) => {
        const filledPx = Math.round(width * Math.min(1, Math.max(0, hoursLeft - (hours - cell.hour - 1))))
        return (
          <g key={cell.hour}>
            <rect x={cell.x} y={cell.y} width={width} height={height} className="fill-cell-spent" />
            {filledPx > 0 && (
              <rect x={cell.x + width - filledPx} y={cell.y} width={filledPx} height={height} className={litClass} />
            )}
          </g>
        )
      })}
    </svg>
  )
}

function computeHoursLeft(endsAt: string, nowMs: number): number {
  return Math.max(0, Math.ceil(((Date.parse(endsAt) - nowMs) / HOUR_MS) * 16) / 16)
}

function layOutCells(hours: number, layout: keyof typeof layouts): Cell[] {
  const { width, height, gap, rowGap, ...rest } = layouts[layout]
  // Additional gap between the days of a single line.
  const dayGap = 'dayGap' in rest ? rest.dayGap - gap : null
  return Array.from({ length: hours }, (_, hour) => {
    const day = Math.floor(hour / hoursPerDay)
    if (dayGap !== null) return { hour, x: hour * (width + gap) + day * dayGap, y: 0 }
    return { hour, x: (hour % hoursPerDay) * (width + gap), y: day * (height + rowGap) }
  })
}
