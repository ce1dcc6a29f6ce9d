import type { Priority } from '@tocsin/protocol'
import { scaleBand, scaleLinear } from 'd3-scale'
import { classNames } from '../../ui/class-names.ts'
import { formatCount } from '../../ui/count.ts'
import { Glyph, priorityStyles } from '../../ui/identity/priority-glyph.tsx'
import { numberLocale } from '../../ui/locale.ts'
import { Table, Td, Th, Tr } from '../../ui/table.tsx'

/** Priorities in the order in which they are stacked: the most severe is at the bottom of a bar. */
export const drawnPriorities = ['critical', 'high', 'medium', 'low'] as const satisfies readonly Priority[]
export type PriorityCounts = Record<Priority, number>

const fills: Record<Priority, string> = {
  critical: 'fill-critical',
  high: 'fill-high',
  medium: 'fill-medium',
  low: 'fill-low',
}
const HEIGHT = 168
const BOTTOM = 20

export const noCounts: PriorityCounts = { critical: 0, high: 0, medium: 0, low: 0 }
export const getTotal = (counts: PriorityCounts) => drawnPriorities.reduce((sum, one) => sum + counts[one], 0)

interface BarsProps {
  label: string
  rows: readonly { name: string; counts: PriorityCounts }[]
  /** Returns whether the name of this row is drawn below its bar. */
  isNamed: (rowIndex: number) => boolean
}

/** Bars with the number of alerts of each row, stacked by priority. */
export function PriorityBars({ label, rows, isNamed }: BarsProps) {
  const max = Math.max(1, ...rows.map(({ counts }) => getTotal(counts)))
  const x = scaleBand(
    rows.map(({ name }) => name),
    [0, 100],
  ).paddingInner(0.16)
  const y = scaleLinear([0, max], [HEIGHT - BOTTOM, 8]).nice(3)
  return (
    <svg
      role="img"
      aria-label={label}
      height={HEIGHT}
      // The margin is for the labels of the axis, which are left of the bars.
      className="ml-10 block w-[calc(100%-40px)] overflow-visible font-mono text-[11px]"
    >
      {y
        .ticks(3)
        .filter(Number.isInteger)
        .map((tick) => (
          <g key={tick}>
            <line x1="0" x2="100%" y1={y(tick)} y2={y(tick)} className="stroke-line-1" />
            <text x="-8" y={y(tick) + 4} textAnchor="end" className="fill-text-2">
              {tick.toLocaleString(numberLocale, { notation: 'compact' })}
            </text>
          </g>
        ))}
      {rows.map(({ name, counts }, index) => (
        <g key={name}>
          {getStack(counts).map(({ priority, bottom, top }) => (
            <rect
              key={priority}
              x={`${x(name) ?? 0}%`}
              width={`${x.bandwidth()}%`}
              y={y(top)}
              height={Math.max(1, y(bottom) - y(top) - 1)}
              className={classNames(fills[priority], 'forced-colors:stroke-[Canvas]')}
            />
          ))}
          {isNamed(index) && (
            <text
              x={`${(x(name) ?? 0) + x.bandwidth() / 2}%`}
              y={HEIGHT - 4}
              textAnchor="middle"
              className="fill-text-2"
            >
              {name}
            </text>
          )}
        </g>
      ))}
    </svg>
  )
}

function getStack(counts: PriorityCounts) {
  let top = 0
  return drawnPriorities.flatMap((priority) => {
    const bottom = top
    top += counts[priority]
    return counts[priority] > 0 ? [{ priority, bottom, top }] : []
  })
}

/** Legend of the colours, with the total of each priority. */
export function PriorityLegend({ counts }: { counts: PriorityCounts }) {
  return (
    <ul className="flex flex-wrap items-center gap-x-6 gap-y-2 text-hint text-2">
      {drawnPriorities.map((priority) => (
        <li key={priority} className="inline-flex items-center gap-2">
          <Glyph shape={priorityStyles[priority].shape} size={10} className={priorityStyles[priority].text} />
          {priorityStyles[priority].word}
          <span className="text-data text-1">{formatCount(counts[priority])}</span>
        </li>
      ))}
    </ul>
  )
}

interface PriorityTableProps {
  caption: string
  head: string
  rows: readonly { name: string; counts: PriorityCounts }[]
}

export function PriorityTable({ caption, head, rows }: PriorityTableProps) {
  return (
    <Table wide caption={caption}>
      <thead>
        <tr>
          <Th>{head}</Th>
          {drawnPriorities.map((priority) => (
            <Th key={priority} className="text-right">
              {priorityStyles[priority].word}
            </Th>
          ))}
          <Th className="text-right">All</Th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, counts }) => (
          <Tr key={name} compact>
            <Td className="wrap-anywhere">{name}</Td>
            {drawnPriorities.map((priority) => (
              <Td key={priority} mono className="text-right">
                {formatCount(counts[priority])}
              </Td>
            ))}
            <Td mono className="text-right font-medium">
              {formatCount(getTotal(counts))}
            </Td>
          </Tr>
        ))}
      </tbody>
    </Table>
  )
}
