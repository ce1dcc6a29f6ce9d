import { type Forecast, hashSignal } from '@tocsin/proof'
import type { Signal } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import { isDatabaseUnavailable } from '../../db/unavailable.ts'
import { pause } from '../../pause.ts'
import { Refusal } from '../../refusal.ts'
import { MAX_ATTEMPTS, RETRY_MS } from '../../retry.ts'
import { traceNow } from '../../tracing.ts'
import { type NewAlert, pickAlertContent } from '../alerts/alert.ts'
import { type Decision, decideSignals } from './cool-down.ts'
import { getFeedOrigin, parseMessageType, parseSignal } from './parse-signal.ts'
import { receiveCandles } from './receive-candles.ts'
import { receiveOutcomes } from './receive-outcomes.ts'
import { receiveStatuses } from './receive-statuses.ts'
import { restoreMessages } from './restore-messages.ts'
import { retryStoring } from './retry-storing.ts'
import * as store from './store.ts'

/**
 * Issues an alert for a signal. Idempotent by `signalId`. The alerts of concurrent calls may be
 * stored in one batch. The function is a parameter because the whole server shares one batcher, and
 * because tests replace it.
 */
export type IssueAlert = (alert: NewAlert) => Promise<unknown>

/** A signal with the exact text that was received. */
interface ValidSignal {
  signal: Signal
  forecast: Forecast | null
  raw: string
}

interface DecidedSignal extends ValidSignal {
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
  rawMessages: readonly (string | null)[],
  signal: AbortSignal,
): Promise<void> {
  const now = ctx.clock.now()
  const receivedMs = traceNow()
  const refusedSignals: store.RefusedMessage[] = []
  const validSignals: ValidSignal[] = []
  const otherMessages: Record<'outcome' | 'candles' | 'status', string[]> = { outcome: [], candles: [], status: [] }
  for (const raw of rawMessages) {
    if (raw === null) {
      refusedSignals.push({ raw: '', reason: 'Not text' })
      continue
    }
    const type = parseMessageType(raw)
    if (type !== 'signal') {
      otherMessages[type].push(raw)
      continue
    }
    const parsedSignal = parseSignal(raw, now, getFeedOrigin(ctx.config))
    if (parsedSignal.ok) validSignals.push({ signal: parsedSignal.signal, forecast: parsedSignal.forecast, raw })
    else refusedSignals.push({ raw, reason: parsedSignal.reason })
  }
  await ingest(ctx, (alert) => issueAlert({ ...alert, receivedMs }), validSignals, now, signal, refusedSignals)
  const refusedMessages = [
    ...refusedSignals,
    ...(await receiveOutcomes(ctx, otherMessages.outcome, signal)),
    ...(await receiveCandles(ctx, otherMessages.candles, signal)),
    ...(await receiveStatuses(ctx, otherMessages.status, signal)),
  ]
  if (refusedMessages.length > 0)
    await retryStoring(ctx, signal, () => recordRefused(ctx, refusedMessages, refusedSignals.length, now))
}

/** @param refusedSignals receives the signals that could not become alerts */
async function ingest(
  ctx: Context,
  issueAlert: IssueAlert,
  validSignals: readonly ValidSignal[],
  now: Date,
  signal: AbortSignal,
  refusedSignals: store.RefusedMessage[],
): Promise<void> {
  if (validSignals.length === 0) return
  const decidedSignals = await retryStoring(ctx, signal, () => decide(ctx, validSignals, now))
  const failedSignals = await issue(ctx, issueAlert, decidedSignals, signal)
  const repeatedSignals = decidedSignals.flatMap((one) => (one.decision.kind === 'repeated' ? [one] : []))
  await retryStoring(ctx, signal, () => restoreMessages(ctx, repeatedSignals))
  const hashedSignals = repeatedSignals.map(({ signal: repeated, raw }) => ({ ...repeated, hash: hashSignal(raw) }))
  await retryStoring(ctx, signal, () => store.restoreSignals(ctx.db, hashedSignals))
  const storedSignals: DecidedSignal[] = []
  const orphanedSignals: ValidSignal[] = []
  for (const decidedSignal of decidedSignals) {
    const { decision, raw } = decidedSignal
    if (decision.kind === 'repeated') continue
    const reason = failedSignals.get(decision.kind === 'merge' ? decision.targetSignalId : decidedSignal.signal.id)
    if (reason === undefined) storedSignals.push(decidedSignal)
    else if (decision.kind === 'merge') orphanedSignals.push(decidedSignal)
    else refusedSignals.push({ raw, reason })
  }
  if (storedSignals.length > 0) await retryStoring(ctx, signal, () => store.insertSignals(ctx.db, storedSignals, now))
  // If an alert could not be issued, the signals that were to be merged into it are decided again.
  // Each round has fewer signals, so the recursion ends.
  await ingest(ctx, issueAlert, orphanedSignals, now, signal, refusedSignals)
}

