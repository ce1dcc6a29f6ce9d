import { randomUUID } from 'node:crypto'
import { type DestinationKind, maxDestinations, type OptionalEvent, type RequestBody } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import type { Actor } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { isSealedWith, UnreadableSecretError } from '../../sealed-secret.ts'
import { isUuid } from '../../uuid.ts'
import { lockActor } from '../sessions/lock-actor.ts'
import { httpKinds } from './http-message.ts'
import { parseWebhookUrl } from './post.ts'
import { checkSubscription } from './push/renew-push.ts'
import { type Owner, recordChange } from './record-change.ts'
import {
  createSecrets,
  derivePublicKey,
  formatSecretsAad,
  openSealed,
  openSecrets,
  rotateSecret,
  sealSecrets,
  UNREADABLE_SECRETS,
  type WebhookSecrets,
} from './secrets.ts'
import * as store from './store.ts'

type NewDestination = RequestBody<'createDestination'>

/**
 * Adds an unconfirmed destination. Nothing is sent to it yet.
 * @throws Refusal endpoint_refused, kind_not_offered, too_many_destinations
 */
export async function createDestination(ctx: Context, owner: Owner, destinationFields: NewDestination) {
  const { accountId } = owner
  const { kind = 'webhook', name } = destinationFields
  const id = randomUUID()
  const { host, secrets, secret, publicKey } = createStoredValues(ctx, kind, destinationFields)
  const at = ctx.clock.now()
  const createdDestination = await ctx.db.transaction(async (tx) => {
    await lockActor(ctx, tx, owner)
    if ((await store.countDestinations(tx, accountId)) >= maxDestinations) {
      throw new Refusal('too_many_destinations', `An account has at most ${maxDestinations} destinations.`)
    }
    const values = { id, accountId, kind, name, host, publicKey, state: 'unconfirmed' as const, createdAt: at }
    const row = await store.insertDestination(tx, { ...values, sealed: sealSecrets(ctx.config, id, secrets) })
    const recordedChange = { destinationId: id, what: `${kind} added`, detail: `${name} added`, at }
    await recordChange(tx, owner, { action: 'channel_added', ...recordedChange })
    await ctx.notifications.notify(tx, 'channels')
    return row
  })
  return { destination: createdDestination, secret }
}

/** Returns the values that are stored about a new destination, by its kind. */
function createStoredValues(
  ctx: Context,
  kind: DestinationKind,
  { url, token, subscription, address }: Pick<NewDestination, 'url' | 'token' | 'subscription' | 'address'>,
): { host: string; secrets: object; secret: string | null; publicKey: string | null } {
  if (kind === 'web-push') {
    if (!subscription) throw new Refusal('endpoint_refused', 'Expected the subscription of a browser')
    const secrets = checkSubscription(ctx, subscription)
    return { host: new URL(secrets.url).host, secrets, secret: null, publicKey: null }
  }
  if (kind === 'telegram') {
    if (ctx.config.telegram === null) throw new Refusal('kind_not_offered', 'This site has no Telegram bot.')
    return { host: 'Telegram', secrets: { chatId: null, threadId: null }, secret: null, publicKey: null }
  }
  if (kind === 'email') {
    if (address === undefined) throw new Refusal('endpoint_refused', 'Please enter an email address.')
    return { host: address, secrets: { address }, secret: null, publicKey: null }
  }
  const { host, href, hostname } = parseUrl(ctx, kind, url ?? '')
  if (kind !== 'webhook') {
    return {
      host: kind === 'ntfy' ? host : hostname,
      secrets: { url: href, token: token ?? null },
      secret: null,
      publicKey: null,
    }
  }
  const secrets = createSecrets(href)
  return { host, secrets, secret: secrets.secret, publicKey: derivePublicKey(secrets) }
}

