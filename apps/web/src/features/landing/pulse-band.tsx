import type { Priority, ResponseOf } from '@tocsin/protocol'
import { useId } from 'react'
import { formatCount } from '../../ui/count.ts'
import { formatClock } from '../../ui/format-time.ts'
import { priorityStyles } from '../../ui/identity/priority-glyph.tsx'
import { computePositionInSpan, listPulseMarks } from '../../ui/identity/pulse-layout.ts'
import { pulseBaseline as baseline, PulseTick } from '../../ui/identity/pulse-tick.tsx'
import { container } from '../site/section.tsx'
import { usePublic } from './use-public.ts'

type Pulse = ResponseOf<'alertPulse'>

/**
 * From the highest to the lowest. Repeats the names in `priorities` of the protocol package,
 * because the module that exports them is in a chunk that this page does not load.
 */
const priorityOrder: Priority[] = ['critical', 'high', 'medium', 'low']
/**
 * Minimum width of the strip in px. The hour labels are chosen for this width, so they also fit in
 * every larger width.
 */
const minWidthPx = { phone: 288, elsewhere: 720 }

/**
 * Shows time and priority of the alerts of the last 24 hours. Other fields of new alerts are not
 * public yet.
 */
export function PulseBand({ revision }: { revision: string | undefined }) {
  const titleId = useId()
  const { data, isError } = usePublic('alertPulse', { revision })
  return (
    <section aria-labelledby={titleId} className="border-b border-line-1">
      <div className={`${container} pt-6 pb-5`}>
        <div className="flex gap-4 phone:flex-col">
          <h2 id={titleId} className="shrink-0 text-label text-2 md:py-0.5">
            Last 24 hours, UTC
          </h2>
          <p className="min-h-5 text-body text-2 phone:min-h-10">
            {data ? (
              describePulse(data)
            ) : isError ? (
              'Not available right now.'
            ) : (
              <noscript>Time and priority of an alert are public at once, the rest later.</noscript>
            )}
          </p>
        </div>
        <div className="relative mt-3 h-14 pr-3">
          <div className="absolute inset-x-0 top-9 border-t border-line-1" />
          {data && <Strip pulse={data} />}
        </div>
      </div>
    </section>
  )
}

const getTotal = ({ counts }: Pulse) => Object.values(counts).reduce((sum, count) => sum + count)

function describePulse(pulse: Pulse): string {
  const total = getTotal(pulse)
  return formatAlertCountAndDelay({ total, counted: formatCount(total), delayHours: pulse.publicDelayHours })
}

/**
 * Draws the alerts by time, relative to the clock of the server. Positions are percentages, so that
 * the width does not have to be measured.
 */
function Strip({ pulse }: { pulse: Pulse }) {
  const nowMs = Date.parse(pulse.until)
  const getX = (atMs: number) => `${(computePositionInSpan(atMs, nowMs) * 100).toFixed(2)}%`
  const phoneMarks = listPulseMarks(nowMs, minWidthPx.phone, { span: '24h', isPhone: true })
  return (
    <svg
      role="img"
      aria-label={formatPriorityCounts({ total: getTotal(pulse), ...pulse.counts })}
      fill="none"
      shapeRendering="crispEdges"
      className="relative block h-full w-full animate-fade overflow-visible"
    >
      <defs>
        {priorityOrder.map((priority) => (
          <g key={priority} id={`tick-${priority}`} className={priorityStyles[priority].text}>
            <PulseTick priority={priority} />
          </g>
        ))}
      </defs>
      {listPulseMarks(nowMs, minWidthPx.elsewhere, { span: '24h', isPhone: false }).map(({ atMs, label }, index) => (
        <g key={atMs}>
          <line
            x1={getX(atMs)}
            x2={getX(atMs)}
            y1={baseline}
            y2={baseline + (label ? 5 : 3)}
            className="stroke-line-2"
          />
          {label && (
            <text
              x={getX(atMs)}
              y={53}
              textAnchor="middle"
              className={`fill-text-2 font-mono text-[11px] ${phoneMarks[index]?.label ? '' : 'phone:hidden'}`}
            >
              {label}
            </text>
          )}
        </g>
      ))}
      {pulse.items.map(({ createdAt, priority }) => (
        <use key={createdAt} href={`#tick-${priority}`} x={getX(Date.parse(createdAt))} />
      ))}
      <line x1="100%" x2="100%" y2={42} strokeWidth={1.5} className="stroke-signal" />
      <text x="100%" dx={12} y={53} textAnchor="end" className="fill-text-1 font-mono text-[11px] font-medium">
        {formatClock(nowMs).slice(0, 5)}
      </text>
    </svg>
  )
}

function formatAlertCountAndDelay({
  total,
  counted,
  delayHours,
}: {
  total: number
  counted: string
  delayHours: number
}) {
  const alerts = `${total === 0 ? 'No' : counted} ${total === 1 ? 'alert' : 'alerts'}.`
  if (delayHours === 0) return `${alerts} On this site, they are public at once and in full.`
  const delay = `${delayHours} ${delayHours === 1 ? 'hour' : 'hours'}`
  return `${alerts} Time and priority are public at once, the rest after ${delay}.`
}

function formatPriorityCounts({ total, critical, high, medium, low }: Record<Priority | 'total', number>) {
  if (total === 0) return 'No alerts in the last 24 hours.'
  const alerts = total === 1 ? 'alert' : 'alerts'
  return `${total} ${alerts} in the last 24 hours: ${critical} critical, ${high} high, ${medium} medium, ${low} low.`
}
