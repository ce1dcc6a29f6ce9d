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
  return changeViews(ctx, owner, async (tx, existing) => {
    assertNameFree(existing, name)
    assertRoom(existing)
    const at = ctx.clock.now()
    const row = await store.insertView(tx, { accountId: owner.accountId, name, filter, createdAt: at })
    await record(ctx, tx, owner, `View “${name}” saved`)
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
  return changeViews(ctx, owner, async (tx, existing) => {
    const before = existing.find((view) => view.id === id)
    if (!before) throw unknownView()
    const after = changeView(before, change)
    if (after === before) return before
    assertNameFree(existing, after.name, before)
    await store.updateView(tx, after)
    await record(ctx, tx, owner, describeViewChange(before, after))
    return after
  })
}

/** @throws Refusal not_found */
export async function deleteView(ctx: Context, owner: Owner, id: string): Promise<void> {
  await changeViews(ctx, owner, async (tx) => {
    const deleted = isUuid(id) ? await store.deleteView(tx, owner.accountId, id) : undefined
    if (!deleted) throw unknownView()
    await record(ctx, tx, owner, `View “${deleted.name}” deleted`)
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
  change: (tx: Tx, existing: store.ViewRow[]) => Promise<T>,
): Promise<T> {
  return ctx.db.transaction(async (tx) => {
    await lockActor(ctx, tx, owner)
    return change(tx, await store.listViews(tx, owner.accountId))
  })
}

/** Adds an entry to the activity log and notifies the other sessions of the account. */
async function record(ctx: Context, tx: Tx, { accountId, sessionId }: Owner, detail: string): Promise<void> {
  await recordActivity(tx, { accountId, kind: 'settings_changed', detail, at: ctx.clock.now() })
  await ctx.notifications.notify(tx, 'preferences', `${accountId}/${sessionId}`)
}

const unknownView = () => new Refusal('not_found', 'View not found')
