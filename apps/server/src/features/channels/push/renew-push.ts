import { createHash, timingSafeEqual } from 'node:crypto'
import type { PushSubscriptionKeys } from '@tocsin/protocol'
import type { Context } from '../../../context.ts'
import { Refusal } from '../../../refusal.ts'
import { UnreadableKey } from '../../../sealed-secret.ts'
import { lockActor } from '../../sessions/lock-actor.ts'
import { noCode } from '../confirm-code.ts'
import { type Owner, recordChange } from '../record-change.ts'
import { openSecrets, sealSecrets } from '../secrets.ts'
import * as store from '../store.ts'
import { parseSubscription, type StoredSubscription } from './subscription.ts'

/** @throws Refusal endpoint_refused */
export function checkSubscription(ctx: Context, given: PushSubscriptionKeys): StoredSubscription {
  try {
    return parseSubscription(given, ctx.config.channels.allowPrivate)
  } catch (error) {
    throw new Refusal('endpoint_refused', error instanceof Error ? error.message : 'The subscription is not valid')
  }
}

/**
 * Replaces the subscription of a browser that got a new one from its push service. No confirmation
 * is needed, because only that browser knows the former endpoint. A destination that was gone or
 * failing is on again. An endpoint at another host has to be confirmed, because it may belong to
 * another person.
 * @throws Refusal not_found, endpoint_refused
 */
export async function renewPush(
  ctx: Context,
  owner: Owner,
  { previousEndpoint, subscription }: { previousEndpoint: string; subscription: PushSubscriptionKeys },
): Promise<void> {
  const { accountId } = owner
  const secrets = checkSubscription(ctx, subscription)
  await ctx.db.transaction(async (tx) => {
    await lockActor(ctx, tx, owner)
    const found = (await store.listDestinations(tx, accountId)).find(
      (destination) => destination.kind === 'web-push' && isAt(ctx, destination, previousEndpoint),
    )
    const destination = found && (await store.lockDestination(tx, found.id))
    if (!destination) throw new Refusal('not_found', 'Destination not found')
    const { id, name, state } = destination
    const { host } = new URL(secrets.url)
    const isElsewhere = host !== destination.host
    const worksAgain = state === 'gone' || state === 'failing'
    await store.updateDestination(tx, id, {
      sealed: sealSecrets(ctx.config, id, secrets),
      host,
      ...(isElsewhere ? { state: 'unconfirmed' as const, ...noCode } : worksAgain ? { state: 'on' as const } : {}),
      failingSince: null,
      notBefore: null,
    })
    if (isElsewhere) await store.endWaiting(tx, id, 'The browser has subscribed at another push service')
    const at = ctx.clock.now()
    const recorded = { destinationId: id, what: 'subscribed again', detail: `${name} subscribed again`, at }
    await recordChange(tx, owner, recorded)
    await ctx.notifications.notify(tx, 'channels')
  })
}

function isAt(ctx: Context, { id, sealed }: store.Destination, endpoint: string): boolean {
  try {
    const { url } = openSecrets(ctx.config, { id, kind: 'web-push', sealed })
    const [one, other] = [url, new URL(endpoint).href].map((text) => createHash('sha256').update(text).digest())
    return one !== undefined && other !== undefined && timingSafeEqual(one, other)
  } catch (error) {
    if (error instanceof UnreadableKey || !URL.canParse(endpoint)) return false
    throw error
  }
}
