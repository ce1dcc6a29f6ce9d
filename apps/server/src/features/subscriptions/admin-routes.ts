import type { endpoints } from '@tocsin/protocol'
import { getAuditActor } from '../../audit-log.ts'
import type { Handler } from '../../http/route.ts'
import * as adjust from './adjust.ts'

export const extendSubscription: Handler<typeof endpoints.extendSubscription> = async (ctx, input) => {
  const { additionalHours, reason } = input.body
  const adjustment = { by: getAuditActor(input), accountId: input.params.id, reason }
  await adjust.extendSubscription(ctx, adjustment, additionalHours)
  return { success: true, message: `Subscription extended by ${adjust.formatHours(additionalHours)}.` }
}

export const cancelSubscription: Handler<typeof endpoints.cancelSubscription> = async (ctx, input) => {
  const adjustment = { by: getAuditActor(input), accountId: input.params.id, reason: input.body?.reason }
  await adjust.cancelSubscription(ctx, adjustment)
  return { success: true, message: 'Subscription cancelled.' }
}
