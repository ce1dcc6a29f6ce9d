import type { DestinationKind } from '@tocsin/protocol'
import { SECOND_MS } from '@tocsin/protocol/durations'
import { recordActivity } from '../../activity-log.ts'
import { coalesce } from '../../coalesce.ts'
import type { Context } from '../../context.ts'
import { LeaseLost } from '../../db/leader.ts'
import type { IssuedDelivery } from '../../issued-deliveries.ts'
import { pause } from '../../pause.ts'
import { loadDeliveriesAt } from '../alerts/service.ts'
import { listChannelPreferences } from '../preferences/store.ts'
import { findAcknowledgement } from './acknowledgement-store.ts'
import type { ChannelPause } from './channel-pause.ts'
import type { RequestSlot } from './concurrency-limiter.ts'
import {
  type Decision,
  type DeliverySettings,
  decideBeforeSending,
  findHold,
  TOO_OLD_REASON,
  WAITING,
} from './decide-destination.ts'
import { computePauseEnd, isTooOld } from './destination.ts'
import { NO_PLAN_REASON } from './enqueue-deliveries.ts'
import { ACKNOWLEDGED_REASON } from './escalation.ts'
import * as held from './held-store.ts'
import { noLimits, StartedTooLate, sharedNowMs } from './http-message.ts'
import { findRecipients } from './recipients.ts'
import { type DeliveryResult, PROBE_MS, recordResults } from './record-answers.ts'
import { completeRules, type TargetState } from './rules.ts'
import { getSchedule, send } from './send.ts'
import * as store from './store.ts'
import { createOutgoing } from './write-outgoing.ts'

const RETRY_MS = SECOND_MS
/**
 * Interval at which results are recorded. All results of an interval share a transaction, which
 * costs less than a transaction for each result.
 */
const RECORD_EVERY_MS = 50
const MAX_BATCH_SIZE = 200
const NEVER_ABORTED = new AbortController().signal
/** How long a check of the plan is valid. A request that starts later needs a new check. */
const PLAN_CHECK_VALID_MS = 100

/** Everything that is read before a request to a destination is sent. */
interface PreparedDelivery {
  /** The alert, or all alerts of a digest. */
  delivered: IssuedDelivery[]
  destination: store.Destination | undefined
  watchlist: readonly string[]
  /** True if push messages to the account must not contain the alert. */
  hidesContent: boolean
}

/** Queries that are shared by deliveries sent at the same time. */
export interface Batches {
  prepare(
    delivery: Pick<store.DueChannelDelivery, 'destinationId' | 'accountId'> & { seqs: number[] },
  ): Promise<PreparedDelivery>
  /**
   * Returns when the account stops getting alerts, in ms since 1970, or -Infinity if it gets none
   * now.
   */
  findPlanEnd(accountId: string): Promise<number>
  /** True if this entry was sent to the destination or is waiting to be sent. */
  isSent(destinationId: string, logIndex: number): Promise<boolean>
  /**
   * Stores that the delivery may have been received. Called before its request starts, because the
   * server may be killed before it records the result. If this is already stored, the delivery
   * still waits for the batch, so that it does not begin before a more urgent one.
   */
  markStarted(delivery: Pick<store.DueChannelDelivery, 'id' | 'mayHaveArrived'>): Promise<void>
  record(answered: DeliveryResult): Promise<void>
  /**
   * Records the result in its own transaction. Used after recording a batch has failed, because
   * another result of the batch may be the cause.
   */
  recordAlone(answered: DeliveryResult): Promise<void>
}

