import { z } from 'zod'
import { alertContent } from './alerts.ts'
import { isoTime } from './primitives.ts'

/** Alerts that staff have prepared. They are signed and logged at the moment of issue. */

const content = {
  ...alertContent,
  anomalyType: alertContent.anomalyType.default(''),
  regime: alertContent.regime.default(''),
}
export const scheduleAlertRequest = z.strictObject({ ...content, issueAt: isoTime })

/**
 * `missed`: the server could not issue it within ten minutes of its time, and does not issue it any
 * more.
 */
export const scheduledStates = ['waiting', 'issued', 'cancelled', 'missed'] as const

export const scheduledAlert = z.object({
  id: z.uuid(),
  ...alertContent,
  issueAt: isoTime,
  state: z.enum(scheduledStates),
  createdAt: isoTime,
  /** Null if the account was deleted. */
  createdBy: z.string().nullable(),
  /** The alert that it became. */
  alertId: z.string().nullable(),
  /** Why the last attempt to issue it failed. */
  problem: z.string().nullable(),
})
export type ScheduledAlert = z.infer<typeof scheduledAlert>

export const listScheduledQuery = z.strictObject({
  cursor: z.uuid().optional(),
  limit: z.coerce.number().int().min(1).max(100).default(20),
})
export const scheduledPage = z.object({ items: z.array(scheduledAlert), nextCursor: z.string().nullable() })
