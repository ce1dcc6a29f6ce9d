import { HOUR_MS } from '@tocsin/protocol/durations'
import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { channelFailingMail } from '../../mail/account-mails.ts'
import { channelAttemptsTotal } from '../../metrics.ts'
import { storableText } from '../../storable-text.ts'
import { getAccount } from '../sessions/account-store.ts'
import { computePauseEnd, decideRetry, isFailing, type RetryDecision } from './destination.ts'
import { recordFormerDigest, updateDigest } from './held-store.ts'
import type { Answer, Classification } from './kinds/kind.ts'
import { addNotice } from './notices.ts'
import { getSchedule } from './send.ts'
import * as store from './store.ts'

export const PROBE_MS = HOUR_MS

export interface DeliveryResult {
  /** The delivery as it was read before the request. */
  delivery: Pick<store.ChannelDeliveryRow, 'id' | 'destinationId' | 'digestId' | 'mayHaveArrived'>
  /** Ids of the rows whose alerts the request contained: one row, or all rows of a digest. */
  rowIds: number[]
  answer: Answer
  classification: Classification
}

/** Records the results of several deliveries in few queries. */
export async function recordResults(ctx: Context, deliveryResults: readonly DeliveryResult[]): Promise<void> {
  const at = ctx.clock.now()
  const isDelivered = ({ delivery, classification }: DeliveryResult) =>
    classification.result === 'delivered' && delivery.digestId === null
  const kinds = await store.recordDelivered(ctx.db, deliveryResults.filter(isDelivered).map(toDelivered), at)
  for (const kind of kinds.values()) channelAttemptsTotal.inc({ kind, state: 'delivered' })
  const otherResults = deliveryResults.filter(({ delivery }) => !kinds.has(delivery.id))
  if (otherResults.length > 0) await recordOtherResults(ctx, otherResults)
}

const toDelivered = ({ delivery, answer, classification: { reason } }: DeliveryResult) => ({
  id: delivery.id,
  status: answer.status,
  tookMs: answer.tookMs,
  response: storableText(answer.response),
  reason: storableText(reason),
})

/**
 * Records results that change the health of destinations or belong to digests: failures, digests,
 * and successes of destinations that have failed.
 */