export function createBatches(
  ctx: Context,
  { recordingContext, channelPause }: { recordingContext: Context; channelPause: ChannelPause },
): Batches {
  const readBatching = { maxBatchSize: MAX_BATCH_SIZE, pauseMs: 0 }
  return {
    prepare: coalesce(readBatching, async (requests) => {
      const [rows, destinations, preferences] = await Promise.all([
        loadDeliveriesAt(ctx, [...new Set(requests.flatMap(({ seqs }) => seqs))]),
        store.readDestinations(
          ctx.db,
          requests.map(({ destinationId }) => destinationId),
        ),
        listChannelPreferences(
          ctx.db,
          requests.map(({ accountId }) => accountId),
        ),
      ])
      const bySeq = new Map(rows.map((row) => [row.seq, row]))
      return requests.map(({ seqs, destinationId, accountId }) => {
        const { watchlist = [], pushContent = true } = preferences.get(accountId) ?? {}
        const deliveredAlerts = seqs.flatMap((seq) => bySeq.get(seq) ?? [])
        return {
          delivered: deliveredAlerts,
          destination: destinations.get(destinationId),
          watchlist,
          hidesContent: !pushContent,
        }
      })
    }),
    findPlanEnd: coalesce(readBatching, async (accountIds: string[]) => {
      const recipients = await findRecipients(ctx, accountIds)
      return accountIds.map((id) => recipients.get(id) ?? Number.NEGATIVE_INFINITY)
    }),
    markStarted: coalesce(readBatching, async (startedDeliveries) => {
      const ids = startedDeliveries.flatMap(({ id, mayHaveArrived }) => (mayHaveArrived ? [] : [id]))
      if (ids.length > 0) await store.markStarted(ctx.db, ids)
      return startedDeliveries.map(() => undefined)
    }),
    isSent: (destinationId, logIndex) => store.isSent(ctx.db, destinationId, logIndex),
    record: coalesce({ maxBatchSize: MAX_BATCH_SIZE, pauseMs: RECORD_EVERY_MS }, async (results: DeliveryResult[]) => {
      await channelPause.waitForEnd()
      await recordResults(recordingContext, results)
      return results.map(() => undefined)
    }),
    recordAlone: (result) => recordResults(recordingContext, [result]),
  }
}

interface SendCallbacks {
  /** Called when all destinations of a kind have to wait. */
  onPause(kind: DestinationKind, until: Date): void
  /** Called when the service has answered or could not be reached. */
  onAnswer(): void
  slot: RequestSlot
}

/**
 * Sends one delivery, or the whole digest if the row represents one, and records the result.
 * @returns false if nothing was sent and the row is still due: the delivery waited too long for a
 *   slot, or the row no longer represents a digest, because its owner has requested a redelivery
 */
export async function sendDelivery(
  ctx: Context,
  batches: Batches,
  delivery: store.DueChannelDelivery,
  { onPause, onAnswer, slot }: SendCallbacks,
  { signal, channelPause }: { signal: AbortSignal; channelPause: ChannelPause },
): Promise<boolean> {
  const { id, accountId, digestId } = delivery
  await channelPause.waitForEnd()
  const now = ctx.clock.now()
  const rows = digestId === null ? [delivery] : await held.listDigestRows(ctx.db, id)
  // After the row was read, the owner has requested a redelivery, so the row no longer carries a
  // digest.
  if (rows.length === 0) return false
  const { delivered, destination, watchlist, hidesContent } = await batches.prepare({
    ...delivery,
    seqs: rows.map(({ seq }) => seq),
  })
  if (destination?.state !== 'on' || (destination.notBefore !== null && destination.notBefore > now)) return true
  if (delivered.length < rows.length) throw new Error(`Delivery ${delivery.seq} is missing`)
  const isEscalationStep = delivery.isEscalation && !delivery.isRedelivery && digestId === null
  const isAcknowledged = isEscalationStep && (await findAcknowledgement(ctx.db, { ...delivery, accountId })) !== null
  const replacement = await findReplacement(batches, delivery, delivered)
  const target = await findTarget(ctx, delivery, delivered)
  await batches.markStarted(delivery)
  if (!(await slot.begin())) return false
  await channelPause.waitForEnd()
  // The last check before the request: the plan may have ended while the delivery waited.
  const planEndMs = await batches.findPlanEnd(accountId)
  const remainingPlanMs = planEndMs - ctx.clock.now().getTime()
  const nowMs = sharedNowMs()
  const limits = {
    signal,
    startByMs: nowMs + PLAN_CHECK_VALID_MS,
    endsAtMs: nowMs + remainingPlanMs,
    isEntitled: () => isEntitled(ctx, batches, accountId),
  }
  const decision: Decision =
    remainingPlanMs <= 0
      ? { state: 'skipped', reason: NO_PLAN_REASON }
      : isAcknowledged
        ? { state: 'skipped', reason: ACKNOWLEDGED_REASON }
        : (replacement ??
          findAgeHold(delivery, destination.kind, now) ??
          decideAtSending(delivery, delivered, target, toDeliverySettings(destination, watchlist), now))
  if (decision.state !== 'waiting') {
    await postpone(ctx, delivery, decision)
    return true
  }
  const outgoing = { ...createOutgoing(ctx, delivery, delivered), hidesContent }
  ctx.failpoint('channel: before send')
  const sendResult = await send(ctx, destination, outgoing, limits).catch(ignoreStartedTooLate)
  if (sendResult === null) return false
  onAnswer()
  const { answer, classification } = sendResult
  // The shutdown has cut off the request. No result is recorded, so the request is repeated with
  // the same id.
  if (signal.aborted && answer.status === null) return true
  // After a failure, the slot stays in use until it is recorded, because the failure can pause or
  // end the destination.
  if (classification.result === 'delivered') slot.markAnswered()
  const answeredAt = ctx.clock.now()
  ctx.failpoint('channel: after send')
  await recordAnswer(ctx, batches, { delivery, rowIds: rows.map((row) => row.id), answer, classification }, signal)
  const until = computePauseEnd(classification.retryAfterMs, answeredAt)
  if (!classification.pausesKind || until === null) return true
  ctx.logger.error({ kind: destination.kind, until }, `no message can be sent: ${classification.reason}`)
  onPause(destination.kind, until)
  return true
}

