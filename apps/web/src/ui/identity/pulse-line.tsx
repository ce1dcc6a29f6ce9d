import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { clockTime, zoneName } from '../format-time.ts'
import { usePhone } from '../media-query.ts'
import { useTimeStyle } from '../time-style.ts'
import { priorityLooks } from './priority-glyph.tsx'
import { hourMarks, type PulseAlert, type PulseGap, withinDay, xAt } from './pulse-layout.ts'
import { pulseBaseline as baseline, PulseTick } from './pulse-tick.tsx'

const height = 56
const hitWidth = 11

export type PulseLineProps = {
  alerts: readonly PulseAlert[]
  gaps: readonly PulseGap[]
  /** ms since 1970. Updating it once a minute is enough. */
  now: number
  /** Called when a tick is clicked, or selected with the arrow keys and Enter. */
  onSelect?: (id: string) => void
}

/** Timeline of the last 24 hours: one tick per alert, hatching for times without a connection. */
export function PulseLine({ alerts, gaps, now, onSelect }: PulseLineProps) {
  const phone = usePhone()
  const [frame, width] = useWidth()
  const [activeId, setActiveId] = useState<string | null>(null)
  const listId = useId()
  const style = useTimeStyle()
  const shown = withinDay(alerts, now)
  const active = shown.find((alert) => alert.id === activeId)

  function handleKey(event: KeyboardEvent) {
    const next = nextByKey(shown, activeId, event.key)
    if (next) setActiveId(next.id)
    else if (event.key === 'Enter' && active) onSelect?.(active.id)
    else return
    event.preventDefault()
  }

  return (
    <div
      ref={frame}
      role="listbox"
      tabIndex={0}
      aria-label={`Alerts of the last 24 hours: ${shown.length}`}
      aria-activedescendant={active && `${listId}-${active.id}`}
      onKeyDown={handleKey}
      className="relative h-14 min-w-0"
    >
      {width > 0 && (
        <svg aria-hidden width={width} height={height} fill="none" className="block">
          <Scale now={now} width={width} phone={phone} />
          <Gaps gaps={gaps} now={now} width={width} />
          {shown.map((alert) => (
            <Tick key={alert.id} alert={alert} x={xAt(Date.parse(alert.at), now, width)} active={alert === active} />
          ))}
          <path d={`M${xAt(now, now, width)} 0V42`} strokeWidth={1.5} className="stroke-signal" />
        </svg>
      )}
      {shown.map((alert) => (
        <button
          key={alert.id}
          id={`${listId}-${alert.id}`}
          type="button"
          role="option"
          aria-selected={alert === active}
          tabIndex={-1}
          title={`${priorityLooks[alert.priority].word}, ${clockTime(Date.parse(alert.at), style)} ${zoneName(now, style)}`}
          onClick={() => {
            setActiveId(alert.id)
            onSelect?.(alert.id)
          }}
          className="absolute top-1 h-9 overflow-hidden opacity-0"
          style={{ left: xAt(Date.parse(alert.at), now, width) - hitWidth / 2, width: hitWidth }}
        >
          {priorityLooks[alert.priority].word} {clockTime(Date.parse(alert.at), style)}
        </button>
      ))}
    </div>
  )
}

function nextByKey(shown: readonly PulseAlert[], activeId: string | null, key: string): PulseAlert | undefined {
  const index = shown.findIndex((alert) => alert.id === activeId)
  if (key === 'Home') return shown[0]
  if (key === 'End') return shown.at(-1)
  if (key === 'ArrowLeft') return index < 0 ? shown.at(-1) : shown[Math.max(0, index - 1)]
  if (key === 'ArrowRight') return index < 0 ? shown.at(-1) : shown[Math.min(shown.length - 1, index + 1)]
  return undefined
}

function useWidth() {
  const frame = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const element = frame.current
    if (!element) return
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [frame, width] as const
}

function Scale({ now, width, phone }: { now: number; width: number; phone: boolean }) {
  const style = useTimeStyle()
  return (
    <>
      <path d={`M0 ${baseline + 0.5}H${width}`} className="stroke-line-1" />
      {hourMarks(now, width, phone ? 6 : 3, style).map(({ x, label }) => (
        <g key={x}>
          <path d={`M${x} ${baseline}v${label ? 5 : 3}`} className="stroke-line-2" />
          {label && (
            <text x={x} y={53} textAnchor="middle" className="fill-text-2 font-mono text-[11px]">
              {label}
            </text>
          )}
        </g>
      ))}
      <text x={width} y={53} textAnchor="end" className="fill-text-1 font-mono text-[11px] font-medium">
        {clockTime(now, style).replace(/:\d\d(?=$| )/, '')}
      </text>
    </>
  )
}

function Gaps({ gaps, now, width }: { gaps: readonly PulseGap[]; now: number; width: number }) {
  const hatchId = useId()
  return (
    <>
      <pattern id={hatchId} width={4} height={4} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <path d="M0 0V4" className="stroke-line-2" strokeWidth={1.5} />
      </pattern>
      {gaps.map((gap) => {
        const from = Math.max(0.5, xAt(Date.parse(gap.from), now, width))
        const to = xAt(gap.to === null ? now : Date.parse(gap.to), now, width)
        if (to <= from) return null
        return (
          <g key={gap.from}>
            <rect x={from} y={baseline - 24} width={to - from} height={24} fill={`url(#${hatchId})`} />
            <path d={`M${from} ${baseline - 24}v24M${to} ${baseline - 24}v24`} className="stroke-line-2" />
            <title>Not connected</title>
          </g>
        )
      })}
    </>
  )
}

function Tick({ alert, x, active }: { alert: PulseAlert; x: number; active: boolean }) {
  return (
    <g transform={`translate(${x})`} className={`animate-row ${priorityLooks[alert.priority].text}`}>
      {active && <path d="M-6 4.5h12v36h-12Z" className="stroke-focus" />}
      <PulseTick priority={alert.priority} />
    </g>
  )
}
