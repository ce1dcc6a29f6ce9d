import type { AlertStatement } from '@tocsin/proof'
import type { Context } from '../../context.ts'
import type { PipelineControl, Tx } from '../../db/database.ts'
import { isDatabaseUnavailable, isDeadlock } from '../../db/unavailable.ts'
import type { IssuedBatch } from '../../issued-deliveries.ts'
import { Refusal } from '../../refusal.ts'
import { traceIssued, traceNow, traceStep } from '../../tracing.ts'
import { isUuid } from '../../uuid.ts'
import {
  createPositionAssigner,
  type EntryPosition,
  extendLog,
  stopLogOnFault,
  writeExtension,
} from '../tlog/append-entries.ts'
import { lockLogAndRead } from '../tlog/lock-log.ts'
import { type Entry, signStatement } from '../tlog/log.ts'
import { getProofDomain } from '../tlog/proof-domain.ts'
import { buildAlertStatement, createAlertId, type NewAlert, type Target } from './alert.ts'
import { createBatcher, type Outcome } from './batcher.ts'
import { type Decision, decideIssues, type Issue, type StoredIssueData } from './issue.ts'
import { presentAlert } from './present.ts'
import { type NewAlertRow, type SavedDeliveries, saveAlertsAndDeliveries } from './save-alerts.ts'
import * as store from './store.ts'

/** `isNew` is false if an alert with the same signal id existed before. */
export interface IssuedAlert {
  alert: store.StoredAlert
  isNew: boolean
}

export type IssueAlert = (issue: Issue) => Promise<IssuedAlert>

/**
 * Maximum number of alerts in one transaction. It limits how long the transaction holds the log's
 * lock.
 */
const MAX_BATCH_SIZE = 500

/**
 * Creates a function that issues alerts in batches: alerts requested during a transaction go into
 * the next one. Signature, log entry, alert and delivery are written in one transaction, so an
 * alert exists with all of them or not at all. An invalid alert fails alone; a database error fails
 * the whole batch.
 */
export function createIssuer(ctx: Context): IssueAlert {
  const issue = createBatcher(MAX_BATCH_SIZE, (issues: Issue[]) => issueInHalves(ctx, issues))
  return async (issueToAdd) => {
    const receivedMs = 'receivedMs' in issueToAdd ? issueToAdd.receivedMs : undefined
    const startMs = receivedMs ?? traceNow()
    const issuedAlert = await issue(issueToAdd)
    if (issuedAlert.isNew) traceIssued(issuedAlert.alert, startMs)
    return issuedAlert
  }
}

/**
 * Returns true if no alert can be issued now. All other errors concern a single alert: a refusal,
 * for example because its author has logged out, or a deadlock with another of its writes.
 */
function affectsAllAlerts(error: unknown): boolean {
  if (isDeadlock(error)) return false
  return isDatabaseUnavailable(error) || (error instanceof Refusal && error.status >= 500)
}

/**
 * Issues the alerts in one transaction. If this fails because of a single alert, issues each half
 * of them in its own transaction, and so on: one invalid alert among 200 costs about 15 further
 * transactions.
 */
async function issueInHalves(ctx: Context, issues: Issue[]): Promise<Outcome<IssuedAlert>[]> {
  try {
    return await issueBatch(ctx, issues)
  } catch (error) {
    if (issues.length === 1 || affectsAllAlerts(error)) return issues.map(() => ({ failure: error }))
    ctx.logger.warn({ err: error, alerts: issues.length }, 'issuing a batch of alerts failed, issuing its halves')
    const middle = Math.ceil(issues.length / 2)
    const firstOutcomes = await issueInHalves(ctx, issues.slice(0, middle))
    return [...firstOutcomes, ...(await issueInHalves(ctx, issues.slice(middle)))]
  }
}

async function issueBatch(ctx: Context, issues: Issue[]): Promise<Outcome<IssuedAlert>[]> {
  const startMs = traceNow()
  const outcomes = await ctx.db.pipeline((tx, control) =>
    stopLogOnFault(ctx, () => logAlerts(ctx, tx, issues, control)),
  )
  ctx.failpoint('append: after commit')
  for (const outcome of outcomes) {
    if ('value' in outcome && outcome.value.isNew) {
      const attributes = { 'tocsin.batch.size': issues.length }
      traceStep(outcome.value.alert.id, 'log transaction', { startMs, attributes })
    }
  }
  return outcomes
}

/**
 * Locks the log, decides which alerts are new, signs them and writes them. This takes two round
 * trips to the database: the reads are sent with the lock, and the commit with the writes.
 */
