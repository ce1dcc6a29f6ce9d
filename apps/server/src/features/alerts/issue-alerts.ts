import type { AlertStatement } from '@tocsin/proof'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { isDatabaseUnavailable } from '../../db/unavailable.ts'
import type { IssuedBatch } from '../../issued-deliveries.ts'
import { Refusal } from '../../refusal.ts'
import { traceIssued, traceNow, traceStep } from '../../tracing.ts'
import { isUuid } from '../../uuid.ts'
import { type AppendPlan, appendEntries, type Logged, type Place } from '../tlog/append-entries.ts'
import type { Entry } from '../tlog/log.ts'
import { type NewAlert, newAlertId, signAlert, stateAlert, type Target } from './alert.ts'
import { createBatcher, type Outcome } from './batcher.ts'
import { type Decision, decideIssues, type Issue, type Known } from './issue.ts'
import { presentAlert } from './present.ts'
import { type SavedDeliveries, saveAlerts } from './save-alerts.ts'
import * as store from './store.ts'

/** Replaced in tests by one that counts or fails. */
export type AppendEntries = (ctx: Context, tx: Tx, plan: AppendPlan) => Promise<Logged[]>

/** `isNew` is false if an alert with the same signal id existed before. */
export interface Issued {
  alert: store.StoredAlert
  isNew: boolean
}

export type IssueAlert = (issue: Issue) => Promise<Issued>

/** Limits how long one transaction holds the log's lock. */
const MAX_BATCH_SIZE = 500

/**
 * Issues alerts in batches: those requested during a transaction go into the next one. Signature,
 * log entry, alert and delivery are written in one transaction, so an alert exists with all of them
 * or not at all. An invalid alert fails alone; a database error fails the whole batch.
 */
export function createIssuer(ctx: Context, append: AppendEntries = appendEntries): IssueAlert {
  const issue = createBatcher(MAX_BATCH_SIZE, async (issues: Issue[]) => {
    try {
      return await issueTogether(ctx, append, issues)
    } catch (error) {
      if (issues.length === 1 || isOfAll(error)) throw error
      ctx.logger.warn(
        { err: error, alerts: issues.length },
        'issuing a batch of alerts failed, issuing each one separately',
      )
      return issueEach(ctx, append, issues)
    }
  })
  return async (one) => {
    const receivedMs = 'receivedMs' in one ? one.receivedMs : undefined
    const startMs = receivedMs ?? traceNow()
    const issued = await issue(one)
    if (issued.isNew) traceIssued(issued.alert, startMs)
    return issued
  }
}

/**
 * True if no alert can be issued now. All other refusals are of one alert, as when its author has
 * logged out.
 */
function isOfAll(error: unknown): boolean {
  return isDatabaseUnavailable(error) || (error instanceof Refusal && error.status >= 500)
}

async function issueEach(ctx: Context, append: AppendEntries, issues: Issue[]): Promise<Outcome<Issued>[]> {
  const outcomes: Outcome<Issued>[] = []
  for (const issue of issues) {
    const asked = issueAlert(ctx, issue, append)
    outcomes.push(await asked.then((value) => ({ value })).catch((failure: unknown) => ({ failure })))
  }
  return outcomes
}

/**
 * Issues one alert in its own transaction.
 * @throws Refusal not_found, alert_retracted, log_stopped, clock_wrong
 */
export async function issueAlert(ctx: Context, issue: Issue, append: AppendEntries = appendEntries): Promise<Issued> {
  const [outcome] = await issueTogether(ctx, append, [issue])
  if (!outcome) throw new Error('The batch returned no outcome for an alert')
  if ('failure' in outcome) throw outcome.failure
  return outcome.value
}

