import { z } from 'zod'
import { alertContent } from './alerts.ts'
import { isoTime, realTime } from './primitives.ts'
import { createPageSchema } from './shared-schemas.ts'

/** Alerts that staff have prepared. They are signed and logged at the moment of issue. */

const content = {
  ...alertContent,
  anomalyType: alertContent.anomalyType.default(''),
  regime: alertContent.regime.default(''),
}
export const scheduleAlertRequest = z.strictObject({ ...content, issueAt: realTime })

/**
 * `missed`: the server could not issue the alert within ten minutes of its time, and will not issue
 * it any more.
 */
export const scheduledStates = ['waiting', 'issued', 'cancelled', 'missed'] as const

export const scheduledAlert = z.object({
  id: z.uuid(),
  ...alertContent,
  issueAt: isoTime,
  state: z.enum(scheduledStates),
  createdAt: isoTime,
  /** Name of the account that scheduled or last changed it. Null if the account was deleted. */
  createdBy: z.string().nullable(),
  /** The id of the alert that was issued. */
  alertId: z.string().nullable(),
  /**
   * Why the last attempt to issue the alert failed, or why the server cancelled the alert.
   * Otherwise null.
   */
  problem: z.string().nullable(),
})
export type ScheduledAlert = z.infer<typeof scheduledAlert>

export const listScheduledQuery = z.strictObject({
  cursor: z.uuid().optional(),
  limit: z.coerce.number().int().min(1).max(100).default(20),
})
export const scheduledPage = createPageSchema(scheduledAlert)
