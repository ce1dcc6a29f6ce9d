import type { ViewFilter } from '@tocsin/protocol'
import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import type { Actor } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import { lockActor } from '../sessions/lock-actor.ts'
import * as store from './store.ts'
import { assertNameFree, assertRoom, changeView, describeViewChange } from './view.ts'

type Owner = Pick<Actor, 'accountId' | 'sessionId'>

/** @throws Refusal too_many_views, view_name_taken */
export async function createView(
  ctx: Context,
  owner: Owner,
  { name, filter }: { name: string; filter: ViewFilter },
): Promise<store.ViewRow> {
  return changeViews(ctx, owner, async (tx, existingViews) => {
    assertNameFree(existingViews, name)
    assertRoom(existingViews)
    const at = ctx.clock.now()
    const row = await store.insertView(tx, { accountId: owner.accountId, name, filter, createdAt: at })
    await recordViewChange(ctx, tx, owner, `View “${name}” saved`)
    return row
  })
}

/** @throws Refusal not_found, view_name_taken */
export async function updateView(
  ctx: Context,
  owner: Owner,
  id: string,
  change: { name?: string | undefined; filter?: ViewFilter | undefined },
): Promise<store.ViewRow> {
  return changeViews(ctx, owner, async (tx, existingViews) => {
    const formerView = existingViews.find((view) => view.id === id)
    if (!formerView) throw createUnknownRefusal()
    const changedView = changeView(formerView, change)
    if (changedView === formerView) return formerView
    assertNameFree(existingViews, changedView.name, formerView)
    await store.updateView(tx, changedView)
    await recordViewChange(ctx, tx, owner, describeViewChange(formerView, changedView))
    return changedView
  })
}

/** @throws Refusal not_found */
export async function deleteView(ctx: Context, owner: Owner, id: string): Promise<void> {
  await changeViews(ctx, owner, async (tx) => {
    const deletedView = isUuid(id) ? await store.deleteView(tx, owner.accountId, id) : undefined
    if (!deletedView) throw createUnknownRefusal()
    await recordViewChange(ctx, tx, owner, `View “${deletedView.name}” deleted`)
  })
}

/** Returns the views for the account export. */
export async function exportViews({ db }: Context, accountId: string): Promise<Record<string, unknown>[]> {
  const rows = await store.listViews(db, accountId)
  return rows.map(({ name, filter, createdAt }) => ({ name, filter, createdAt }))
}

/**
 * Runs a change with the account locked, so that concurrent changes cannot exceed the limit or use
 * the same name.
 */
function changeViews<T>(
  ctx: Context,
  owner: Owner,
  change: (tx: Tx, existingViews: store.ViewRow[]) => Promise<T>,
): Promise<T> {
  return ctx.db.transaction(async (tx) => {
    await lockActor(ctx, tx, owner)
    return change(tx, await store.listViews(tx, owner.accountId))
  })
}

/** Adds an entry to the activity log and notifies the other sessions of the account. */
async function recordViewChange(ctx: Context, tx: Tx, { accountId, sessionId }: Owner, detail: string): Promise<void> {
  await recordActivity(tx, { accountId, kind: 'settings_changed', detail, at: ctx.clock.now() })
  await ctx.notifications.notify(tx, 'preferences', `${accountId}/${sessionId}`)
}

const createUnknownRefusal = () => new Refusal('not_found', 'View not found')
