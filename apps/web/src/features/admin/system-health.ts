import type { SystemStatus } from '@tocsin/protocol'
import type { BadgeTone } from '../../ui/badge.tsx'
import { padTwoDigits } from '../../ui/format-time.ts'

export type Health = { tone: BadgeTone; words: string }

/**
 * Describes the state of the system: "System Active", or "Degraded" with the faults of feed and
 * anchoring. A feed that is switched off is not a fault.
 */
export function describeHealth(status: SystemStatus | undefined, isUnreachable: boolean): Health {
  if (isUnreachable) return { tone: 'critical', words: 'System unreachable' }
  if (!status) return { tone: 'neutral', words: 'Checking…' }
  const { feed, anchor } = status
  const faults = [
    ...(feed.state === 'failed' ? ['signal feed failed'] : []),
    ...(feed.state === 'reconnecting' ? ['signal feed reconnecting'] : []),
    ...(feed.state === 'stale' ? ['signal feed not responding'] : []),
    ...(anchor.state === 'delayed' ? ['anchoring delayed'] : []),
    ...(anchor.state === 'stopped' ? ['log stopped'] : []),
  ]
  if (faults.length === 0) return { tone: 'ok', words: 'System Active' }
  const isCritical = feed.state === 'failed' || anchor.state === 'stopped'
  return { tone: isCritical ? 'critical' : 'medium', words: `Degraded: ${faults.join(', ')}` }
}

/** Formats the uptime: "12 d 04:31:09". Leaves out the days in the first 24 hours. */
export function formatUptimeClock(startedAt: string, nowMs: number): string {
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(startedAt)) / 1000))
  const days = Math.floor(seconds / 86_400)
  const clock = [Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, seconds % 60]
  const time = clock.map(padTwoDigits).join(':')
  return days > 0 ? `${days} d ${time}` : time
}
