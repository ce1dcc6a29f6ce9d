import type { endpoints } from '@tocsin/protocol'
import { auditorOf } from '../../audit-log.ts'
import { type Handler, signedIn } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import * as adjust from './adjust.ts'
import { presentSubscription } from './present.ts'
import { findActiveSubscription } from './service.ts'

export const activeSubscription: Handler<typeof endpoints.activeSubscription> = async (ctx, input) => {
  const actor = signedIn(input)
  const { userId } = input.params
  // The same answer for other users and unknown ones, so that it does not reveal which accounts
  // exist.
  if (userId !== actor.accountId && !actor.isAdmin) throw new Refusal('not_found', 'There is no such user.')
  if (!isUuid(userId)) throw new Refusal('not_found', 'There is no such user.')
  const subscription = await findActiveSubscription(ctx, userId)
  return subscription && presentSubscription(subscription, ctx.clock.now())
}

export const extendSubscription: Handler<typeof endpoints.extendSubscription> = async (ctx, input) => {
  const { additionalHours, reason } = input.body
  const adjustment = { by: auditorOf(input), accountId: input.params.id, reason }
  await adjust.extendSubscription(ctx, adjustment, additionalHours)
  return { success: true, message: `Subscription extended by ${adjust.hoursInWords(additionalHours)}.` }
}

export const cancelSubscription: Handler<typeof endpoints.cancelSubscription> = async (ctx, input) => {
  const adjustment = { by: auditorOf(input), accountId: input.params.id, reason: input.body?.reason }
  await adjust.cancelSubscription(ctx, adjustment)
  return { success: true, message: 'Subscription cancelled.' }
}
