import type { SystemStatus } from '@tocsin/protocol'
import { adminSystemTexts } from '../../texts/admin-system.tsx'

const texts = adminSystemTexts.feedLooks

export const dots = { ok: 'bg-ok', medium: 'bg-medium', critical: 'bg-critical', neutral: 'bg-text-3' }

/** What each state of the feed's connection is called, and what it means for the analysis system. */
export const feedLooks: Record<SystemStatus['feed']['state'], { dot: string; analysis: string; feed: string }> = {
  off: { dot: dots.neutral, analysis: texts.noSignalFeed, feed: texts.off },
  connecting: { dot: dots.medium, analysis: texts.waitingForTheFeed, feed: texts.connecting },
  connected: { dot: dots.ok, analysis: texts.online, feed: texts.connected },
  stale: { dot: dots.medium, analysis: texts.waitingForTheFeed, feed: texts.doesNotAnswer },
  reconnecting: { dot: dots.medium, analysis: texts.waitingForTheFeed, feed: texts.reconnecting },
  failed: { dot: dots.critical, analysis: texts.withoutSignals, feed: texts.failed },
}
