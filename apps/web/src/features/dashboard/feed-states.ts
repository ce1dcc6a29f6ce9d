import type { SystemStatus } from '@tocsin/protocol'

export type StatusTone = 'ok' | 'medium' | 'critical' | 'off'

export const toneClasses: Record<StatusTone, string> = {
  ok: 'bg-ok',
  medium: 'bg-medium',
  critical: 'bg-critical',
  off: 'bg-text-3',
}

export const feedStates: Record<SystemStatus['feed']['state'], { label: string; tone: StatusTone }> = {
  off: { label: 'Off', tone: 'off' },
  connecting: { label: 'Connecting', tone: 'medium' },
  connected: { label: 'Online', tone: 'ok' },
  stale: { label: 'Not responding', tone: 'medium' },
  reconnecting: { label: 'Reconnecting', tone: 'medium' },
  failed: { label: 'Failed', tone: 'critical' },
}
