import type { endpoints } from '@tocsin/protocol'
import { type Handler, requireActor } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import { presentSubscription } from './present.ts'
import { findActiveSubscription } from './service.ts'

export const activeSubscription: Handler<typeof endpoints.activeSubscription> = async (ctx, input) => {
  const actor = requireActor(input)
  const { userId } = input.params
  // The response has the amount and the transaction of the payment. Callers who may not read the
  // payments of others get the same response for existing and unknown ids, so that it does not
  // reveal which accounts exist.
  if (userId !== actor.accountId && !actor.permissions.includes('payments.read'))
    throw new Refusal('not_found', 'User not found.')
  if (!isUuid(userId)) throw new Refusal('not_found', 'User not found.')
  const subscription = await findActiveSubscription(ctx, userId)
  return subscription && presentSubscription(subscription, ctx.clock.now())
}
