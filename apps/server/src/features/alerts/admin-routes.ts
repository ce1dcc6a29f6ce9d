import type { AuditAction, endpoints, PagedAlert } from '@tocsin/protocol'
import { getAuditActor, recordAudit } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import { createPage, parseCursor } from '../../http/cursor.ts'
import type { Handler, Input } from '../../http/route.ts'
import * as store from './admin-store.ts'
import { type AlsoWrite, pickAlertContent } from './alert.ts'
import { encodeAlerts } from './encoded-alerts.ts'
import type { IssueAlert } from './issue-alerts.ts'
import { presentAdminAlert } from './present.ts'
import { broadcastAlert as broadcast, getAdminAlert, loadAdminAlerts } from './service.ts'
import { listAllRows } from './store.ts'

type Endpoints = typeof endpoints

const LIST_LIMIT = 1_000

export async function createAlert(ctx: Context, input: Input<Endpoints['createAlert']>, issueAlert: IssueAlert) {
  const { broadcast } = input.body
  const alsoWrite = auditNewAlert(ctx, input, 'alert_created', { broadcast })
  const { alert } = await issueAlert({ content: pickAlertContent(input.body), origin: 'admin', broadcast, alsoWrite })
  return { alert: presentAdminAlert(alert), broadcast }
}

export async function correctAlert(ctx: Context, input: Input<Endpoints['correctAlert']>, issueAlert: IssueAlert) {
  const { broadcast } = input.body
  const targetId = input.params.id
  const alsoWrite = auditNewAlert(ctx, input, 'alert_corrected', { target: targetId, broadcast })
  const { alert } = await issueAlert({
    kind: 'correction',
    targetId,
    content: pickAlertContent(input.body),
    broadcast,
    alsoWrite,
  })
  return { alert: presentAdminAlert(alert), broadcast }
}

export async function retractAlert(ctx: Context, input: Input<Endpoints['retractAlert']>, issueAlert: IssueAlert) {
  const { reason, broadcast } = input.body
  const targetId = input.params.id
  const alsoWrite = auditNewAlert(ctx, input, 'alert_retracted', { target: targetId, broadcast })
  const { alert } = await issueAlert({ kind: 'retraction', targetId, reason, broadcast, alsoWrite })
  return { alert: presentAdminAlert(alert), broadcast }
}

export const broadcastAlert: Handler<Endpoints['broadcastAlert']> = async (ctx, input) =>
  presentAdminAlert(await broadcast(ctx, input.params.id, auditAlert(ctx, input, 'alert_broadcast', {})))

export async function listAlerts(ctx: Context): Promise<string> {
  const rows = await listAllRows(ctx.db, LIST_LIMIT)
  const alerts = await encodeAlerts(ctx, 'all', rows)
  const items = alerts.map(({ json }, index) => {
    const broadcastAt = rows[index]?.broadcastAt?.toISOString() ?? null
    return `${json.slice(0, -1)},"broadcastAt":${JSON.stringify(broadcastAt)}}`
  })
  return `[${items.join(',')}]`
}

/** Returns a function that writes the audit entry of an action on an alert. */
function auditAlert(
  ctx: Context,
  input: Parameters<typeof getAuditActor>[0],
  action: AuditAction,
  detail: { target?: string; broadcast?: boolean },
): AlsoWrite {
  return (tx, alertId) =>
    recordAudit(tx, { ...getAuditActor(input), action, subject: alertId, detail, at: ctx.clock.now() })
}

/**
 * Returns a function that writes the audit entry of a new alert, and stores the response if the
 * request has an Idempotency-Key.
 */
function auditNewAlert(
  ctx: Context,
  input: Input<Endpoints['createAlert' | 'correctAlert' | 'retractAlert']>,
  action: AuditAction,
  detail: { target?: string; broadcast: boolean },
): AlsoWrite {
  const audit = auditAlert(ctx, input, action, detail)
  return async (tx, alertId) => {
    await audit(tx, alertId)
    await input.saveResponse?.(tx, { alert: await getAdminAlert(tx, alertId), broadcast: input.body.broadcast })
  }
}

export const pageAlerts: Handler<Endpoints['pageAlerts']> = async (ctx, { query }) => {
  const { cursor, limit, ...selection } = query
  const [foundIndexes, matchingCount] = await Promise.all([
    store.listAlertIndexes(ctx.db, selection, { beforeIndex: parseCursor(cursor), limit: limit + 1 }),
    store.countAlerts(ctx.db, selection),
  ])
  const { items: indexes, nextCursor } = createPage(foundIndexes, limit, String)
  const [alerts, signals, broadcasts] = await Promise.all([
    loadAdminAlerts(ctx, indexes),
    store.listSignalsOf(ctx.db, indexes),
    store.listBroadcastsOf(ctx.db, indexes),
  ])
  const items = indexes.flatMap((index): PagedAlert[] => {
    const alert = alerts.get(index)
    if (!alert) return []
    const { count = 0, lastAt = null } = broadcasts.get(index) ?? {}
    const recipients = { count, lastAt: lastAt?.toISOString() ?? null }
    return [{ ...alert, signal: presentSignal(signals.get(index)), broadcasts: recipients }]
  })
  return { items, nextCursor, matching: matchingCount }
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
  const [listenerCount, entitledCount] = await Promise.all([
    countListening(),
    store.countEntitled(ctx.db, ctx.clock.now()),
  ])
  return { connected: listenerCount, entitled: entitledCount }
}
