import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import { type ChannelTest, mostDestinations } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import type { Actor } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import { isSealedWith, UnreadableKey } from '../feed/api-key.ts'
import { lockAccount } from '../sessions/account-store.ts'
import { parseWebhookUrl } from './post.ts'
import { createSecrets, openSecrets, publicKeyOf, rotateSecret, sealSecrets, secretsPlace } from './secrets.ts'
import { send } from './send-delivery.ts'
import * as store from './store.ts'

/** Tests and confirmations of an account, so that nobody is flooded through this server. */
const MOST_TESTS_PER_HOUR = 10

/**
 * Adds an unconfirmed webhook. Nothing is sent to it yet.
 * @throws Refusal endpoint_refused, too_many_destinations
 */
export async function createDestination(ctx: Context, actor: Actor, { name, url }: { name: string; url: string }) {
  const { accountId } = actor
  const { host, href } = parseUrl(ctx, url)
  const id = randomUUID()
  const secrets = createSecrets(href)
  const at = ctx.clock.now()
  const created = await ctx.db.transaction(async (tx) => {
    await lockAccount(tx, accountId)
    if ((await store.countDestinations(tx, accountId)) >= mostDestinations) {
      throw new Refusal('too_many_destinations', `An account has at most ${mostDestinations} destinations.`)
    }
    const values = { id, accountId, kind: 'webhook' as const, name, host, state: 'unconfirmed' as const, createdAt: at }
    const sealed = sealSecrets(ctx.config, id, secrets)
    const row = await store.insertDestination(tx, { ...values, sealed, publicKey: publicKeyOf(secrets) })
    await recordActivity(tx, { accountId, kind: 'channel_changed', detail: `${name} added`, at })
    return row
  })
  return { destination: created, secret: secrets.secret }
}

function parseUrl(ctx: Context, url: string): URL {
  try {
    return parseWebhookUrl(url, ctx.config.feed.allowPrivate)
  } catch (error) {
    throw new Refusal('endpoint_refused', error instanceof Error ? error.message : 'The endpoint is not valid')
  }
}

/** @throws Refusal not_found */
export async function renameDestination(ctx: Context, actor: Actor, id: string, name: string): Promise<void> {
  await change(ctx, actor, id, async (tx, former) => {
    await store.updateDestination(tx, id, { name })
    return `${former.name} renamed to ${name}`
  })
}

/** @throws Refusal not_found, destination_not_on */
export async function pauseDestination(ctx: Context, actor: Actor, id: string, isPaused: boolean): Promise<void> {
  await change(ctx, actor, id, async (tx, { state, name }) => {
    const allowed = isPaused ? ['on', 'failing'] : ['paused']
    if (!allowed.includes(state)) throw new Refusal('destination_not_on', `The destination is ${state}.`)
    await store.updateDestination(tx, id, { state: isPaused ? 'paused' : 'on', failingSince: null, notBefore: null })
    return `${name} ${isPaused ? 'paused' : 'resumed'}`
  })
  await ctx.db.transaction((tx) => ctx.wake.notify(tx, 'channels'))
}

export async function deleteDestination(ctx: Context, actor: Actor, id: string): Promise<void> {
  await change(ctx, actor, id, async (tx, { name }) => {
    await store.deleteDestination(tx, id)
    return `${name} deleted`
  })
}

export async function rotateDestinationSecret(ctx: Context, actor: Actor, id: string) {
  const made = { secret: '', previousUntil: new Date(0) }
  await change(ctx, actor, id, async (tx, { sealed, name }) => {
    const secrets = rotateSecret(openSecrets(ctx.config, id, sealed), ctx.clock.now())
    await store.updateDestination(tx, id, { sealed: sealSecrets(ctx.config, id, secrets) })
    Object.assign(made, { secret: secrets.secret, previousUntil: new Date(secrets.previous.untilMs) })
    return `New secret for ${name}`
  })
  return made
}

/** @param run changes the destination and returns a sentence for the activity log */
async function change(
  ctx: Context,
  { accountId }: Actor,
  id: string,
  run: (tx: Tx, destination: store.Destination) => Promise<string>,
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await lockAccount(tx, accountId)
    const destination = isUuid(id) ? await store.lockDestination(tx, id) : undefined
    if (destination?.accountId !== accountId) throw unknownDestination()
    const detail = await run(tx, destination)
    await recordActivity(tx, { accountId, kind: 'channel_changed', detail, at: ctx.clock.now() })
  })
}

/**
 * Sends a challenge. The destination is on when the response repeats it.
 * @throws Refusal not_found, too_many_tests
 */
