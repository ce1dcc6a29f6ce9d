import type { SystemStatus } from '@tocsin/protocol'

export const dotClasses = { ok: 'bg-ok', medium: 'bg-medium', critical: 'bg-critical', neutral: 'bg-text-3' }

/**
 * Colour and labels for each state of the feed connection: `feed` names the state of the feed,
 * `analysis` that of the analysis system.
 */
export const feedStyles: Record<SystemStatus['feed']['state'], { dot: string; analysis: string; feed: string }> = {
  off: { dot: dotClasses.neutral, analysis: 'No signal feed', feed: 'Off' },
  connecting: { dot: dotClasses.medium, analysis: 'Waiting for the feed', feed: 'Connecting' },
  connected: { dot: dotClasses.ok, analysis: 'Online', feed: 'Connected' },
  stale: { dot: dotClasses.medium, analysis: 'Waiting for the feed', feed: 'Not responding' },
  reconnecting: { dot: dotClasses.medium, analysis: 'Waiting for the feed', feed: 'Reconnecting' },
  failed: { dot: dotClasses.critical, analysis: 'No signals', feed: 'Failed' },
}
