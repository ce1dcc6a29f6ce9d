import { type KeyboardEvent, type MouseEvent, useEffect, useId, useRef, useState } from 'react'
import { formatClock, formatHourMinute, getZoneName } from '../format-time.ts'
import { useIsPhone } from '../media-query.ts'
import { useTimeStyle } from '../time-style.ts'
import { priorityStyles } from './priority-glyph.tsx'
import {
  computeX,
  filterBySpan,
  listPulseMarks,
  type PulseAlert,
  type PulseGap,
  type PulseSpan,
  pulseSpans,
} from './pulse-layout.ts'
import { PulseTick } from './pulse-tick.tsx'

const height = 40
const baseline = 24
const labelY = 38
const hitWidth = 11

export type PulseLineProps = {
  alerts: readonly PulseAlert[]
  gaps: readonly PulseGap[]
  /** ms since 1970. Updating it once a minute is enough. */
  now: number
  span: PulseSpan
  /** The alert that the page shows. */
  selectedId?: string | null
  /** Called when a tick is clicked, or selected with the arrow keys and Enter. */
  onSelect?: (id: string) => void
}

const spanLabels: Record<PulseSpan, string> = { '1h': 'hour', '6h': '6 hours', '24h': '24 hours' }

/** Timeline of the last hours: one tick per alert, hatching for times without a connection. */
export function PulseLine({ alerts, gaps, now, span, selectedId = null, onSelect }: PulseLineProps) {
  const [containerRef, width] = useWidth()
  const [activeId, setActiveId] = useState<string | null>(null)
  const listId = useId()
  const style = useTimeStyle()
  const spanMs = pulseSpans[span]
  const shownAlerts = filterBySpan(alerts, now, spanMs)
  const getX = (atMs: number) => computeX(atMs, now, width, spanMs)
  const activeAlert = shownAlerts.find((alert) => alert.id === activeId)

  function handleKey(event: KeyboardEvent) {
    const next = findNextAlert(shownAlerts, activeId, event.key)
    if (next) setActiveId(next.id)
    else if (event.key === 'Enter' && activeAlert) onSelect?.(activeAlert.id)
    else return
    event.preventDefault()
  }

  // One handler for all options: React adds a listener to each element that has a click handler.
  function handleClick({ target }: MouseEvent) {
    if (!(target instanceof HTMLButtonElement)) return
    setActiveId(target.value)
    onSelect?.(target.value)
  }

  return (
    <div
      ref={containerRef}
      role="listbox"
      tabIndex={0}
      aria-label={`Alerts of the last ${spanLabels[span]}: ${shownAlerts.length}`}
      aria-activedescendant={activeAlert && `${listId}-${activeAlert.id}`}
      onKeyDown={handleKey}
      onClick={handleClick}
      className="relative h-10 min-w-0 flex-1 overflow-hidden"
    >
      {width > 0 && (
        <svg aria-hidden width={width} height={height} fill="none" className="block">
          <Scale now={now} width={width} span={span} />
          <Gaps gaps={gaps} now={now} xOf={getX} />
          {shownAlerts.map((alert) => (
            <Tick
              key={alert.id}
              alert={alert}
              x={getX(Date.parse(alert.at))}
              isActive={alert === activeAlert}
              isSelected={alert.id === selectedId}
            />
          ))}
          <path d={`M${getX(now)} 0V28`} strokeWidth={1.5} className="stroke-text-1" />
        </svg>
      )}
      {shownAlerts.map((alert) => (
        <button
          key={alert.id}
          id={`${listId}-${alert.id}`}
          type="button"
          value={alert.id}
          role="option"
          aria-selected={alert === activeAlert}
          tabIndex={-1}
          title={`${priorityStyles[alert.priority].word}, ${formatClock(Date.parse(alert.at), style)} ${getZoneName(now, style)}`}
          className="absolute top-0 h-7 overflow-hidden opacity-0"
          style={{ left: getX(Date.parse(alert.at)) - hitWidth / 2, width: hitWidth }}
        >
          {priorityStyles[alert.priority].word} {formatClock(Date.parse(alert.at), style)}
        </button>
      ))}
    </div>
  )
}

function findNextAlert(
  shownAlerts: readonly PulseAlert[],
  activeId: string | null,
  key: string,
): PulseAlert | undefined {
  const index = shownAlerts.findIndex((alert) => alert.id === activeId)
  if (key === 'Home') return shownAlerts[0]
  if (key === 'End') return shownAlerts.at(-1)
  if (key === 'ArrowLeft') return index < 0 ? shownAlerts.at(-1) : shownAlerts[Math.max(0, index - 1)]
  if (key === 'ArrowRight')
    return index < 0 ? shownAlerts.at(-1) : shownAlerts[Math.min(shownAlerts.length - 1, index + 1)]
  return undefined
}

function useWidth() {
  const containerRef = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const element = containerRef.current
    if (!element) return
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [containerRef, width] as const
}

function Scale({ now, width, span }: { now: number; width: number; span: PulseSpan }) {
  const isPhone = useIsPhone()
  const style = useTimeStyle()
  return (
    <>
      <path d={`M0 ${baseline + 0.5}H${width}`} className="stroke-line-1" />
      {listPulseMarks(now, width, { span, isPhone, style }).map(({ x, label }) => (
        <g key={x}>
          <path d={`M${x} ${baseline}v${label ? 5 : 3}`} className="stroke-line-2" />
          {label && (
            <text x={x} y={labelY} textAnchor="middle" className="fill-text-2 font-mono text-[11px]">
              {label}
            </text>
          )}
        </g>
      ))}
      <text x={width} y={labelY} textAnchor="end" className="fill-text-1 font-mono text-[11px] font-medium">
        {formatHourMinute(now, style)}
      </text>
    </>
  )
}

function Gaps({ gaps, now, xOf }: { gaps: readonly PulseGap[]; now: number; xOf: (atMs: number) => number }) {
  const hatchId = useId()
  return (
    <>
      <pattern id={hatchId} width={4} height={4} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <path d="M0 0V4" className="stroke-line-2" strokeWidth={1.5} />
      </pattern>
      {gaps.map((gap) => {
        const from = Math.max(0.5, xOf(Date.parse(gap.from)))
        const to = xOf(gap.to === null ? now : Date.parse(gap.to))
        if (to <= from) return null
        return (
          <g key={gap.from}>
            <rect x={from} y={baseline - 18} width={to - from} height={18} fill={`url(#${hatchId})`} />
            <path d={`M${from} ${baseline - 18}v18M${to} ${baseline - 18}v18`} className="stroke-line-2" />
            <title>Not connected</title>
          </g>
        )
      })}
    </>
  )
}

type TickProps = { alert: PulseAlert; x: number; isActive: boolean; isSelected: boolean }

function Tick({ alert, x, isActive, isSelected }: TickProps) {
  return (
    <g transform={`translate(${x})`} className={`animate-row ${priorityStyles[alert.priority].text}`}>
      {(isActive || isSelected) && (
        <path d="M-7 .5h14v26h-14Z" className={isActive ? 'stroke-focus' : 'fill-ink-3 stroke-text-2'} />
      )}
      <PulseTick priority={alert.priority} baseline={baseline} />
    </g>
  )
}
