import type { SystemStatus } from '@tocsin/protocol'

export type Light = 'ok' | 'medium' | 'critical' | 'off'

export const lightClasses: Record<Light, string> = {
  ok: 'bg-ok',
  medium: 'bg-medium',
  critical: 'bg-critical',
  off: 'bg-text-3',
}

export const feedStates: Record<SystemStatus['feed']['state'], { label: string; light: Light }> = {
  off: { label: 'Off', light: 'off' },
  connecting: { label: 'Connecting', light: 'medium' },
  connected: { label: 'Online', light: 'ok' },
  stale: { label: 'Not responding', light: 'medium' },
  reconnecting: { label: 'Reconnecting', light: 'medium' },
  failed: { label: 'Failed', light: 'critical' },
}
