import { scaleBand, scaleLinear } from 'd3-scale'
import { stack } from 'd3-shape'
import { classNames } from '../../ui/class-names.ts'
import { dateLocale, numberLocale } from '../../ui/locale.ts'
import type { BarPart } from './business-texts.ts'

const HEIGHT = 196
const BOTTOM = 20
/** Neutral shades for the parts of a bar. Colours are reserved for alert priorities. */
const layerFills = ['fill-text-1', 'fill-text-2', 'fill-line-2', 'fill-text-3']

interface RevenueChartProps {
  label: string
  bars: readonly { day: string; parts: readonly BarPart[] }[]
}

/**
 * Stacked bars, one for each day. The bar of today has a dashed edge, because the day is not over.
 */
export function RevenueChart({ label, bars }: RevenueChartProps) {
  const keys = bars[0]?.parts.map(({ key }) => key) ?? []
  const rows = bars.map(({ day, parts }) => ({
    day,
    values: new Map(parts.map(({ key, wei }) => [key, Number(wei / 10n ** 14n) / 10_000])),
  }))
  const series = stack<(typeof rows)[number]>()
    .keys(keys)
    .value(({ values }, key) => values.get(key) ?? 0)(rows)
  const max = Math.max(1, ...series.flatMap((one) => one.map(([, top]) => top)))
  const x = scaleBand(
    bars.map(({ day }) => day),
    [0, 100],
  ).paddingInner(0.12)
  const y = scaleLinear([0, max], [HEIGHT - BOTTOM, 8]).nice(3)
  const today = bars.at(-1)
  return (
    <svg
      role="img"
      aria-label={label}
      height={HEIGHT}
      // The margin is for the labels of the axis, which are left of the bars.
      className="ml-10 block w-[calc(100%-40px)] overflow-visible font-mono text-[11px]"
    >
      {y.ticks(3).map((tick) => (
        <g key={tick}>
          <line x1="0" x2="100%" y1={y(tick)} y2={y(tick)} className="stroke-line-1" />
          <text x="-8" y={y(tick) + 4} textAnchor="end" className="fill-text-2">
            {tick.toLocaleString(numberLocale, { notation: 'compact' })}
          </text>
        </g>
      ))}
      {series.map((one, layer) =>
        one.map(([bottom, top], index) =>
          top > bottom ? (
            <rect
              key={`${one.key} ${rows[index]?.day}`}
              x={`${x(rows[index]?.day ?? '') ?? 0}%`}
              width={`${x.bandwidth()}%`}
              y={y(top)}
              height={Math.max(1, y(bottom) - y(top) - 1)}
              className={classNames(layerFills[layer % layerFills.length], 'forced-colors:stroke-[Canvas]')}
            />
          ) : null,
        ),
      )}
      {today && (
        <rect
          x={`${x(today.day) ?? 0}%`}
          width={`${x.bandwidth()}%`}
          y={8}
          height={HEIGHT - BOTTOM - 8}
          className="fill-none stroke-line-2"
          strokeDasharray="2 3"
        />
      )}
      {bars.map(({ day }, index) =>
        index % 7 === 1 || index === bars.length - 1 ? (
          <text
            key={day}
            x={`${(x(day) ?? 0) + x.bandwidth() / 2}%`}
            y={HEIGHT - 4}
            textAnchor={index === bars.length - 1 ? 'end' : 'middle'}
            className="fill-text-2"
          >
            {index === bars.length - 1 ? 'today' : formatUtcDay(day)}
          </text>
        ) : null,
      )}
    </svg>
  )
}

/** Formats a UTC day: "25 Oct" or "25 Oct 2025". */
export function formatUtcDay(day: string, { withYear = false } = {}): string {
  return new Date(`${day}T00:00:00Z`).toLocaleDateString(dateLocale, {
    ...({ day: 'numeric', month: 'short', timeZone: 'UTC' } as const),
    ...(withYear && ({ year: 'numeric' } as const)),
  })
}

/** The square in the legend with the colour of a part of the bars. */
export function LegendMark({ layer }: { layer: number }) {
  return (
    <svg aria-hidden width="8" height="8" className="shrink-0">
      <rect width="8" height="8" className={layerFills[layer % layerFills.length]} />
    </svg>
  )
}
