import type { AdminAlert, Alert } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import type { Context } from '../../context.ts'
import type { Queryable, Tx } from '../../db/database.ts'
import type { IssuedDelivery } from '../../issued-deliveries.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import { readAccessOf } from '../access/read-access.ts'
import type { ReadAccess, Visibility } from '../access/readable.ts'
import type { AlsoWrite } from './alert.ts'
import { presentAdminAlert, presentAlert } from './present.ts'
import * as store from './store.ts'

/**
 * Broadcasts an alert to everyone who may read it. A repeated call broadcasts it again.
 * @throws Refusal not_found
 */
export async function broadcastAlert(ctx: Context, id: string, alsoWrite?: AlsoWrite): Promise<store.StoredAlert> {
  return ctx.db.transaction(async (tx) => {
    await store.lockDeliveries(tx)
    const { logIndex } = await getAlert(tx, id)
    const now = ctx.clock.now()
    await store.setFirstBroadcast(tx, id, now)
    const seq = await store.insertDeliveries(tx, [logIndex], now)
    await alsoWrite?.(tx, id)
    await ctx.notifications.notify(tx, 'deliveries', String(seq))
    return getAlert(tx, id)
  })
}

async function getAlert(tx: Tx, id: string): Promise<store.StoredAlert> {
  const alert = isUuid(id) ? await store.findAlert(tx, 'all', id) : null
  if (!alert) throw new Refusal('not_found', 'Alert not found')
  return alert
}

/**
 * Returns an alert that the caller may read.
 * @throws Refusal not_found, the same for an unreadable as for an unknown alert
 */
export async function getReadableAlert(tx: Queryable, visibility: Visibility, id: string): Promise<store.StoredAlert> {
  const alert = isUuid(id) ? await store.findAlert(tx, visibility, id) : null
  if (!alert) throw new Refusal('not_found', 'Alert not found, or you do not have access to it')
  return alert
}

/**
 * Returns the admin view of an alert. Also works in the transaction that inserts it.
 * @throws Refusal not_found
 */
export async function getAdminAlert(tx: Tx, id: string): Promise<AdminAlert> {
  return presentAdminAlert(await getAlert(tx, id))
}

/**
 * Returns the deliveries after a delivery number, in order. An alert that was broadcast again is
 * listed again.
 */
export function loadDeliveries(ctx: Context, afterSeq: number, limit: number): Promise<IssuedDelivery[]> {
  return listDelivered(ctx, readAccessOf(ctx, true), afterSeq, limit)
}

/** Returns these deliveries, with the full contents of their alerts, in no particular order. */
export async function loadDeliveriesAt(ctx: Context, seqs: number[]): Promise<IssuedDelivery[]> {
  return (await store.listDeliveriesAt(ctx.db, readAccessOf(ctx, true), seqs)).map(presentDelivered)
}

/**
 * Like `loadDeliveries`, for accounts whose right to read has ended. The alerts do not refer to
 * their corrections, retractions and outcomes until these are public.
 */
export function loadOwedDeliveries(ctx: Context, afterSeq: number, limit: number): Promise<IssuedDelivery[]> {
  return listDelivered(ctx, readAccessOf(ctx, false), afterSeq, limit)
}

async function listDelivered(
  ctx: Context,
  access: ReadAccess,
  afterSeq: number,
  limit: number,
): Promise<IssuedDelivery[]> {
  return (await store.listDeliveries(ctx.db, access, afterSeq, limit)).map(presentDelivered)
}

type StoredDelivery = Awaited<ReturnType<typeof store.listDeliveries>>[number]

const presentDelivered = ({ alert, ...row }: StoredDelivery): IssuedDelivery => ({ ...row, alert: presentAlert(alert) })

export function isReadableAt(ctx: Context, access: ReadAccess, logIndex: number): Promise<boolean> {
  return store.isReadableAlert(ctx.db, access, logIndex)
}

const MAX_LISTED_ALERTS = 20_000

/**
 * Returns the readable alerts that were broadcast at or after `since`, oldest first. If there are
 * more than 20,000, returns the newest of them.
 */
export async function listBroadcastAlerts(ctx: Context, access: ReadAccess, since: Date) {
  const rows = await store.listIssuedSince(ctx.db, access, since, MAX_LISTED_ALERTS)
  return rows
    .reverse()
    .flatMap(({ broadcastAt, outcomes, ...row }) =>
      broadcastAt === null ? [] : [{ ...row, broadcastAt, verdict: outcomes?.[0]?.verdict ?? null }],
    )
}

/** Returns the newest alerts that a caller with this access may read in full, newest first. */
export async function listReadableAlerts(ctx: Context, access: ReadAccess, limit: number): Promise<Alert[]> {
  const list = access.subscribed ? store.listShownAlerts : store.listPublicAlerts
  return (await list(ctx.db, access, limit)).map(presentAlert)
}

/**
 * Returns broadcast alerts with log indexes from `fromSize` up to, not including, `toSize`, oldest
 * first.
 */
export async function loadAlertsAnchoredBetween(ctx: Context, fromSize: number, toSize: number): Promise<Alert[]> {
  const rows = await store.listBroadcastBetween(ctx.db, readAccessOf(ctx, true), fromSize, toSize)
  return rows.reverse().map(presentAlert)
}

/** Returns the last delivery number, or 0 before the first delivery. */
export async function findLastDeliverySeq(ctx: Context): Promise<number> {
  return (await store.findLastSeq(ctx.db)) ?? 0
}

/** Returns the highest log index of all deliveries, or null before the first delivery. */
export function findHighestDeliveredIndex(ctx: Context): Promise<number | null> {
  return store.findHighestDelivered(ctx.db)
}

/**
 * Returns the delivery number from which to resume a client that has seen alerts up to `lastIndex`.
 * The client may get duplicates, but misses nothing.
 */
export async function findResumePoint(ctx: Context, lastIndex: number): Promise<number> {
  // The client may have seen a draft when it became public. Alerts that were broadcast since may
  // have lower indexes, and the draft itself may have been broadcast after them. So resume from the
  // newest alert that was delivered when the entry was logged.
  const deliveredIndex = await store.findDeliveredWhenLogged(ctx.db, lastIndex)
  const deliveredSeq = deliveredIndex === null ? null : await store.findFirstSeq(ctx.db, deliveredIndex)
  return deliveredSeq ?? ((await store.findFirstSeq(ctx.db)) ?? 1) - 1
}

/** Returns the stored read state, for the account's data export. */
export async function exportReadAlerts(ctx: Context, accountId: string): Promise<Record<string, unknown>[]> {
  return store.listReads(ctx.db, accountId)
}

/** Returns the admin view of alerts, by log index. */
export async function loadAdminAlerts(ctx: Context, indexes: number[]): Promise<Map<number, AdminAlert>> {
  const alertsByIndex = await store.listAlertsAt(ctx.db, 'all', indexes)
  return new Map([...alertsByIndex].map(([index, alert]) => [index, presentAdminAlert(alert)]))
}

/**
 * Returns the median time from logging to anchoring of the newest alerts, or null if there is
 * nothing to measure.
 */
export function findMedianToAnchorMs(ctx: Context): Promise<number | null> {
  return store.readMedianToAnchor(ctx.db, new Date(ctx.clock.now().getTime() - DAY_MS))
}
