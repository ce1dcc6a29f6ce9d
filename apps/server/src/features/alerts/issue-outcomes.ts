import { hashSignal, type OutcomeStatement } from '@tocsin/proof'
import type { Context } from '../../context.ts'
import type { PipelineControl, Tx } from '../../db/database.ts'
import { isDatabaseUnavailable } from '../../db/unavailable.ts'
import { Refusal } from '../../refusal.ts'
import { createPositionAssigner, type EntryPosition, stopLogOnFault, writeEntries } from '../tlog/append-entries.ts'
import { lockLogAndRead } from '../tlog/lock-log.ts'
import { type Entry, LogFault, signStatement } from '../tlog/log.ts'
import { getProofDomain } from '../tlog/proof-domain.ts'
import {
  buildOutcomeStatement,
  decideOutcome,
  type NewOutcome,
  type OutcomeDecision,
  readOutcomeClaim,
} from './outcome.ts'
import * as outcomes from './outcome-store.ts'
import { insertDeliveries } from './store.ts'

/** The result for an outcome message. A `known` message was logged before and changes nothing. */
export type OutcomeResult = 'logged' | 'known' | { refusal: string }

interface SignedOutcome {
  outcome: NewOutcome
  statement: OutcomeStatement
  entry: Entry
  at: Date
}

/**
 * Logs the outcomes that follow from these messages, in one transaction. If that fails because of a
 * message, each outcome is logged in its own transaction, so that only that message is refused. The
 * first outcome of an alert counts. Later outcomes with other candles are logged too. Idempotent.
 * @throws Refusal log_stopped, clock_wrong; LogFault; or the error of an unavailable database.
 *   Outcomes of earlier transactions stay logged.
 */
export async function issueOutcomes(ctx: Context, texts: readonly string[]): Promise<OutcomeResult[]> {
  try {
    return await issueBatch(ctx, texts)
  } catch (error) {
    if (error instanceof Refusal || error instanceof LogFault || isDatabaseUnavailable(error)) throw error
    ctx.logger.error({ err: error, outcomes: texts.length }, 'logging outcomes failed')
    if (texts.length === 1) return [{ refusal: 'It could not be stored' }]
    const results: OutcomeResult[] = []
    for (const text of texts) results.push(...(await issueOutcomes(ctx, [text])))
    return results
  }
}

async function issueBatch(ctx: Context, texts: readonly string[]): Promise<OutcomeResult[]> {
  const results = await ctx.db.pipeline((tx, control) =>
    stopLogOnFault(ctx, () => logOutcomes(ctx, tx, texts, control)),
  )
  ctx.failpoint('append: after commit')
  return results
}

async function logOutcomes(
  ctx: Context,
  tx: Tx,
  texts: readonly string[],
  { begun, commit }: PipelineControl,
): Promise<OutcomeResult[]> {
  const { log } = await lockLogAndRead(ctx, tx, () => begun)
  const decisions = await decideAll(tx, texts, log.clocks.databaseAt)
  const newOutcomes = decisions.flatMap((decision) => ('newOutcome' in decision ? [decision.newOutcome] : []))
  if (newOutcomes.length > 0) {
    const assignPosition = createPositionAssigner(ctx, log)
    const signedOutcomes = newOutcomes.map((outcome) => sign(ctx, outcome, assignPosition()))
    const entries = signedOutcomes.map(({ entry }) => entry)
    await writeEntries(ctx, tx, log, entries, log.head.signer)
    await save(ctx, tx, signedOutcomes)
  }
  await restoreMessages(tx, texts, decisions)
  ctx.failpoint('append: before commit')
  const committing = commit()
  ctx.failpoint('append: commit sent')
  await committing
  return decisions.map(toResult)
}

/**
 * Decides for each message whether it becomes an outcome. Callers must hold the log's lock, so that
 * no other outcome of these alerts is logged in between.
 */
async function decideAll(tx: Tx, texts: readonly string[], now: Date): Promise<OutcomeDecision[]> {
  const claims = texts.map(readOutcomeClaim)
  const hashes = [...new Set(claims.flatMap((claim) => claim?.signalHash ?? []))]
  const targets = hashes.length > 0 ? await outcomes.findOutcomeTargets(tx, hashes) : new Map<string, never>()
  return texts.map((text, index) => {
    const claim = claims[index]
    if (!claim) return { refusal: 'The message does not identify a signal' }
    return decideOutcome(text, targets.get(claim.signalHash) ?? null, now)
  })
}

function sign(ctx: Context, outcome: NewOutcome, { index, signer, now, decideTime }: EntryPosition): SignedOutcome {
  const statement = buildOutcomeStatement(outcome, { index, createdAt: decideTime(), signer })
  return { outcome, statement, entry: signStatement(statement, getProofDomain(ctx), signer), at: now }
}

async function save(ctx: Context, tx: Tx, signedOutcomes: readonly SignedOutcome[]): Promise<void> {
  await outcomes.insertOutcomes(
    tx,
    signedOutcomes.map(({ statement, outcome: { message } }) => ({ statement, message })),
  )
  const broadcastOutcomes = signedOutcomes.filter(({ outcome: { target } }) => target.isBroadcast)
  const [first] = broadcastOutcomes
  if (!first) return
  const seq = await insertDeliveries(
    tx,
    broadcastOutcomes.map(({ statement }) => statement.index),
    first.at,
  )
  await ctx.notifications.notify(tx, 'deliveries', String(seq))
}

async function restoreMessages(tx: Tx, texts: readonly string[], decisions: readonly OutcomeDecision[]): Promise<void> {
  for (const [at, text] of texts.entries()) {
    const decision = decisions[at]
    if (!decision || !('known' in decision)) continue
    const hash = hashSignal(text)
    const isMissing = decision.known.outcomes.some((known) => known.messageHash === hash && known.message === null)
    if (isMissing) await outcomes.restoreOutcomeMessage(tx, hash, text)
  }
}

function toResult(decision: OutcomeDecision): OutcomeResult {
  if ('refusal' in decision) return decision
  return 'newOutcome' in decision ? 'logged' : 'known'
}
