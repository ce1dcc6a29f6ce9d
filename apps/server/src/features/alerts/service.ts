import type { AdminAlert, Alert } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { publicUntil } from '../../public-delay.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import type { AlsoWrite } from './alert.ts'
import { presentAdminAlert, presentAlert } from './present.ts'
import type { Readers } from './readable.ts'
import * as store from './store.ts'

/**
 * Sends an alert to everybody who may read it, again if need be.
 * @throws Refusal not_found
 */
export async function broadcastAlert(ctx: Context, id: string, alsoWrite?: AlsoWrite): Promise<store.StoredAlert> {
  return ctx.db.transaction(async (tx) => {
    await store.lockDeliveries(tx)
    const { logIndex } = await getAlert(tx, id)
    const now = ctx.clock.now()
    await store.setFirstBroadcast(tx, id, now)
    await store.insertDeliveries(tx, [logIndex], now)
    await alsoWrite?.(tx, id)
    await ctx.wake.notify(tx, 'deliveries')
    return getAlert(tx, id)
  })
}

async function getAlert(tx: Tx, id: string): Promise<store.StoredAlert> {
  const alert = isUuid(id) ? await store.findAlert(tx, 'all', id) : null
  if (!alert) throw new Refusal('not_found', 'There is no such alert')
  return alert
}

/**
 * In the transaction that states it too.
 * @throws Refusal not_found
 */
export async function getAdminAlert(tx: Tx, id: string): Promise<AdminAlert> {
  return presentAdminAlert(await getAlert(tx, id))
}

/** Who reads now. @param subscribed also what was sent out and is not public yet */
export function readersOf({ clock, config }: Context, subscribed: boolean): Readers {
  return { publicAt: publicUntil(clock.now(), config.publicDelayHours), subscribed }
}

/** What was sent out after a delivery number, in that order. An alert that was broadcast again comes again. */
export function loadDeliveries(ctx: Context, afterSeq: number, limit: number): Promise<Delivered[]> {
  return listDelivered(ctx, readersOf(ctx, true), afterSeq, limit)
}

/**
 * The same for accounts that could read then and no longer can. A correction or retraction that came later is not named
 * before it is public.
 */
export function loadOwedDeliveries(ctx: Context, afterSeq: number, limit: number): Promise<Delivered[]> {
  return listDelivered(ctx, readersOf(ctx, false), afterSeq, limit)
}

interface Delivered {
  seq: number
  at: Date
  alert: Alert
}

async function listDelivered(ctx: Context, readers: Readers, afterSeq: number, limit: number): Promise<Delivered[]> {
  const rows = await store.listDeliveries(ctx.db, readers, afterSeq, limit)
  return rows.map(({ seq, at, alert }) => ({ seq, at, alert: presentAlert(alert) }))
}

/** The alerts that were broadcast and have log indexes from `fromSize` up to below `toSize`, oldest first. */
export async function loadAlertsAnchoredBetween(ctx: Context, fromSize: number, toSize: number): Promise<Alert[]> {
  const rows = await store.listBroadcastBetween(ctx.db, readersOf(ctx, true), fromSize, toSize)
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

/** What is held of what the account has read, for its owner. */
export async function exportReadAlerts(ctx: Context, accountId: string): Promise<Record<string, unknown>[]> {
  return store.listReads(ctx.db, accountId)
}

/** As admins see them, by log index. */
export async function loadAdminAlerts(ctx: Context, indexes: number[]): Promise<Map<number, AdminAlert>> {
  if (indexes.length === 0) return new Map()
  const found = await store.listAlertsAt(ctx.db, 'all', indexes)
  return new Map([...found].map(([index, alert]) => [index, presentAdminAlert(alert)]))
}

/** From being logged to being anchored, of the newest; null where there is nothing to measure yet. */
export function medianToAnchorMs(ctx: Context): Promise<number | null> {
  return store.readMedianToAnchor(ctx.db, new Date(ctx.clock.now().getTime() - DAY_MS))
}
