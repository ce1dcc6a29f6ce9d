import type { SystemStatus } from '@tocsin/protocol'
import { adminSystemTexts } from '../../texts/admin-system.tsx'
import type { BadgeTone } from '../../ui/badge.tsx'

const texts = adminSystemTexts.systemHealth

export type Health = { tone: BadgeTone; words: string }

/** Active only if everything that was measured works; else what does not. A feed that is switched off is no fault. */
export function healthOf(status: SystemStatus | undefined, isUnreachable: boolean): Health {
  if (isUnreachable) return { tone: 'critical', words: texts.systemUnreachable }
  if (!status) return { tone: 'neutral', words: texts.checking }
  const { feed, anchor } = status
  const faults = [
    ...(feed.state === 'failed' ? [texts.signalFeedFailed] : []),
    ...(feed.state === 'reconnecting' ? [texts.signalFeedReconnecting] : []),
    ...(feed.state === 'stale' ? [texts.signalFeedNotAnswering] : []),
    ...(anchor.state === 'delayed' ? [texts.anchoringDelayed] : []),
    ...(anchor.state === 'stopped' ? [texts.logStopped] : []),
  ]
  if (faults.length === 0) return { tone: 'ok', words: texts.systemActive }
  const isCritical = feed.state === 'failed' || anchor.state === 'stopped'
  return { tone: isCritical ? 'critical' : 'medium', words: texts.degradedFaults({ faults: faults.join(', ') }) }
}

/** "12 d 04:31:09", without the days before there is one. */
export function uptimeWords(startedAt: string, nowMs: number): string {
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(startedAt)) / 1000))
  const days = Math.floor(seconds / 86_400)
  const clock = [Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, seconds % 60]
  const time = clock.map((part) => String(part).padStart(2, '0')).join(':')
  return days > 0 ? `${days} d ${time}` : time
}
