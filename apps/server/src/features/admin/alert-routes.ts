import type { AdminAlert, endpoints, PagedAlert } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import { parseCursor } from '../../http/cursor.ts'
import type { Input } from '../../http/route.ts'
import * as store from './alert-store.ts'

type Endpoints = typeof endpoints

/** Alerts with their proofs, by log index. */
export type LoadAlerts = (ctx: Context, indexes: number[]) => Promise<Map<number, AdminAlert>>

export async function pageAlerts(ctx: Context, { query }: Input<Endpoints['pageAlerts']>, loadAlerts: LoadAlerts) {
  const { cursor, limit, ...selection } = query
  const [indexes, matching] = await Promise.all([
    store.listAlertIndexes(ctx.db, selection, { beforeIndex: parseCursor(cursor), limit }),
    store.countAlerts(ctx.db, selection),
  ])
  const [alerts, signals, broadcasts] = await Promise.all([
    loadAlerts(ctx, indexes),
    store.listSignalsOf(ctx.db, indexes),
    store.listBroadcastsOf(ctx.db, indexes),
  ])
  const items = indexes.flatMap((index): PagedAlert[] => {
    const alert = alerts.get(index)
    if (!alert) return []
    const { count = 0, lastAt = null } = broadcasts.get(index) ?? {}
    const sent = { count, lastAt: lastAt?.toISOString() ?? null }
    return [{ ...alert, signal: presentSignal(signals.get(index)), broadcasts: sent }]
  })
  const last = indexes.length === limit ? indexes.at(-1) : undefined
  return { items, nextCursor: last === undefined ? null : String(last), matching }
}

type SignalRow = Awaited<ReturnType<typeof store.listSignalsOf>> extends Map<number, infer Row> ? Row : never

function presentSignal(row: SignalRow | undefined): PagedAlert['signal'] {
  if (!row) return null
  return {
    observedAt: row.observedAt.toISOString(),
    receivedAt: row.receivedAt.toISOString(),
    isLate: row.isLate,
    repeats: row.repeats,
    lastRepeatAt: row.lastRepeatAt?.toISOString() ?? null,
  }
}

export async function countRecipients(
  ctx: Context,
  _input: Input<Endpoints['countRecipients']>,
  countListening: () => Promise<number>,
) {
  const [connected, entitled] = await Promise.all([countListening(), store.countEntitled(ctx.db, ctx.clock.now())])
  return { connected, entitled }
}