function parseUrl(ctx: Context, kind: Exclude<DestinationKind, 'telegram' | 'web-push' | 'email'>, text: string): URL {
  try {
    const { allowPrivate } = ctx.config.channels
    const url = parseWebhookUrl(text, allowPrivate)
    // If private addresses are allowed, a Discord or Slack URL may point to a replacement server of
    // the operator, so it is not checked.
    if (kind !== 'webhook' && (kind === 'ntfy' || !allowPrivate)) httpKinds[kind].checkAddress(url)
    return url
  } catch (error) {
    throw new Refusal('endpoint_refused', error instanceof Error ? error.message : 'The endpoint is not valid')
  }
}

/** @throws Refusal not_found */
export async function renameDestination(ctx: Context, target: Target, name: string): Promise<void> {
  await applyChange(ctx, target, 'renamed', async (tx, { id, name: formerName }) => {
    await store.updateDestination(tx, id, { name })
    return `${formerName} renamed to ${name}`
  })
}

/** @throws Refusal not_found, destination_not_on */
export async function pauseDestination(ctx: Context, target: Target, isPaused: boolean): Promise<void> {
  await applyChange(ctx, target, isPaused ? 'paused' : 'resumed', async (tx, { id, state, name }) => {
    const allowedStates = isPaused ? ['on', 'failing'] : ['paused']
    if (!allowedStates.includes(state)) throw new Refusal('destination_not_on', `The destination is ${state}.`)
    await store.updateDestination(tx, id, { state: isPaused ? 'paused' : 'on', failingSince: null, notBefore: null })
    await ctx.notifications.notify(tx, 'channels')
    return `${name} ${isPaused ? 'paused' : 'resumed'}`
  })
}

export async function deleteDestination(ctx: Context, owner: Owner, id: string): Promise<void> {
  await changeDestination(ctx, owner, id, 'deleted', async (tx, { name }) => {
    await store.deleteDestination(tx, id)
    return `${name} deleted`
  })
}

/**
 * Deletes destinations of the account. Ignores ids that belong to other accounts. Callers must hold
 * the lock on the account.
 */
export async function removeDestinations(
  tx: Tx,
  owner: Omit<Owner, 'sessionId'>,
  ids: readonly string[],
  at: Date,
): Promise<void> {
  const removedIds = new Set(ids.map((id) => id.toLowerCase()))
  for (const { id, name } of await store.lockAccountDestinations(tx, owner.accountId)) {
    if (!removedIds.has(id)) continue
    await store.deleteDestination(tx, id)
    const detail = `${name} deleted`
    await recordChange(tx, owner, { action: 'channel_deleted', destinationId: id, what: 'deleted', detail, at })
  }
}

const eventTexts: Record<OptionalEvent, string> = { anchored: 'anchors', outcome: 'outcomes' }

/** @throws Refusal not_found, kind_not_offered */
export async function chooseEvents(ctx: Context, target: Target, events: OptionalEvent[]): Promise<void> {
  await applyChange(ctx, target, 'events chosen', async (tx, { id, kind, name }) => {
    if (kind !== 'webhook' && events.includes('anchored')) {
      throw new Refusal('kind_not_offered', 'Only webhooks get a message when an alert is anchored.')
    }
    await store.updateDestination(tx, id, { events })
    if (events.length === 0) return `${name} gets only alerts`
    return `${name} also gets messages about ${events.map((event) => eventTexts[event]).join(' and ')}`
  })
}

/** @throws Refusal not_found, kind_not_offered, destination_not_on */
export async function rotateDestinationSecret(ctx: Context, owner: Owner, id: string) {
  const newSecret = { secret: '', previousUntil: new Date(0) }
  await changeDestination(ctx, owner, id, 'secret rotated', async (tx, { kind, sealed, name }) => {
    if (kind !== 'webhook') throw new Refusal('kind_not_offered', 'Only webhooks have a secret.')
    const secrets = rotateSecret(openWebhookSecrets(ctx, id, sealed), ctx.clock.now())
    await store.updateDestination(tx, id, { sealed: sealSecrets(ctx.config, id, secrets) })
    Object.assign(newSecret, { secret: secrets.secret, previousUntil: new Date(secrets.previous.untilMs) })
    return `Secret of ${name} rotated`
  })
  return newSecret
}

