import { type Forecast, hashSignal } from '@tocsin/proof'
import type { Signal } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import { pause } from '../../db/leader.ts'
import { isDatabaseUnavailable } from '../../db/unavailable.ts'
import { Refusal } from '../../refusal.ts'
import { ATTEMPTS, RETRY_MS, retry } from '../../retry.ts'
import { traceNow } from '../../tracing.ts'
import type { NewAlert } from '../alerts/alert.ts'
import { type Decision, decideSignals } from './cool-down.ts'
import { feedOrigin, parseMessageType, parseSignal, pickContent } from './parse-signal.ts'
import { receiveCandles } from './receive-candles.ts'
import { receiveOutcomes } from './receive-outcomes.ts'
import { receiveStatuses } from './receive-statuses.ts'
import { restoreMessages } from './restore-messages.ts'
import * as store from './store.ts'

/**
 * Issues an alert for a signal. Idempotent by `signalId`. Concurrent calls may be stored together.
 * It is a parameter because one batcher serves the whole server, and because tests replace it.
 */
export type IssueAlert = (alert: NewAlert) => Promise<unknown>

/** A signal with the exact text that was received. */
interface Valid {
  signal: Signal
  forecast: Forecast | null
  raw: string
}

interface TakenSignal extends Valid {
  decision: Decision
}

const MAX_KEPT_BYTES = 4 * 1024

/**
 * Processes messages. A signal becomes an alert, is counted under a running alert, is a duplicate,
 * or is rejected and counted. After the signals, outcomes are logged or rejected and candles are
 * stored, because they may belong to signals among the messages. Only the newest status message is
 * stored. Survives database outages of a few seconds.
 * @throws the error of the last attempt, or the first error after `signal` was aborted
 */
export async function receiveSignals(
  ctx: Context,
  issueAlert: IssueAlert,
  raws: readonly (string | null)[],
  signal: AbortSignal,
): Promise<void> {
  const now = ctx.clock.now()
  const receivedMs = traceNow()
  const refusedMessages: store.RefusedMessage[] = []
  const valid: Valid[] = []
  const others: Record<'outcome' | 'candles' | 'status', string[]> = { outcome: [], candles: [], status: [] }
  for (const raw of raws) {
    const type = raw === null ? 'signal' : parseMessageType(raw)
    if (raw !== null && type !== 'signal') {
      others[type].push(raw)
      continue
    }
    const parsed =
      raw === null ? ({ ok: false, reason: 'Not text' } as const) : parseSignal(raw, now, feedOrigin(ctx.config))
    if (raw !== null && parsed.ok) valid.push({ signal: parsed.signal, forecast: parsed.forecast, raw })
    else refusedMessages.push({ raw: raw ?? '', reason: parsed.ok ? 'Not text' : parsed.reason })
  }
  await ingest(ctx, (alert) => issueAlert({ ...alert, receivedMs }), valid, now, signal, refusedMessages)
  refusedMessages.push(...(await receiveOutcomes(ctx, others.outcome, signal)))
  refusedMessages.push(...(await receiveCandles(ctx, others.candles, signal)))
  refusedMessages.push(...(await receiveStatuses(ctx, others.status, signal)))
  if (refusedMessages.length > 0)
    await retry(ctx, { what: 'storing messages of the feed', signal }, () => refuse(ctx, refusedMessages, now))
}

/** @param refusedMessages receives the signals that could not become alerts */
async function ingest(
  ctx: Context,
  issueAlert: IssueAlert,
  valid: readonly Valid[],
  now: Date,
  signal: AbortSignal,
  refused: store.RefusedMessage[],
): Promise<void> {
  if (valid.length === 0) return
  const takenSignals = await retry(ctx, { what: 'storing messages of the feed', signal }, () => decide(ctx, valid, now))
  const failedSignals = await issue(ctx, issueAlert, takenSignals, signal)
  const repeated = takenSignals.flatMap((one) => (one.decision.kind === 'repeated' ? [one] : []))
  await retry(ctx, { what: 'storing messages of the feed', signal }, () => restoreMessages(ctx, repeated))
  const storedSignals: TakenSignal[] = []
  const orphaned: Valid[] = []
  for (const one of takenSignals) {
    const { decision, raw } = one
    if (decision.kind === 'repeated') continue
    const reason = failedSignals.get(decision.kind === 'merge' ? decision.into : one.signal.id)
    if (reason === undefined) storedSignals.push(one)
    else if (decision.kind === 'merge') orphaned.push(one)
    else refused.push({ raw, reason })
  }
  if (storedSignals.length > 0)
    await retry(ctx, { what: 'storing messages of the feed', signal }, () =>
      store.insertSignals(ctx.db, storedSignals, now),
    )
  // Signals that were to be counted under an alert that could not be issued are decided again. Each
  // round has fewer signals, so the recursion ends.
  await ingest(ctx, issueAlert, orphaned, now, signal, refused)
}