export async function confirmDestination(ctx: Context, actor: Actor, id: string): Promise<ChannelTest> {
  const destination = await admitTest(ctx, actor, id)
  const challenge = randomBytes(24).toString('base64url')
  const { answer, isAccepted } = await sendOnce(ctx, destination, 'channel.challenge', { challenge })
  const isDelivered = isAccepted && echoes(answer.response, challenge)
  if (!isDelivered) {
    const message = isAccepted
      ? 'The response does not contain the challenge.'
      : 'The webhook did not accept the challenge.'
    return { ...answer, isDelivered, message }
  }
  await change(ctx, actor, id, async (tx, { name, state }) => {
    if (state === 'unconfirmed' || state === 'gone') {
      await store.updateDestination(tx, id, { state: 'on', failingSince: null, notBefore: null })
    }
    return `${name} confirmed`
  })
  return { ...answer, isDelivered, message: 'The webhook is confirmed and gets new alerts from now on.' }
}

/** The challenge may be the whole body, or the field `challenge` of a JSON object. */
function echoes(response: string, challenge: string): boolean {
  const found = /[A-Za-z0-9_-]{32}/.exec(response)?.[0] ?? ''
  return found.length === challenge.length && timingSafeEqual(Buffer.from(found), Buffer.from(challenge))
}

/** @throws Refusal not_found, destination_not_on, too_many_tests */
export async function testDestination(ctx: Context, actor: Actor, id: string): Promise<ChannelTest> {
  const destination = await admitTest(ctx, actor, id, ['on', 'paused', 'failing'])
  const text = 'This is a test from Tocsin.'
  const { answer, isAccepted } = await sendOnce(ctx, destination, 'channel.test', { text })
  return { ...answer, isDelivered: isAccepted, message: isAccepted ? 'The test was delivered.' : 'The test failed.' }
}

/** Counts a test before it is sent. */
async function admitTest(ctx: Context, { accountId }: Actor, id: string, states?: string[]) {
  const at = ctx.clock.now()
  return ctx.db.transaction(async (tx) => {
    await lockAccount(tx, accountId)
    const destination = isUuid(id) ? await store.findDestination(tx, accountId, id) : undefined
    if (!destination) throw unknownDestination()
    if (states && !states.includes(destination.state)) {
      throw new Refusal('destination_not_on', `The destination is ${destination.state}: confirm it first.`)
    }
    if ((await store.countTestsSince(tx, accountId, new Date(at.getTime() - HOUR_MS))) >= MOST_TESTS_PER_HOUR) {
      const message = `An account can send ${MOST_TESTS_PER_HOUR} tests and confirmations an hour. Try again later.`
      throw new Refusal('too_many_tests', message)
    }
    await recordActivity(tx, { accountId, kind: 'channel_tested', detail: destination.name, at })
    return destination
  })
}

async function sendOnce(ctx: Context, destination: store.Destination, type: string, data: object) {
  const message = { type, timestamp: ctx.clock.now().toISOString(), data }
  const { retryAfterMs: _, ...answer } = await send(
    ctx,
    destination,
    `msg_${randomUUID()}`,
    message,
    new AbortController().signal,
  )
  const isAccepted = answer.status !== null && answer.status >= 200 && answer.status < 300
  return { answer, isAccepted }
}

/**
 * Makes deliveries due again.
 * @throws Refusal not_found, destination_not_on
 */
export async function redeliver(
  ctx: Context,
  actor: Actor,
  id: string,
  which: { index: number; andLater: boolean },
): Promise<number> {
  let count = 0
  await change(ctx, actor, id, async (tx, { state, name }) => {
    if (state !== 'on') throw new Refusal('destination_not_on', `The destination is ${state}.`)
    count = await store.restart(tx, id, which, ctx.clock.now())
    await ctx.wake.notify(tx, 'channels')
    return `${count} sent again to ${name}`
  })
  return count
}

/** @throws Refusal not_found */
export async function getDestination(ctx: Context, { accountId }: Actor, id: string): Promise<store.Destination> {
  const destination = isUuid(id) ? await store.findDestination(ctx.db, accountId, id) : undefined
  if (!destination) throw unknownDestination()
  return destination
}

/** For the account export: no secrets and no addresses. */
export async function exportDestinations({ db }: Context, accountId: string): Promise<Record<string, unknown>[]> {
  const rows = await store.listDestinations(db, accountId)
  return rows.map(({ kind, name, state, createdAt }) => ({ kind, name, state, createdAt }))
}

/** Encrypts again what was encrypted before APP_SECRET was changed. */
export async function resealDestinations(ctx: Context): Promise<void> {
  if (ctx.config.appSecretPrevious === null) return
  for (const { id, sealed } of await store.listSealed(ctx.db)) {
    if (isSealedWith(ctx.config.appSecret, secretsPlace(id), sealed)) continue
    try {
      const secrets = openSecrets(ctx.config, id, sealed)
      await store.updateDestination(ctx.db, id, { sealed: sealSecrets(ctx.config, id, secrets) })
    } catch (error) {
      if (!(error instanceof UnreadableKey)) throw error
      ctx.logger.warn({ destinationId: id }, 'the secrets of a destination can be decrypted with no APP_SECRET')
    }
  }
}

function unknownDestination(): Refusal {
  return new Refusal('not_found', 'You have no such destination')
}
