import type { Priority } from '@tocsin/protocol'
import { getGlyphPath, priorityStyles } from './priority-glyph.tsx'

/** Position of the baseline in px from the top of the strip. */
export const pulseBaseline = 36

/**
 * Tick of an alert on the pulse timeline, centred on x = 0. The height of the tick is proportional
 * to `baseline`. The glyph stays anti-aliased even if the parent sets `crispEdges`.
 */
export function PulseTick({ priority, baseline = pulseBaseline }: { priority: Priority; baseline?: number }) {
  const { shape, tickHeight } = priorityStyles[priority]
  const top = baseline - Math.round((tickHeight * baseline) / pulseBaseline)
  const isHollow = shape === 'ring'
  return (
    <>
      <path
        d={`M0 ${baseline}V${isHollow ? top + 2 : top}`}
        stroke="currentColor"
        strokeWidth={priority === 'critical' ? 1.5 : 1}
      />
      <path
        d={getGlyphPath(shape)}
        transform={`translate(-3.5 ${top - 3.5}) scale(${7 / 12})`}
        shapeRendering="auto"
        fill={isHollow ? 'none' : 'currentColor'}
        stroke={isHollow ? 'currentColor' : 'none'}
        strokeWidth={1.8}
      />
    </>
  )
}
