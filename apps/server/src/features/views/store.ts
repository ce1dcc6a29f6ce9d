import { and, asc, eq, sql } from 'drizzle-orm'
import type { Queryable, Tx } from '../../db/database.ts'
import { alertViews } from '../../db/schema/views.ts'

export type ViewRow = typeof alertViews.$inferSelect

/** Returns the views, sorted by name. */
export function listViews(tx: Queryable, accountId: string): Promise<ViewRow[]> {
  const order = [asc(sql`lower(${alertViews.name})`), asc(alertViews.id)]
  return tx
    .select()
    .from(alertViews)
    .where(eq(alertViews.accountId, accountId))
    .orderBy(...order)
}

export async function insertView(tx: Tx, view: typeof alertViews.$inferInsert): Promise<ViewRow> {
  const [row] = await tx.insert(alertViews).values(view).returning()
  if (!row) throw new Error('The view was not inserted')
  return row
}

export async function updateView(tx: Tx, { id, name, filter }: Pick<ViewRow, 'id' | 'name' | 'filter'>): Promise<void> {
  await tx.update(alertViews).set({ name, filter }).where(eq(alertViews.id, id))
}

/** Returns undefined if the account has no such view. */
export async function deleteView(tx: Tx, accountId: string, id: string): Promise<ViewRow | undefined> {
  const [row] = await tx
    .delete(alertViews)
    .where(and(eq(alertViews.id, id), eq(alertViews.accountId, accountId)))
    .returning()
  return row
}