/**
 * Returns true if the account still gets alerts. Returns false if this cannot be read: then nothing
 * is sent, and the delivery is retried.
 */
function isEntitled({ clock }: Context, batches: Batches, accountId: string): Promise<boolean> {
  return batches.findPlanEnd(accountId).then(
    (endMs) => endMs > clock.now().getTime(),
    () => false,
  )
}

function ignoreStartedTooLate(error: unknown): null {
  if (error instanceof StartedTooLate) return null
  throw error
}

/**
 * Returns the decision to skip an alert that was corrected or retracted while it waited, if the
 * newest version is sent instead. Otherwise null.
 */
async function findReplacement(
  batches: Batches,
  { destinationId, event, isRedelivery, digestId }: store.DueChannelDelivery,
  [first]: IssuedDelivery[],
): Promise<Decision | null> {
  const newer = first?.alert.supersededBy
  if (!newer || event !== 'alert' || isRedelivery || digestId !== null) return null
  if (!(await batches.isSent(destinationId, newer.logIndex))) return null
  return { state: 'skipped', reason: `${store.REPLACED_BY}${newer.logIndex}, which is sent instead` }
}

/**
 * Returns the state of the alert that this delivery corrects or retracts: sent to the destination,
 * held for a digest, or null.
 */
async function findTarget(
  { db }: Context,
  { destinationId, isRedelivery, digestId }: store.DueChannelDelivery,
  [first]: IssuedDelivery[],
): Promise<TargetState | null> {
  const index = first?.alert.targetIndex ?? null
  if (index === null || isRedelivery || digestId !== null) return null
  return (await store.listTargets(db, [index], destinationId))[0]?.target ?? null
}

function toDeliverySettings(
  { rules, mutedUntil, quietHours, digest }: store.Destination,
  watchlist: readonly string[],
): DeliverySettings {
  return { rules: completeRules(rules), watchlist, mutedUntil, quietHours, digest }
}

/**
 * Returns the decision to hold an alert for the digest if it is too old to be sent as new,
 * otherwise null. Usually the retries of messages for people end before that age, but the
 * destination may have been paused or have requested a wait since its last attempt.
 */
function findAgeHold(delivery: store.DueChannelDelivery, kind: DestinationKind, now: Date): Decision | null {
  const { attempts, isRedelivery, digestId, createdAt, rank } = delivery
  const isRetry = attempts > 0 && !isRedelivery && digestId === null && getSchedule(kind) === 'brief'
  return isRetry && isTooOld(createdAt, rank, now) ? { state: 'held', reason: TOO_OLD_REASON, until: now } : null
}