async function decide(ctx: Context, validSignals: readonly ValidSignal[], now: Date): Promise<DecidedSignal[]> {
  const { cooldownSeconds } = ctx.config.feed
  const signals = validSignals.map(({ signal }) => signal)
  const hashes = validSignals.map(({ raw }) => hashSignal(raw))
  const since = new Date(now.getTime() - cooldownSeconds * 1_000)
  const [takenIds, runningAlerts] = await Promise.all([
    store.listProcessedIds(ctx.db, [...signals.map(({ id }) => id), ...hashes]),
    store.listRunningAlerts(ctx.db, signals, getFeedOrigin(ctx.config), since),
  ])
  for (const [index, { id }] of signals.entries()) if (takenIds.has(hashes[index] ?? id)) takenIds.add(id)
  const decisions = decideSignals(signals, { processedIds: takenIds, running: runningAlerts }, now, cooldownSeconds)
  return validSignals.map((validSignal, at) => ({ ...validSignal, decision: decisions[at] ?? { kind: 'repeated' } }))
}

/**
 * Issues the alerts. Returns the ids of the signals that could not become alerts, with the reason.
 * @throws the last error if it is temporary: the feed sends the signals again on the next
 *   connection
 */
async function issue(
  ctx: Context,
  issueAlert: IssueAlert,
  decidedSignals: readonly DecidedSignal[],
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const errorsById = new Map<string, string>()
  let pendingAlerts = decidedSignals.flatMap(({ signal, raw, forecast, decision }) =>
    decision.kind === 'alert'
      ? [{ id: signal.id, content: pickAlertContent(signal), raw, forecast, broadcast: !decision.isLate }]
      : [],
  )
  for (let attempt = 1; pendingAlerts.length > 0; attempt++) {
    const outcomes = await Promise.allSettled(
      pendingAlerts.map(({ id, content, raw, forecast, broadcast }) =>
        issueAlert({
          content,
          origin: getFeedOrigin(ctx.config),
          signalId: id,
          signalHash: hashSignal(raw),
          signalMessage: raw,
          ...(forecast ? { forecast } : {}),
          broadcast,
        }),
      ),
    )
    let lastError: unknown
    pendingAlerts = pendingAlerts.filter(({ id }, index) => {
      const outcome = outcomes[index]
      if (outcome?.status !== 'rejected') return false
      const { reason } = outcome
      lastError = reason
      if (isPermanent(reason)) errorsById.set(id, reason.message)
      else if (attempt === MAX_ATTEMPTS && !endsConnection(reason)) errorsById.set(id, 'It could not be stored')
      return !errorsById.has(id)
    })
    if (pendingAlerts.length === 0) break
    if (signal.aborted || attempt === MAX_ATTEMPTS) throw lastError
    ctx.logger.error({ err: lastError, signals: pendingAlerts.length, attempt }, 'issuing alerts for signals failed')
    await pause(RETRY_MS, signal)
  }
  return errorsById
}

/** True if the signal is invalid, so retrying cannot help. False for temporary errors. */
function isPermanent(reason: unknown): reason is Refusal {
  return reason instanceof Refusal && reason.status < 500
}

/** Returns true if the error ends the connection, so that the feed sends the signal again. */
function endsConnection(reason: unknown): boolean {
  return reason instanceof Refusal || isDatabaseUnavailable(reason)
}

async function recordRefused(
  ctx: Context,
  refusedMessages: readonly store.RefusedMessage[],
  signalCount: number,
  now: Date,
): Promise<void> {
  ctx.logger.warn(
    { messages: refusedMessages.length, reason: refusedMessages[0]?.reason },
    'messages of the feed rejected',
  )
  // The reason is shortened too, because it can contain a part of the message, such as an unknown
  // key.
  const storedMessages = refusedMessages.map(({ raw, reason }) => ({ raw: shorten(raw), reason: shorten(reason) }))
  await store.insertRefused(ctx.db, storedMessages, signalCount, now)
}

/** Shortens a text and replaces NUL, which PostgreSQL cannot store. */
function shorten(text: string): string {
  return Buffer.from(text).subarray(0, MAX_KEPT_BYTES).toString().replaceAll('\0', '\ufffd')
}