/** @throws Refusal destination_not_on */
function openWebhookSecrets({ config }: Context, id: string, sealed: string): WebhookSecrets {
  try {
    return openSecrets(config, { id, kind: 'webhook', sealed })
  } catch (error) {
    if (!(error instanceof UnreadableSecretError)) throw error
    throw new Refusal('destination_not_on', `${UNREADABLE_SECRETS}.`)
  }
}

/** Changes a destination and returns a sentence for the history of the account. */
type Change = (tx: Tx, destination: store.Destination) => Promise<string>

/** Makes one change of a destination. `what` describes it for the audit log. */
export async function changeDestination(
  ctx: Context,
  owner: Owner,
  id: string,
  what: string,
  change: Change,
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await lockActor(ctx, tx, owner)
    await applyChange(ctx, { tx, owner, id }, what, change)
  })
}

/** A destination that a transaction changes. The transaction must hold the lock on the account. */
export interface Target {
  tx: Tx
  owner: Owner
  id: string
}

/** Like `changeDestination`, as a part of a transaction. */
export async function applyChange(
  ctx: Context,
  { tx, owner, id }: Target,
  what: string,
  change: Change,
): Promise<void> {
  const destination = isUuid(id) ? await store.lockDestination(tx, id) : undefined
  if (destination?.accountId !== owner.accountId) throw createUnknownRefusal()
  const detail = await change(tx, destination)
  const action = what === 'deleted' ? 'channel_deleted' : 'channel_changed'
  await recordChange(tx, owner, { action, destinationId: id, what, detail, at: ctx.clock.now() })
}

/**
 * Makes deliveries due again.
 * @throws Refusal not_found, destination_not_on
 */
export async function redeliver(
  ctx: Context,
  owner: Owner,
  id: string,
  selection: store.RedeliverySelection,
): Promise<number> {
  let count = 0
  await changeDestination(ctx, owner, id, 'sent again', async (tx, { state, name }) => {
    if (state !== 'on') throw new Refusal('destination_not_on', `The destination is ${state}.`)
    count = await store.requeueDeliveries(tx, id, selection, ctx.clock.now())
    await ctx.notifications.notify(tx, 'channels')
    return `${count} sent again to ${name}`
  })
  return count
}

/** @throws Refusal not_found */
export async function getDestination(ctx: Context, { accountId }: Actor, id: string): Promise<store.Destination> {
  const destination = isUuid(id) ? await store.findDestination(ctx.db, accountId, id) : undefined
  if (!destination) throw createUnknownRefusal()
  return destination
}

/** Returns the destinations for the account export, without secrets and addresses. */
export async function exportDestinations({ db }: Context, accountId: string): Promise<Record<string, unknown>[]> {
  const rows = await store.listDestinations(db, accountId)
  return rows.map(({ kind, name, state, createdAt }) => ({ kind, name, state, createdAt }))
}

/** Re-encrypts the stored secrets of all destinations after APP_SECRET was changed. */
export async function resealDestinations(ctx: Context): Promise<void> {
  if (ctx.config.appSecretPrevious === null) return
  for (const { id, sealed } of await store.listSealed(ctx.db)) {
    if (isSealedWith(ctx.config.appSecret, formatSecretsAad(id), sealed)) continue
    try {
      const secrets = openSealed(ctx.config, id, sealed)
      await store.replaceSealed(ctx.db, id, sealed, sealSecrets(ctx.config, id, secrets))
    } catch (error) {
      if (!(error instanceof UnreadableSecretError)) throw error
      ctx.logger.warn(
        { destinationId: id },
        'the secrets of a destination can be decrypted neither with APP_SECRET nor with APP_SECRET_PREVIOUS',
      )
    }
  }
}

export function createUnknownRefusal(): Refusal {
  return new Refusal('not_found', 'Destination not found')
}
