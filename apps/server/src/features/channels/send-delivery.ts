import type { DestinationKind } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { channelFailingMail } from '../../mail/account-mails.ts'
import { loadDeliveries } from '../alerts/service.ts'
import { getAccount } from '../sessions/account-store.ts'
import { isFailing, isTooOld, judgeReading, pauseUntil, type Verdict } from './destination.ts'
import { muteReason, NO_PLAN } from './fill-ledger.ts'
import type { Answer, Reading } from './kinds/kind.ts'
import { writeAlert } from './kinds/message.ts'
import { findRecipients } from './recipients.ts'
import { scheduleOf, send } from './send.ts'
import * as store from './store.ts'

const PROBE_MS = HOUR_MS

/** Called when all destinations of a kind have to wait. */
export type OnPause = (kind: DestinationKind, until: Date) => void

/** Sends one delivery and records what came of it. */
export async function sendDelivery(
  ctx: Context,
  delivery: store.Delivery,
  onPause: OnPause,
  signal: AbortSignal,
): Promise<void> {
  const { id, destinationId, seq, logIndex, createdAt, rank, attempts, isRedelivery } = delivery
  const now = ctx.clock.now()
  const skip = (reason: string) => store.updateDelivery(ctx.db, id, { state: 'skipped', reason })
  if (attempts === 0 && !isRedelivery && isTooOld(createdAt, rank, now)) return skip('Too old to be sent as new')
  const [delivered] = await loadDeliveries(ctx, seq - 1, 1)
  const destination = await ctx.db.transaction((tx) => store.lockDestination(tx, destinationId))
  if (destination?.state !== 'on') return
  if (!delivered || delivered.seq !== seq) throw new Error(`Delivery ${seq} is missing`)
  const muted = isRedelivery ? null : muteReason(destination.mutedUntil, now)
  if (muted !== null) return skip(muted)
  const { alert, isOutcome } = delivered
  const { publicUrl } = ctx.config.http
  const outgoing = {
    id: `msg_${destinationId}_${logIndex}`,
    type: isOutcome ? 'alert.outcome' : 'alert.created',
    data: { logIndex, alert, link: `${publicUrl}/a/${alert.logIndex}` },
    message: { alert: writeAlert({ alert, logIndex, isOutcome, publicUrl }) },
  }
  // The last step before the request: the plan may have ended while the delivery waited.
  if (!(await findRecipients(ctx, [destination.accountId])).has(destination.accountId)) return skip(NO_PLAN)
  const { answer, reading } = await send(ctx, destination, outgoing, signal)
  // A request that was cut off by a shutdown is repeated with the same id.
  if (signal.aborted && answer.status === null) return
  ctx.failpoint('channel: after send')
  await recordAnswer(ctx, delivery, answer, reading)
  const until = pauseUntil(reading.retryAfterMs, now)
  if (!reading.pausesKind || until === null) return
  ctx.logger.error({ kind: destination.kind, until }, `no message can be sent: ${reading.reason}`)
  onPause(destination.kind, until)
}

async function recordAnswer(
  ctx: Context,
  { id, destinationId }: store.Delivery,
  answer: Answer,
  reading: Reading,
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const destination = await store.lockDestination(tx, destinationId)
    const delivery = await store.lockWaiting(tx, id)
    // Deleted while the request was in flight.
    if (!destination || !delivery) return
    const now = ctx.clock.now()
    const attempts = delivery.attempts + 1
    const { status, tookMs, response } = answer
    await store.insertAttempt(tx, { deliveryId: id, at: now, status, tookMs, response: response.slice(0, 500) })
    const verdict = judgeReading(reading, attempts, scheduleOf(destination.kind), now, Math.random())
    const { state, reason } = verdict
    await store.updateDelivery(tx, id, {
      state,
      reason,
      attempts,
      ...(state === 'waiting' ? { nextAt: verdict.nextAt } : {}),
      ...(state === 'delivered' ? { deliveredAt: now, tookMs } : {}),
    })
    await updateHealth(ctx, tx, destination, reading, verdict, now)
  })
}

async function updateHealth(
  ctx: Context,
  tx: Tx,
  destination: store.Destination,
  { retryAfterMs }: Reading,
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
  const notBefore = hasFailed ? new Date(now.getTime() + PROBE_MS) : pauseUntil(retryAfterMs, now)
  await store.updateDestination(tx, id, { failingSince, state, ...(notBefore ? { notBefore } : {}) })
  if (isGone) await store.endWaiting(tx, id, verdict.reason)
  if (!hasFailed) return
  const detail = isGone ? `${name} is gone. ${verdict.reason}` : `${name} has failed for 24 hours`
  await recordActivity(tx, { accountId, kind: 'channel_changed', detail, at: now })
  const { email } = await getAccount(tx, accountId)
  if (email) await ctx.sendMail(tx, channelFailingMail(email, now, ctx.config.http.publicUrl))
}

/** Asks a failing destination whether it works again. The first success resumes it. */
export async function probe(ctx: Context, destination: store.Destination, signal: AbortSignal): Promise<void> {
  const { id, accountId, name } = destination
  const at = ctx.clock.now()
  const text = 'This destination has failed for a day. If you read this, it works again, and alerts resume.'
  const outgoing = { id: `msg_${id}_probe_${at.getTime()}`, type: 'channel.probe', data: {}, message: { text } }
  const { reading } = await send(ctx, destination, outgoing, signal)
  await ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now()
    if ((await store.lockDestination(tx, id))?.state !== 'failing') return
    if (reading.result !== 'delivered') {
      return store.updateDestination(tx, id, { notBefore: new Date(now.getTime() + PROBE_MS) })
    }
    await store.updateDestination(tx, id, { state: 'on', failingSince: null, notBefore: null })
    await recordActivity(tx, { accountId, kind: 'channel_changed', detail: `${name} works again`, at: now })
  })
}