async function decide(ctx: Context, valid: readonly Valid[], now: Date): Promise<TakenSignal[]> {
  const { cooldownSeconds } = ctx.config.feed
  const signals = valid.map(({ signal }) => signal)
  const hashes = valid.map(({ raw }) => hashSignal(raw))
  const since = new Date(now.getTime() - cooldownSeconds * 1_000)
  const [taken, running] = await Promise.all([
    store.listTaken(ctx.db, [...signals.map(({ id }) => id), ...hashes]),
    store.listRunning(ctx.db, signals, feedOrigin(ctx.config), since),
  ])
  for (const [index, { id }] of signals.entries()) if (taken.has(hashes[index] ?? id)) taken.add(id)
  const decisions = decideSignals(signals, { taken, running }, now, cooldownSeconds)
  return valid.map((one, at) => ({ ...one, decision: decisions[at] ?? { kind: 'repeated' } }))
}

/**
 * Issues the alerts. Returns the ids of the signals that could not become alerts, with the reason.
 * @throws the last error if it is temporary: the feed sends the signals again on the next
 *   connection
 */
async function issue(
  ctx: Context,
  issueAlert: IssueAlert,
  taken: readonly TakenSignal[],
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const errorsById = new Map<string, string>()
  let open = taken.flatMap(({ signal, raw, forecast, decision }) =>
    decision.kind === 'alert'
      ? [{ id: signal.id, content: pickContent(signal), raw, forecast, broadcast: !decision.isLate }]
      : [],
  )
  for (let attempt = 1; open.length > 0; attempt++) {
    const outcomes = await Promise.allSettled(
      open.map(({ id, content, raw, forecast, broadcast }) =>
        issueAlert({
          content,
          origin: feedOrigin(ctx.config),
          signalId: id,
          signalHash: hashSignal(raw),
          signalMessage: raw,
          ...(forecast ? { forecast } : {}),
          broadcast,
        }),
      ),
    )
    let lastError: unknown
    open = open.filter(({ id }, index) => {
      const outcome = outcomes[index]
      if (outcome?.status !== 'rejected') return false
      const { reason } = outcome
      lastError = reason
      if (isPermanent(reason)) errorsById.set(id, reason.message)
      else if (attempt === ATTEMPTS && !isTemporary(reason)) errorsById.set(id, 'It could not be stored')
      return !errorsById.has(id)
    })
    if (open.length === 0) break
    if (signal.aborted || attempt === ATTEMPTS) throw lastError
    ctx.logger.error({ err: lastError, signals: open.length, attempt }, 'issuing alerts for signals failed')
    await pause(RETRY_MS, signal)
  }
  return errorsById
}

/** True if the signal is invalid, so retrying cannot help. False for temporary errors. */
function isPermanent(reason: unknown): reason is Refusal {
  return reason instanceof Refusal && reason.status < 500
}

/** Returns true if the error ends the connection, so that the feed sends the signal again. */
function isTemporary(reason: unknown): boolean {
  return reason instanceof Refusal || isDatabaseUnavailable(reason)
}

async function refuse(ctx: Context, refused: readonly store.RefusedMessage[], now: Date): Promise<void> {
  ctx.logger.warn({ messages: refused.length, reason: refused[0]?.reason }, 'messages of the feed rejected')
  // The reason is shortened too, because it can contain a part of the message, such as an unknown
  // key.
  const kept = refused.map(({ raw, reason }) => ({ raw: shorten(raw), reason: shorten(reason) }))
  await store.insertRefused(ctx.db, kept, now)
}

/** Shortens a text and replaces NUL, which PostgreSQL cannot store. */
function shorten(text: string): string {
  return Buffer.from(text).subarray(0, MAX_KEPT_BYTES).toString().replaceAll('\0', '\ufffd')
}
