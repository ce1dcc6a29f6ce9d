import { sql } from 'drizzle-orm'
import type { Queryable, Tx } from './database.ts'
import { prepareSelect } from './prepared.ts'
import { settings } from './schema/server.ts'

/** Name of the setting whose `updatedAt` is the time when a backup was last verified. */
export const BACKUP_SETTING = 'backup.verified'

export interface Setting {
  value: unknown
  updatedAt: Date
}

/** Finds a setting. Outside of transactions, reads that begin in the same tick share a query. */
export async function findSetting(tx: Queryable, name: string): Promise<Setting | null> {
  const read = 'pipeline' in tx ? readInBatch(tx, name) : readSettings(tx, new Set([name]))
  return (await read).find((row) => row.name === name) ?? null
}

type NamedSetting = Setting & { name: string }

const batches = new WeakMap<Queryable, { names: Set<string>; rows: Promise<NamedSetting[]> }>()

function readInBatch(tx: Queryable, name: string): Promise<NamedSetting[]> {
  const batch = batches.get(tx) ?? startBatch(tx)
  batch.names.add(name)
  return batch.rows
}

function startBatch(tx: Queryable) {
  const names = new Set<string>()
  const rows = Promise.resolve().then(() => {
    batches.delete(tx)
    return readSettings(tx, names)
  })
  const batch = { names, rows }
  batches.set(tx, batch)
  return batch
}

const readSettings = (tx: Queryable, names: ReadonlySet<string>) => selectSettings(tx, { names: [...names] })

const selectSettings = prepareSelect<NamedSetting[], { names: string[] }>('find_settings', (tx) =>
  tx
    .select()
    .from(settings)
    .where(sql`${settings.name} = any(${sql.placeholder('names')})`),
)

/**
 * Locks a setting until the transaction ends. Uses an advisory lock, because the setting may not
 * have a row yet.
 */
export async function lockSetting(tx: Tx, name: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`setting ${name}`}, 0))`)
}

/** Saves a setting. Sets `updatedAt` even if the value does not change. */
export async function saveSetting(tx: Queryable, name: string, value: unknown, now: Date): Promise<void> {
  const changedColumns = { value, updatedAt: now }
  await tx
    .insert(settings)
    .values({ name, ...changedColumns })
    .onConflictDoUpdate({ target: settings.name, set: changedColumns })
}
