import { eq, sql } from 'drizzle-orm'
import type { Queryable, Tx } from './database.ts'
import { prepareSelect } from './prepared.ts'
import { settings } from './schema/server.ts'

/** When a backup was last verified is the time of this setting. */
export const BACKUP_SETTING = 'backup.verified'

export interface Setting {
  value: unknown
  updatedAt: Date
}

export async function findSetting(tx: Queryable, name: string): Promise<Setting | null> {
  const [row] = await selectSetting(tx, { name })
  return row ?? null
}

const selectSetting = prepareSelect<Setting[], { name: string }>('find_setting', (tx) =>
  tx
    .select({ value: settings.value, updatedAt: settings.updatedAt })
    .from(settings)
    .where(eq(settings.name, sql.placeholder('name'))),
)

/**
 * Locks a setting until the transaction ends. An advisory lock, because the setting may not have a
 * row yet that could be locked.
 */
export async function lockSetting(tx: Tx, name: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`setting ${name}`}, 0))`)
}

/** Also sets `updatedAt` if the value does not change. */
export async function saveSetting(tx: Queryable, name: string, value: unknown, now: Date): Promise<void> {
  const changed = { value, updatedAt: now }
  await tx
    .insert(settings)
    .values({ name, ...changed })
    .onConflictDoUpdate({ target: settings.name, set: changed })
}
