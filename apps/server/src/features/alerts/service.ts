import type { Alert } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import { type NewAlert, newAlertId, signAlert, stateAlert } from './alert.ts'
import { presentAlert } from './present.ts'
import * as store from './store.ts'

/** Logs one entry in the caller's transaction; `build` is called under the log's lock with the entry's index. */
export type AppendEntry = (
  ctx: Context,
  tx: Tx,
  build: (index: number) => { bytes: Uint8Array; signature: string },
) => Promise<{ index: number }>

/**
 * States an alert: signature, log entry, alert and delivery are one transaction, so it exists with all of them or not at
 * all. A signal id that was stated before gives that alert and makes nothing (`isNew` false).
 */
export async function issueAlert(
  ctx: Context,
  appendEntry: AppendEntry,
  alert: NewAlert,
): Promise<{ alert: store.StoredAlert; isNew: boolean }> {
  return ctx.db.transaction(async (tx) => {
    const { signalId } = alert
    if (signalId !== undefined) {
      await store.lockSignal(tx, signalId)
      const existing = await store.findAlertOfSignal(tx, signalId)
      if (existing) return { alert: existing, isNew: false }
    }
    const id = await stateAndLog(ctx, tx, appendEntry, alert)
    return { alert: await getAlert(tx, id), isNew: true }
  })
}

async function stateAndLog(ctx: Context, tx: Tx, appendEntry: AppendEntry, alert: NewAlert): Promise<string> {
  const { signer, config } = ctx
  const domain = { chainId: config.anchor.chainId, verifyingContract: config.anchor.contract }
  let statement: ReturnType<typeof stateAlert> | undefined
  await appendEntry(ctx, tx, (index) => {
    // The clock is read under the log's lock: by one clock, later entries never have earlier times.
    const createdAt = alert.createdAt ?? ctx.clock.now()
    statement = stateAlert(alert, { index, id: newAlertId(createdAt), createdAt, signer })
    return signAlert(statement, domain, signer)
  })
  if (!statement) throw new Error('The log was appended to without asking for an entry')
  const broadcastAt = alert.broadcast ? ctx.clock.now() : null
  await store.insertAlert(tx, statement, { signalId: alert.signalId ?? null, broadcastAt })
  if (broadcastAt) await deliver(ctx, tx, statement.index, broadcastAt)
  return statement.id
}

/**
 * Sends an alert to everybody who may read it, again if need be.
 * @throws Refusal not_found
 */
export async function broadcastAlert(ctx: Context, id: string): Promise<store.StoredAlert> {
  return ctx.db.transaction(async (tx) => {
    await store.lockDeliveries(tx)
    const { logIndex } = await getAlert(tx, id)
    const now = ctx.clock.now()
    await store.setFirstBroadcast(tx, id, now)
    await deliver(ctx, tx, logIndex, now)
    return getAlert(tx, id)
  })
}

/** Only under the lock of the log's head. */
async function deliver(ctx: Context, tx: Tx, logIndex: number, at: Date): Promise<void> {
  await store.insertDelivery(tx, logIndex, at)
  await ctx.wake.notify(tx, 'deliveries')
}

async function getAlert(tx: Tx, id: string): Promise<store.StoredAlert> {
  const alert = isUuid(id) ? await store.findAlert(tx, id) : null
  if (!alert) throw new Refusal('not_found', 'There is no such alert')
  return alert
}

/** What was sent out after a delivery number, in that order. An alert that was broadcast again comes again. */
export async function loadDeliveries(
  ctx: Context,
  afterSeq: number,
  limit: number,
): Promise<{ seq: number; alert: Alert }[]> {
  const rows = await store.listDeliveries(ctx.db, afterSeq, limit)
  return rows.map(({ seq, alert }) => ({ seq, alert: presentAlert(alert) }))
}

/** The alerts that were broadcast and have log indexes from `fromSize` up to below `toSize`, oldest first. */
export async function loadAlertsAnchoredBetween(ctx: Context, fromSize: number, toSize: number): Promise<Alert[]> {
  const rows = await store.listBroadcastBetween(ctx.db, fromSize, toSize)
  return rows.reverse().map(presentAlert)
}

/** 0 before the first delivery. */
export async function lastDeliverySeq(ctx: Context): Promise<number> {
  return (await store.findLastSeq(ctx.db)) ?? 0
}

/**
 * The delivery number after which a client is to be served whose highest log index is `lastIndex`. It may be served something
 * twice, but misses nothing.
 */
export async function resumePoint(ctx: Context, lastIndex: number): Promise<number> {
  const seen = await store.findFirstSeq(ctx.db, { index: lastIndex })
  if (seen !== null) return seen
  const next = await store.findFirstSeq(ctx.db, { above: lastIndex })
  return next === null ? lastDeliverySeq(ctx) : next - 1
}

const DAY_MS = 86_400_000

/** Measured from the tables. `averageConfidence` is over all alerts, in percent; null stands for nothing to measure yet. */
export async function alertFigures(ctx: Context): Promise<{
  total: number
  critical: number
  last24Hours: number
  criticalLast24Hours: number
  averageConfidence: number | null
  medianToAnchorMs: number | null
}> {
  const since = new Date(ctx.clock.now().getTime() - DAY_MS)
  const [counts, medianToAnchorMs] = await Promise.all([
    store.readCounts(ctx.db, since),
    store.readMedianToAnchor(ctx.db, since),
  ])
  return { ...counts, medianToAnchorMs }
}
