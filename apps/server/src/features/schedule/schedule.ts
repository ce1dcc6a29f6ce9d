import type { ScheduledAlert } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'

/**
 * Maximum delay of a scheduled alert. After it, the alert is outdated and is not issued any more.
 */
export const MAX_LATE_MS = 10 * MINUTE_MS

interface Times {
  issueAt: Date
  cancelledAt: Date | null
  issuedAt: Date | null
}

export function scheduledStateAt({ issueAt, cancelledAt, issuedAt }: Times, now: Date): ScheduledAlert['state'] {
  if (issuedAt) return 'issued'
  if (cancelledAt) return 'cancelled'
  return now.getTime() - issueAt.getTime() > MAX_LATE_MS ? 'missed' : 'waiting'
}