async function recordOtherResults(ctx: Context, deliveryResults: readonly DeliveryResult[]): Promise<void> {
  const outcomes: { kind: string; state: string }[] = []
  await ctx.db.transaction(async (tx) => {
    const lockedDestinations = await store.lockDestinations(
      tx,
      deliveryResults.map(({ delivery }) => delivery.destinationId),
    )
    const waitingDeliveries = await store.lockWaiting(
      tx,
      deliveryResults.map(({ delivery }) => delivery.id),
    )
    const now = ctx.clock.now()
    const attempts: store.NewAttempt[] = []
    const results: store.Result[] = []
    const goneReasons = new Map<string, string>()
    for (const { delivery: sentDelivery, rowIds, answer, classification } of deliveryResults) {
      const destination = lockedDestinations.get(sentDelivery.destinationId)
      const delivery = waitingDeliveries.get(sentDelivery.id)
      // While the request was in flight, the destination was deleted, or the delivery was deleted
      // or is no longer waiting.
      if (!destination || !delivery) continue
      const attemptCount = delivery.attempts + 1
      const { status, tookMs, response } = answer
      attempts.push({ deliveryId: sentDelivery.id, at: now, status, tookMs, response: storableText(response) })
      const verdict = decideRetry(classification, attemptCount, getSchedule(destination.kind), now, Math.random())
      const { state } = verdict
      outcomes.push({ kind: destination.kind, state })
      const isDigest = state !== 'waiting' && sentDelivery.digestId !== null
      const reason = isDigest ? `In a digest. ${verdict.reason}` : verdict.reason
      // True if the owner has requested a redelivery of the row during the request. The row then no
      // longer carries the digest and stays due.
      const isReleased = delivery.digestId !== sentDelivery.digestId
      if (isReleased && state === 'delivered') {
        const change = { state, reason: storableText(reason), deliveredAt: now }
        await recordFormerDigest(tx, sentDelivery.digestId, rowIds, change)
      } else if (isDigest && !isReleased) {
        const deliveredAt = state === 'delivered' ? now : null
        await updateDigest(tx, delivery.id, { state, reason: storableText(reason), deliveredAt })
      }
      const nextAt = state === 'waiting' ? verdict.nextAt : delivery.nextAt
      const arrival = state === 'delivered' ? { deliveredAt: now, tookMs } : delivery
      const result = {
        id: sentDelivery.id,
        state,
        reason: storableText(reason),
        attempts: attemptCount,
        nextAt,
        deliveredAt: arrival.deliveredAt,
        tookMs: arrival.tookMs,
        // A response says nothing about an earlier attempt that may have arrived.
        mayHaveArrived: sentDelivery.mayHaveArrived || status === null,
      }
      if (!isReleased) results.push(result)
      // A later result in the batch may belong to the same destination, and must then see its new
      // state.
      const health = await updateHealth(ctx, tx, destination, classification, verdict, now)
      lockedDestinations.set(sentDelivery.destinationId, { ...destination, ...health })
      if (health.state === 'gone') goneReasons.set(sentDelivery.destinationId, storableText(verdict.reason))
    }
    await store.insertAttempts(tx, attempts)
    await store.updateResults(tx, results)
    // Runs after the results are written, so that no delivery stays queued for a destination that
    // is gone.
    for (const [id, reason] of goneReasons) await store.endQueuedDeliveries(tx, id, reason)
  })
  for (const outcome of outcomes) channelAttemptsTotal.inc(outcome)
}

/** @returns the columns that have changed */
async function updateHealth(
  ctx: Context,
  tx: Tx,
  destination: store.Destination,
  { retryAfterMs }: Classification,
  verdict: RetryDecision,
  now: Date,
): Promise<Partial<store.Destination>> {
  const { id, accountId, name } = destination
  if (verdict.state === 'delivered') {
    if (!destination.failingSince) return {}
    // A destination that was failing waits an hour between probes: end that wait. For other
    // destinations, keep a pause that the endpoint has requested.
    const resumedState = destination.state === 'failing' ? { state: 'on' as const, notBefore: null } : {}
    const health = { failingSince: null, ...resumedState }
    await store.updateDestination(tx, id, health)
    return health
  }
  const failingSince = destination.failingSince ?? now
  const isGone = verdict.state === 'dead' && verdict.isGone
  const hasFailed = isGone || (destination.state === 'on' && isFailing(failingSince, now))
  const state = isGone ? ('gone' as const) : hasFailed ? ('failing' as const) : destination.state
  const pauseEnd = hasFailed ? new Date(now.getTime() + PROBE_MS) : computePauseEnd(retryAfterMs, now)
  const formerEnd = destination.notBefore
  // Parallel responses may request different pauses. The longest one counts.
  const extendsPause = pauseEnd !== null && (formerEnd === null || pauseEnd > formerEnd)
  const health = { failingSince, state, ...(extendsPause ? { notBefore: pauseEnd } : {}) }
  await store.updateDestination(tx, id, health)
  if (!hasFailed || state === destination.state) return health
  const detail = isGone
    ? `${name} was removed or has blocked Tocsin. ${verdict.reason}`
    : `${name} has failed for 24 hours`
  await recordActivity(tx, { accountId, kind: 'channel_changed', detail, at: now })
  await addNotice(
    tx,
    destination,
    `${detail}. Its delivery ledger shows its responses and the alerts that it missed.`,
    now,
  )
  const { email } = await getAccount(tx, accountId)
  if (email) await ctx.sendMail(tx, channelFailingMail(email, now, ctx.config.http.publicUrl))
  return health
}
