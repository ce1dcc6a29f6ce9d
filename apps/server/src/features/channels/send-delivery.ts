import { HOUR_MS } from '@tocsin/protocol/durations'
import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { channelFailingMail } from '../../mail/account-mails.ts'
import { loadDeliveries } from '../alerts/service.ts'
import { UnreadableKey } from '../feed/api-key.ts'
import { getAccount } from '../sessions/account-store.ts'
import { type Answer, isFailing, isTooOld, judgeAnswer, pauseUntil, type Verdict } from './destination.ts'
import { NO_PLAN } from './fill-ledger.ts'
import { post } from './post.ts'
import { findRecipients } from './recipients.ts'
import { openSecrets, type Secrets } from './secrets.ts'
import { signMessage } from './sign-message.ts'
import * as store from './store.ts'

const PROBE_MS = HOUR_MS

/** Sends one delivery and records what came of it. */
export async function sendDelivery(ctx: Context, delivery: store.Delivery, signal: AbortSignal): Promise<void> {
  const { id, destinationId, seq, logIndex, createdAt, rank, attempts, isRedelivery } = delivery
  const now = ctx.clock.now()
  if (attempts === 0 && !isRedelivery && isTooOld(createdAt, rank, now)) {
    return store.updateDelivery(ctx.db, id, { state: 'skipped', reason: 'Too old to be sent as new' })
  }
  const [delivered] = await loadDeliveries(ctx, seq - 1, 1)
  const destination = await ctx.db.transaction((tx) => store.lockDestination(tx, destinationId))
  if (destination?.state !== 'on') return
  if (!delivered || delivered.seq !== seq) throw new Error(`Delivery ${seq} is missing`)
  const message = {
    type: delivered.isOutcome ? 'alert.outcome' : 'alert.created',
    timestamp: now.toISOString(),
    data: { logIndex, alert: delivered.alert, link: `${ctx.config.http.publicUrl}/a/${delivered.alert.logIndex}` },
  }
  // The last step before the request: the plan may have ended while the delivery waited.
  if (!(await findRecipients(ctx, [destination.accountId])).has(destination.accountId)) {
    return store.updateDelivery(ctx.db, id, { state: 'skipped', reason: NO_PLAN })
  }
  const answer = await send(ctx, destination, `msg_${destinationId}_${logIndex}`, message, signal)
  // A request that was cut off by a shutdown is repeated with the same id.
  if (signal.aborted && answer.status === null) return
  ctx.failpoint('channel: after send')
  await recordAnswer(ctx, delivery, answer)
}

/** Sends a message to a destination. Nothing is recorded. */
export async function send(
  ctx: Context,
  { id, sealed }: Pick<store.Destination, 'id' | 'sealed'>,
  messageId: string,
  message: object,
  signal: AbortSignal,
): Promise<Answer> {
  let secrets: Secrets
  try {
    secrets = openSecrets(ctx.config, id, sealed)
  } catch (error) {
    if (!(error instanceof UnreadableKey)) throw error
    return {
      status: null,
      response: 'The stored secrets can’t be read. Add the webhook again',
      tookMs: 0,
      retryAfterMs: null,
    }
  }
  const { url, ...keys } = secrets
  const body = JSON.stringify(message)
  const headers = signMessage(keys, messageId, ctx.clock.now(), body)
  return post({ url, headers, body, allowPrivate: ctx.config.feed.allowPrivate, signal })
}

async function recordAnswer(ctx: Context, { id, destinationId }: store.Delivery, answer: Answer): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const destination = await store.lockDestination(tx, destinationId)
    const delivery = await store.lockWaiting(tx, id)
    // Deleted while the request was in flight.
    if (!destination || !delivery) return
    const now = ctx.clock.now()
    const attempts = delivery.attempts + 1
    const { status, tookMs, response } = answer
    await store.insertAttempt(tx, { deliveryId: id, at: now, status, tookMs, response })
    const verdict = judgeAnswer(answer, attempts, now, Math.random())
    const { state, reason } = verdict
    await store.updateDelivery(tx, id, {
      state,
      reason,
      attempts,
      ...(state === 'waiting' ? { nextAt: verdict.nextAt } : {}),
      ...(state === 'delivered' ? { deliveredAt: now, tookMs } : {}),
    })
    await updateHealth(ctx, tx, destination, answer, verdict, now)
  })
}

async function updateHealth(
  ctx: Context,
  tx: Tx,
  destination: store.Destination,
  answer: Answer,
  verdict: Verdict,
  now: Date,
): Promise<void> {
  const { id, accountId, name } = destination
  if (verdict.state === 'delivered') {
    if (destination.failingSince) await store.updateDestination(tx, id, { failingSince: null, notBefore: null })
    return
  }
  const failingSince = destination.failingSince ?? now
  const isGone = verdict.state === 'dead' && verdict.isGone
  const hasFailed = isGone || isFailing(failingSince, now)
  const state = isGone ? 'gone' : hasFailed ? 'failing' : destination.state
  const notBefore = hasFailed ? new Date(now.getTime() + PROBE_MS) : pauseUntil(answer, now)
  await store.updateDestination(tx, id, { failingSince, state, ...(notBefore ? { notBefore } : {}) })
  if (isGone) await store.endWaiting(tx, id, verdict.reason)
  if (!hasFailed) return
  const detail = isGone ? `${name} is gone: it answered 410` : `${name} has failed for 24 hours`
  await recordActivity(tx, { accountId, kind: 'channel_changed', detail, at: now })
  const { email } = await getAccount(tx, accountId)
  if (email) await ctx.sendMail(tx, channelFailingMail(email, now, ctx.config.http.publicUrl))
}

/** Asks a failing destination whether it works again. The first success resumes it. */
export async function probe(ctx: Context, destination: store.Destination, signal: AbortSignal): Promise<void> {
  const { id, accountId, name } = destination
  const at = ctx.clock.now()
  const message = { type: 'channel.probe', timestamp: at.toISOString(), data: {} }
  const { status } = await send(ctx, destination, `msg_${id}_probe_${at.getTime()}`, message, signal)
  await ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now()
    if ((await store.lockDestination(tx, id))?.state !== 'failing') return
    if (status === null || status < 200 || status > 299) {
      return store.updateDestination(tx, id, { notBefore: new Date(now.getTime() + PROBE_MS) })
    }
    await store.updateDestination(tx, id, { state: 'on', failingSince: null, notBefore: null })
    await recordActivity(tx, { accountId, kind: 'channel_changed', detail: `${name} works again`, at: now })
  })
}
