import type { PushSubscriptionKeys } from '@tocsin/protocol'
import type { Context } from '../../../context.ts'
import { isEqualSecret } from '../../../is-equal-secret.ts'
import { Refusal } from '../../../refusal.ts'
import { UnreadableSecretError } from '../../../sealed-secret.ts'
import { lockActor } from '../../sessions/lock-actor.ts'
import { clearedCodeColumns } from '../confirm-code.ts'
import { type Owner, recordChange } from '../record-change.ts'
import { openSecrets, sealSecrets } from '../secrets.ts'
import * as store from '../store.ts'
import { parseSubscription, type StoredSubscription } from './subscription.ts'

/** @throws Refusal endpoint_refused */
export function checkSubscription(ctx: Context, subscriptionKeys: PushSubscriptionKeys): StoredSubscription {
  try {
    return parseSubscription(subscriptionKeys, ctx.config.channels.allowPrivate)
  } catch (error) {
    throw new Refusal('endpoint_refused', error instanceof Error ? error.message : 'The subscription is not valid')
  }
}

/**
 * Replaces the subscription of a browser that got a new one from its push service. No confirmation
 * is needed, because only that browser knows the former endpoint. Turns on a destination that was
 * gone or failing. However, an endpoint at another host has to be confirmed, because it may belong
 * to another person.
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
    const foundDestination = (await store.listDestinations(tx, accountId)).find(
      (destination) => destination.kind === 'web-push' && hasEndpoint(ctx, destination, previousEndpoint),
    )
    const destination = foundDestination && (await store.lockDestination(tx, foundDestination.id))
    if (!destination) throw new Refusal('not_found', 'Destination not found')
    const { id, name, state } = destination
    const { host } = new URL(secrets.url)
    const isAtOtherHost = host !== destination.host
    const wasFailing = state === 'gone' || state === 'failing'
    await store.updateDestination(tx, id, {
      sealed: sealSecrets(ctx.config, id, secrets),
      host,
      ...(isAtOtherHost
        ? { state: 'unconfirmed' as const, ...clearedCodeColumns }
        : wasFailing
          ? { state: 'on' as const }
          : {}),
      failingSince: null,
      notBefore: null,
    })
    if (isAtOtherHost) await store.endQueuedDeliveries(tx, id, 'The browser has subscribed at another push service')
    const at = ctx.clock.now()
    const recordedChange = { destinationId: id, what: 'subscribed again', detail: `${name} subscribed again`, at }
    await recordChange(tx, owner, recordedChange)
    await ctx.notifications.notify(tx, 'channels')
  })
}

function hasEndpoint(ctx: Context, { id, sealed }: store.Destination, endpoint: string): boolean {
  try {
    const { url } = openSecrets(ctx.config, { id, kind: 'web-push', sealed })
    return isEqualSecret(new URL(endpoint).href, url)
  } catch (error) {
    if (error instanceof UnreadableSecretError || !URL.canParse(endpoint)) return false
    throw error
  }
}