/**
 * Decides whether to send now. A delivery that the owner has requested is sent regardless of the
 * rules.
 */
function decideAtSending(
  delivery: store.DueChannelDelivery,
  [first]: IssuedDelivery[],
  target: TargetState | null,
  settings: DeliverySettings,
  now: Date,
): Decision {
  if (delivery.isRedelivery || !first) return WAITING
  if (delivery.digestId === null) {
    return decideBeforeSending(settings, { ...first.alert, isOutcome: first.isOutcome, target }, now)
  }
  const hold = findHold(settings, null, now)
  return hold === null ? WAITING : { state: 'held', ...hold }
}

/**
 * Records why nothing is sent now. Messages about anchors are skipped instead of held for a digest.
 * A digest that may have arrived keeps its alerts, because it is repeated with the same id.
 */
async function postpone(
  ctx: Context,
  delivery: store.DueChannelDelivery,
  decision: Exclude<Decision, { state: 'waiting' }>,
): Promise<void> {
  const { id, event, digestId, mayHaveArrived } = delivery
  const { state, reason } = decision
  if (state === 'held' && digestId !== null && mayHaveArrived) {
    return store.updateWaiting(ctx.db, delivery, { reason, nextAt: decision.until })
  }
  const change =
    state === 'held' && event !== 'anchored'
      ? { state, reason, nextAt: decision.until, digestId: null, mayHaveArrived }
      : { state: 'skipped' as const, reason }
  await (digestId === null ? store.updateWaiting(ctx.db, delivery, change) : held.updateDigest(ctx.db, id, change))
}

/**
 * Retries until the result is recorded, because a delivery without a recorded result is sent again.
 * Continues after a lost lease: the database may be unreachable, and the next leader term waits for
 * this function.
 */
async function recordAnswer(
  ctx: Context,
  batches: Batches,
  result: DeliveryResult,
  signal: AbortSignal,
): Promise<void> {
  try {
    return await batches.record(result)
  } catch (error) {
    ctx.logger.error({ err: error, deliveryId: result.delivery.id }, 'a result could not be recorded, trying again')
  }
  for (;;) {
    const isLeaseLost = signal.reason instanceof LeaseLost
    if (signal.aborted && !isLeaseLost) return
    await pause(RETRY_MS, isLeaseLost ? NEVER_ABORTED : signal)
    try {
      return await batches.recordAlone(result)
    } catch (error) {
      ctx.logger.debug({ err: error, deliveryId: result.delivery.id }, 'a result could still not be recorded')
    }
  }
}

/**
 * Sends a message to a failing destination to find out whether it works again. The first success
 * resumes the destination.
 */
export async function probe(ctx: Context, destination: store.Destination, signal: AbortSignal): Promise<void> {
  const { id, accountId, name } = destination
  // The id of a probe contains the time at which it became due, so a probe that is sent again after
  // a crash has the same id.
  const dueAt = destination.notBefore ?? ctx.clock.now()
  const text = 'This destination has failed for more than a day. If you read this, it works again, and alerts resume.'
  const outgoing = { id: `msg_${id}_probe_${dueAt.getTime()}`, type: 'channel.probe', data: {}, message: { text } }
  const { classification } = await send(ctx, destination, outgoing, { ...noLimits, signal })
  await ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now()
    if ((await store.lockDestination(tx, id))?.state !== 'failing') return
    if (classification.result === 'gone') {
      await store.updateDestination(tx, id, { state: 'gone' })
      await store.endQueuedDeliveries(tx, id, classification.reason)
      const detail = `${name} was removed or has blocked Tocsin. ${classification.reason}`
      return recordActivity(tx, { accountId, kind: 'channel_changed', detail, at: now })
    }
    if (classification.result !== 'delivered') {
      return store.updateDestination(tx, id, { notBefore: new Date(now.getTime() + PROBE_MS) })
    }
    await store.updateDestination(tx, id, { state: 'on', failingSince: null, notBefore: null })
    await recordActivity(tx, { accountId, kind: 'channel_changed', detail: `${name} works again`, at: now })
  })
}
