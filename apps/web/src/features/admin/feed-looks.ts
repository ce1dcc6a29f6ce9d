import type { SystemStatus } from '@tocsin/protocol'

export const dots = { ok: 'bg-ok', medium: 'bg-medium', critical: 'bg-critical', neutral: 'bg-text-3' }

/** What each state of the feed's connection is called, and what it means for the analysis system. */
export const feedLooks: Record<SystemStatus['feed']['state'], { dot: string; analysis: string; feed: string }> = {
  off: { dot: dots.neutral, analysis: 'No signal feed', feed: 'Off' },
  connecting: { dot: dots.medium, analysis: 'Waiting for the feed', feed: 'Connecting' },
  connected: { dot: dots.ok, analysis: 'Online', feed: 'Connected' },
  stale: { dot: dots.medium, analysis: 'Waiting for the feed', feed: 'Does not answer' },
  reconnecting: { dot: dots.medium, analysis: 'Waiting for the feed', feed: 'Reconnecting' },
  failed: { dot: dots.critical, analysis: 'Without signals', feed: 'Failed' },
}