async function issueTogether(ctx: Context, append: AppendEntries, issues: Issue[]): Promise<Outcome<Issued>[]> {
  const startMs = traceNow()
  const outcomes = await ctx.db.pipeline(async (tx, { begun, commit }) => {
    let known: Known<store.StoredAlert> = { signals: new Map(), targets: new Map() }
    let decisions: Decision<store.StoredAlert>[] = []
    let stored: store.StoredAlert[] = []
    const written: Written[] = []
    await append(ctx, tx, {
      async read() {
        const [loaded] = await Promise.all([loadKnown(tx, issues), begun])
        known = loaded
      },
      async build() {
        decisions = decideIssues(issues, known)
        return decisions.flatMap((decision) => ('state' in decision ? [createBuilder(ctx, decision, written)] : []))
      },
      async save(logged) {
        stored = written.map((one, at) => toStored(one, logged[at]))
        await save(ctx, tx, written, stored, commit)
      },
    })
    return conclude(decisions, stored)
  })
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
 * Runs under the log's lock, like every insert of an alert, so the result stays valid until the new
 * ones are inserted.
 */
async function loadKnown(tx: Tx, issues: readonly Issue[]): Promise<Known<store.StoredAlert>> {
  const signalIds = issues.flatMap((issue) =>
    'signalId' in issue && issue.signalId !== undefined ? [issue.signalId] : [],
  )
  const targetIds = issues.flatMap((issue) => ('targetId' in issue && isUuid(issue.targetId) ? [issue.targetId] : []))
  return {
    signals: signalIds.length > 0 ? await store.findAlertsOfSignals(tx, signalIds) : new Map(),
    targets: targetIds.length > 0 ? await store.findTargets(tx, targetIds) : new Map(),
  }
}

interface Written {
  alert: NewAlert
  statement: AlertStatement
  signed: Entry
  at: Date
}

/** @param written receives the alerts that were built */
function createBuilder(
  ctx: Context,
  { state: alert, target }: { state: NewAlert; target: Target },
  written: Written[],
): (place: Place) => Entry {
  const { chainId, contract } = ctx.config.anchor
  return ({ index, signer, now, decideTime }) => {
    const createdAt = decideTime(alert.createdAt)
    const statement = stateAlert(alert, target, { index, id: newAlertId(createdAt), createdAt, signer })
    const signed = signAlert(statement, { chainId, verifyingContract: contract }, signer)
    written.push({ alert, statement, signed, at: now })
    return signed
  }
}

function toStored(
  { alert, statement, signed, at }: Written,
  logged: { index: number; leafHash: Uint8Array } | undefined,
): store.StoredAlert {
  if (logged?.index !== statement.index) throw new Error('The batch did not append each entry exactly once')
  const { id, priority, index: logIndex } = statement
  const createdAt = new Date(statement.createdAt)
  const { leafHash } = logged
  // Alerts logged in this transaction have no anchor yet, and nothing references them.
  return {
    id,
    logIndex,
    priority,
    createdAt,
    broadcastAt: alert.broadcast ? at : null,
    ...signed,
    leafHash,
    forecast: alert.forecast ?? null,
    ...store.unproved,
  }
}

/**
 * Sends the commit behind the inserts, unless callers write more in this transaction. Alerts refer
 * to their entries, so the transaction fails if those could not be written.
 */
async function save(
  ctx: Context,
  tx: Tx,
  written: Written[],
  stored: store.StoredAlert[],
  commit: () => Promise<void>,
): Promise<void> {
  const saving = saveAlerts(
    tx,
    written.map(({ statement, alert }, place) => ({
      statement,
      signalId: alert.signalId ?? null,
      message: alert.signalMessage ?? null,
      forecast: alert.forecast ?? null,
      broadcastAt: stored[place]?.broadcastAt ?? null,
    })),
  )
  const commitAll = () => {
    ctx.failpoint('append: before commit')
    const committing = commit()
    ctx.issued.expect(committing.then(async () => toBatch(await saving, stored)))
    ctx.failpoint('append: commit sent')
    return committing
  }
  if (written.some(({ alert }) => alert.alsoWrite)) {
    await saving
    for (const { alert, statement } of written) await alert.alsoWrite?.(tx, statement.id)
    return commitAll()
  }
  // The failure of the inserts is the cause of that of the commit.
  const [saved, committed] = await Promise.allSettled([saving, commitAll()])
  if (saved.status === 'rejected') throw saved.reason
  if (committed.status === 'rejected') throw committed.reason
}

function toBatch({ after, deliveries }: SavedDeliveries, stored: readonly store.StoredAlert[]): IssuedBatch | null {
  const last = deliveries.at(-1)
  if (!last) return null
  const byIndex = new Map(stored.map((alert) => [alert.logIndex, alert]))
  return {
    after,
    last: last.seq,
    deliveries: () =>
      deliveries.flatMap(({ seq, logIndex }) => {
        const alert = byIndex.get(logIndex)
        return alert?.broadcastAt
          ? [{ seq, at: alert.broadcastAt, logIndex, isOutcome: false, alert: presentAlert(alert) }]
          : []
      }),
  }
}

function conclude(
  decisions: readonly Decision<store.StoredAlert>[],
  stored: readonly store.StoredAlert[],
): Outcome<Issued>[] {
  const fresh = stored.values()
  const outcomes: Outcome<Issued>[] = []
  for (const decision of decisions) outcomes.push(concludeOne(decision, outcomes, fresh))
  return outcomes
}

function concludeOne(
  decision: Decision<store.StoredAlert>,
  earlier: readonly Outcome<Issued>[],
  fresh: Iterator<store.StoredAlert>,
): Outcome<Issued> {
  if ('refusal' in decision) return { failure: decision.refusal }
  if ('stored' in decision) return { value: { alert: decision.stored, isNew: false } }
  if ('sameAs' in decision) {
    const first = earlier[decision.sameAs]
    return first && 'value' in first ? { value: { ...first.value, isNew: false } } : { failure: new Error('Lost') }
  }
  const { value } = fresh.next()
  return value ? { value: { alert: value, isNew: true } } : { failure: new Error('An alert was not logged') }
}
