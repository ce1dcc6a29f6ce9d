import type { endpoints, ScheduledAlert } from '@tocsin/protocol'
import { getAuditActor, recordAudit } from '../../audit-log.ts'
import type { Tx } from '../../db/database.ts'
import { createPage } from '../../http/cursor.ts'
import type { Handler } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import { scheduledStateAt } from './schedule.ts'
import * as store from './store.ts'

type Endpoints = typeof endpoints

export const listScheduledAlerts: Handler<Endpoints['listScheduledAlerts']> = async (ctx, { query }) => {
  const rows = await store.listScheduled(ctx.db, query.cursor, query.limit + 1)
  const { items, nextCursor } = createPage(rows, query.limit, (row) => row.scheduled.id)
  return { items: items.map((row) => present(row, ctx.clock.now())), nextCursor }
}

export const scheduleAlert: Handler<Endpoints['scheduleAlert']> = async (ctx, input) => {
  const at = ctx.clock.now()
  const row = { ...input.body, issueAt: parseFutureTime(input.body.issueAt, at) }
  const by = getAuditActor(input)
  return ctx.db.transaction(async (tx) => {
    const id = await store.insertScheduled(tx, { ...row, createdAt: at, createdBy: by.actorId })
    const detail = { issueAt: input.body.issueAt, priority: row.priority }
    await recordAudit(tx, { ...by, action: 'alert_scheduled', subject: id, detail, at })
    return present(await store.getScheduled(tx, id), at)
  })
}

export const changeScheduledAlert: Handler<Endpoints['changeScheduledAlert']> = async (ctx, input) => {
  const { id } = input.params
  const at = ctx.clock.now()
  const by = getAuditActor(input)
  // The account that changes an alert becomes its author. The permission of the author is checked
  // when the alert is issued.
  const change = {
    ...input.body,
    issueAt: parseFutureTime(input.body.issueAt, at),
    problem: null,
    createdBy: by.actorId,
  }
  return ctx.db.transaction(async (tx) => {
    await lockWaitingAlert(tx, id, at)
    await store.updateScheduled(tx, id, change)
    const detail = { issueAt: input.body.issueAt, priority: change.priority }
    await recordAudit(tx, { ...by, action: 'scheduled_alert_changed', subject: id, detail, at })
    return present(await store.getScheduled(tx, id), at)
  })
}

export const cancelScheduledAlert: Handler<Endpoints['cancelScheduledAlert']> = async (ctx, input) => {
  const { id } = input.params
  const at = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    await lockWaitingAlert(tx, id, at)
    await store.updateScheduled(tx, id, { cancelledAt: at })
    await recordAudit(tx, { ...getAuditActor(input), action: 'scheduled_alert_cancelled', subject: id, at })
  })
  return { success: true, message: 'The scheduled alert is cancelled.' }
}

function parseFutureTime(issueAt: string, now: Date): Date {
  const at = new Date(issueAt)
  if (at <= now) throw new Refusal('time_in_past', 'The time is in the past. Alerts cannot be backdated.')
  return at
}

async function lockWaitingAlert(tx: Tx, id: string, now: Date): Promise<void> {
  const row = isUuid(id) ? await store.lockScheduled(tx, id) : null
  if (!row) throw new Refusal('not_found', 'Scheduled alert not found.')
  const state = scheduledStateAt(row, now)
  if (state !== 'waiting') throw new Refusal('already_resolved', `This alert is already ${state}.`)
}

function present({ scheduled, creatorName }: store.ListedScheduled, now: Date): ScheduledAlert {
  const { id, asset, priority, anomalyType, regime, summary, confidence, issueAt, createdAt, alertId, problem } =
    scheduled
  return {
    ...{ id, asset, priority, anomalyType, regime, summary, confidence, alertId, problem },
    issueAt: issueAt.toISOString(),
    state: scheduledStateAt(scheduled, now),
    createdAt: createdAt.toISOString(),
    createdBy: creatorName,
  }
}
