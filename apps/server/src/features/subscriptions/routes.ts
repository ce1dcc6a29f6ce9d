import { type endpoints, getPlan } from '@tocsin/protocol'
import { auditorOf } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import { type Actor, type Handler, signedIn } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import * as adjust from './adjust.ts'
import { presentSubscription } from './present.ts'
import { findActiveSubscription, type Payments, subscribe } from './service.ts'

/**
 * The wallets proved by a session. Contract wallets are checked again, because their answer may
 * have changed.
 */
export type ConfirmWallets = (ctx: Context, actor: Actor) => Promise<string[]>

/** Creates the handler that turns a reported payment into a subscription. */
export function createSubscribe(
  payments: Payments,
  confirmWallets: ConfirmWallets,
): Handler<typeof endpoints.subscribe> {
  return async (ctx, input) => {
    const actor = signedIn(input)
    const payers = await confirmWallets(ctx, actor)
    if (payers.length === 0) {
      throw new Refusal('wallet_not_proved', 'Sign in with the wallet that has paid, then try again.')
    }
    const subscription = await subscribe(ctx, payments, {
      accountId: actor.accountId,
      plan: getPlan(input.body.planType),
      txHash: toHash(input.body.transactionHash),
      payers,
    })
    return presentSubscription(subscription, ctx.clock.now())
  }
}

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

/** Hashes are stored in lower case, as nodes return them. */
function toHash(text: string): `0x${string}` {
  return `0x${text.slice(2).toLowerCase()}`
}
