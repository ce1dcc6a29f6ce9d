import type { Priority } from '@tocsin/protocol'

type NewAlert = { priority: Priority; asset: string; anomalyType: string }

/**
 * Text for screen readers: "3 new alerts, 1 critical". Empty if all alerts are critical, because
 * critical alerts are announced individually.
 */
export function formatNewAlerts(newAlerts: readonly NewAlert[]): string {
  const criticalCount = newAlerts.filter(({ priority }) => priority === 'critical').length
  if (criticalCount === newAlerts.length) return ''
  const alerts = `${newAlerts.length} new ${newAlerts.length === 1 ? 'alert' : 'alerts'}`
  return criticalCount > 0 ? `${alerts}, ${criticalCount} critical` : alerts
}

export function formatCriticalAlert({ asset, anomalyType }: NewAlert): string {
  return `Critical alert: ${asset}${anomalyType === '' ? '' : `, ${anomalyType}`}`
}

const initialDelayMs = 1_000
const intervalMs = 10_000

/**
 * Announces alerts in batches: the first batch after one second, then at most one every ten
 * seconds.
 */
export class AnnouncementBatcher {
  #pending: NewAlert[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #nextAnnouncementAtMs = 0
  readonly #announce: (text: string) => void

  constructor(announce: (text: string) => void) {
    this.#announce = announce
  }

  add(alert: NewAlert): void {
    this.#pending.push(alert)
    this.#timer ??= setTimeout(() => this.#flush(), Math.max(initialDelayMs, this.#nextAnnouncementAtMs - Date.now()))
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#pending = []
  }

  #flush(): void {
    const text = formatNewAlerts(this.#pending)
    this.stop()
    this.#nextAnnouncementAtMs = Date.now() + intervalMs
    if (text !== '') this.#announce(text)
  }
}
