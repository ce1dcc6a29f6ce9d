import type { Forecast, OutcomeStatement } from '@tocsin/proof'
import { and, asc, eq, inArray, isNotNull, isNull, sql } from 'drizzle-orm'
import type { Queryable, Tx } from '../../db/database.ts'
import { alertOutcomes, alertPredictions, alertSignals, alerts } from '../../db/schema/alerts.ts'
import { logEntries } from '../../db/schema/log.ts'
import type { OutcomeTarget } from './outcome.ts'

/**
 * Returns the alerts of these signals, by the hash of the signal. If several alerts have the same
 * signal, only the first of them can have an outcome.
 */
export async function findOutcomeTargets(tx: Tx, signalHashes: string[]): Promise<Map<string, OutcomeTarget>> {
  const rows = await tx
    .select({
      logIndex: alerts.logIndex,
      leafHash: logEntries.leafHash,
      signalHash: alerts.signalHash,
      origin: alerts.origin,
      broadcastAt: alerts.broadcastAt,
      message: alertSignals.message,
    })
    .from(alerts)
    .innerJoin(logEntries, eq(logEntries.index, alerts.logIndex))
    .leftJoin(alertSignals, eq(alertSignals.alertId, alerts.id))
    .where(and(inArray(alerts.signalHash, signalHashes), eq(alerts.kind, 'alert')))
    .orderBy(asc(alerts.logIndex))
  const targets = new Map<string, OutcomeTarget>()
  for (const { signalHash, broadcastAt, ...row } of rows) {
    if (signalHash === null || targets.has(signalHash)) continue
    targets.set(signalHash, { ...row, signalHash, isBroadcast: broadcastAt !== null, outcomes: [] })
  }
  await addOutcomes(tx, [...targets.values()])
  return targets
}

async function addOutcomes(tx: Tx, targets: readonly OutcomeTarget[]): Promise<void> {
  if (targets.length === 0) return
  const { targetIndex, messageHash, message } = alertOutcomes
  const indexes = targets.map(({ logIndex }) => logIndex)
  const rows = await tx
    .select({ targetIndex, messageHash, message })
    .from(alertOutcomes)
    .where(inArray(targetIndex, indexes))
  const byIndex = new Map(targets.map((target) => [target.logIndex, target]))
  for (const { targetIndex: index, ...outcome } of rows) byIndex.get(index)?.outcomes.push(outcome)
}

export async function insertOutcomes(
  tx: Tx,
  rows: readonly { statement: OutcomeStatement; message: string | null }[],
): Promise<void> {
  if (rows.length === 0) return
  const values = rows.map(
    ({ statement: { index, targetIndex, verdict, measured, createdAt, messageHash }, message }) => ({
      logIndex: index,
      targetIndex,
      verdict,
      measured,
      createdAt: new Date(createdAt),
      messageHash,
      message,
    }),
  )
  await tx.insert(alertOutcomes).values(values)
}

/** Returns which of these hashes belong to stored outcome messages. */
export async function listStoredOutcomes(tx: Queryable, hashes: string[]): Promise<Set<string>> {
  const { messageHash, message } = alertOutcomes
  const rows = await tx
    .select({ messageHash })
    .from(alertOutcomes)
    .where(and(inArray(messageHash, hashes), isNotNull(message)))
  return new Set(rows.map((row) => row.messageHash))
}

/** Stores the message of an outcome that `log adopt` has restored without its message. */
export async function restoreOutcomeMessage(tx: Queryable, messageHash: string, message: string): Promise<void> {
  await tx
    .update(alertOutcomes)
    .set({ message })
    .where(and(eq(alertOutcomes.messageHash, messageHash), isNull(alertOutcomes.message)))
}

export async function insertPredictions(
  tx: Queryable,
  rows: readonly { logIndex: number; forecast: Forecast }[],
): Promise<void> {
  if (rows.length === 0) return
  const values = rows.map((row) => ({ ...row, startsAt: new Date(row.forecast.prediction.startsAt) }))
  await tx.insert(alertPredictions).values(values).onConflictDoNothing()
}

/** Returns alerts that `log adopt` has restored without their signal message. */
export async function listWithoutMessage(tx: Queryable, signalHashes: string[]) {
  return tx
    .select({ id: alerts.id, logIndex: alerts.logIndex, signalHash: sql<string>`${alerts.signalHash}` })
    .from(alerts)
    .leftJoin(alertSignals, eq(alertSignals.alertId, alerts.id))
    .where(and(inArray(alerts.signalHash, signalHashes), isNull(alertSignals.alertId)))
}