async function logAlerts(
  ctx: Context,
  tx: Tx,
  issues: Issue[],
  { begun, commit }: PipelineControl,
): Promise<Outcome<IssuedAlert>[]> {
  const { log, found } = await lockLogAndRead(ctx, tx, () => Promise.all([loadStoredData(tx, issues), begun]))
  const [storedData] = found
  const decisions = decideIssues(issues, storedData)
  const newDecisions = decisions.filter((decision) => 'newAlert' in decision)
  if (newDecisions.length === 0) return createOutcomes(decisions, [])

  const assignPosition = createPositionAssigner(ctx, log)
  const signedAlerts = newDecisions.map((decision) => sign(ctx, decision, assignPosition()))
  const entries = signedAlerts.map(({ entry }) => entry)
  const extension = await extendLog(ctx, tx, log, entries, log.head.signer)
  const storedAlerts = signedAlerts.map((one, index) => toStored(one, extension.logged[index]?.leafHash))

  const writing = writeExtension(ctx, tx, log, extension)
  const saving = saveAlertsAndDeliveries(tx, signedAlerts.map(toRow))
  // Alerts reference their log entries: if writing the entries fails, inserting the alerts fails
  // too, and `waitInOrder` throws the first error.
  const writes = waitInOrder([writing, saving])
  if (signedAlerts.some(({ alert }) => alert.alsoWrite)) {
    await writes
    for (const { alert, statement } of signedAlerts) await alert.alsoWrite?.(tx, statement.id)
  }
  ctx.failpoint('append: before commit')
  const committing = commit()
  ctx.issued.registerCommit(committing.then(async () => toBatch(await saving, storedAlerts)))
  ctx.failpoint('append: commit sent')
  await waitInOrder([writes, committing])
  ctx.failpoint('append: after entries')
  return createOutcomes(decisions, storedAlerts)
}

/**
 * Waits for all promises.
 * @throws the error of the first failed promise in the list, because it caused the later errors
 */
async function waitInOrder(promises: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(promises)
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

/**
 * Loads the stored signals and targets. Runs under the log's lock, like every insert of an alert,
 * so the result stays valid until the new alerts are inserted.
 */
async function loadStoredData(tx: Tx, issues: readonly Issue[]): Promise<StoredIssueData<store.StoredAlert>> {
  const signalIds = issues.flatMap((issue) =>
    'signalId' in issue && issue.signalId !== undefined ? [issue.signalId] : [],
  )
  const targetIds = issues.flatMap((issue) => ('targetId' in issue && isUuid(issue.targetId) ? [issue.targetId] : []))
  return {
    signals: signalIds.length > 0 ? await store.findAlertsOfSignals(tx, signalIds) : new Map(),
    targets: targetIds.length > 0 ? await store.findTargets(tx, targetIds) : new Map(),
  }
}

interface SignedAlert {
  alert: NewAlert
  statement: AlertStatement
  entry: Entry
  broadcastAt: Date | null
}

function sign(
  ctx: Context,
  { newAlert: alert, target }: { newAlert: NewAlert; target: Target },
  { index, signer, now, decideTime }: EntryPosition,
): SignedAlert {
  const createdAt = decideTime(alert.createdAt)
  const statement = buildAlertStatement(alert, target, { index, id: createAlertId(createdAt), createdAt, signer })
  const entry = signStatement(statement, getProofDomain(ctx), signer)
  return { alert, statement, entry, broadcastAt: alert.broadcast ? now : null }
}

function toRow({ alert, statement, broadcastAt }: SignedAlert): NewAlertRow {
  return {
    statement,
    signalId: alert.signalId ?? null,
    message: alert.signalMessage ?? null,
    forecast: alert.forecast ?? null,
    broadcastAt,
  }
}

function toStored(
  { alert, statement, entry, broadcastAt }: SignedAlert,
  leafHash: Uint8Array | undefined,
): store.StoredAlert {
  if (!leafHash) throw new Error('An alert has no leaf hash')
  const { id, priority, index: logIndex } = statement
  const createdAt = new Date(statement.createdAt)
  // Alerts logged in this transaction have no anchor yet, and nothing references them.
  return {
    id,
    logIndex,
    priority,
    createdAt,
    broadcastAt,
    ...entry,
    leafHash,
    forecast: alert.forecast ?? null,
    ...store.unprovedFields,
  }
}

function toBatch(
  { after, deliveries }: SavedDeliveries,
  storedAlerts: readonly store.StoredAlert[],
): IssuedBatch | null {
  const last = deliveries.at(-1)
  if (!last) return null
  const byIndex = new Map(storedAlerts.map((alert) => [alert.logIndex, alert]))
  return {
    previousSeq: after,
    lastSeq: last.seq,
    deliveries: () =>
      deliveries.flatMap(({ seq, logIndex }) => {
        const alert = byIndex.get(logIndex)
        return alert?.broadcastAt
          ? [{ seq, at: alert.broadcastAt, logIndex, isOutcome: false, alert: presentAlert(alert) }]
          : []
      }),
  }
}

function createOutcomes(
  decisions: readonly Decision<store.StoredAlert>[],
  storedAlerts: readonly store.StoredAlert[],
): Outcome<IssuedAlert>[] {
  const newAlerts = storedAlerts.values()
  const outcomes: Outcome<IssuedAlert>[] = []
  for (const decision of decisions) outcomes.push(createOutcome(decision, outcomes, newAlerts))
  return outcomes
}

function createOutcome(
  decision: Decision<store.StoredAlert>,
  earlierOutcomes: readonly Outcome<IssuedAlert>[],
  newAlerts: Iterator<store.StoredAlert>,
): Outcome<IssuedAlert> {
  if ('refusal' in decision) return { failure: decision.refusal }
  if ('stored' in decision) return { value: { alert: decision.stored, isNew: false } }
  if ('sameAs' in decision) {
    const firstOutcome = earlierOutcomes[decision.sameAs]
    return firstOutcome && 'value' in firstOutcome
      ? { value: { ...firstOutcome.value, isNew: false } }
      : { failure: new Error('A duplicate alert has no result') }
  }
  const { value } = newAlerts.next()
  return value ? { value: { alert: value, isNew: true } } : { failure: new Error('An alert was not logged') }
}
