import { defaultPreferences, type Preferences } from '@tocsin/protocol'
import { eq, sql } from 'drizzle-orm'
import type { Queryable, Tx } from '../../db/database.ts'
import { prepareSelect } from '../../db/prepared.ts'
import { preferences } from '../../db/schema/accounts.ts'

const columns = {
  realTimeAlerts: preferences.realTimeAlerts,
  autoVerify: preferences.autoVerify,
  highPriorityOnly: preferences.highPriorityOnly,
  outcomeToasts: preferences.outcomeToasts,
  browserNotifications: preferences.browserNotifications,
  pushContent: preferences.pushContent,
  sound: preferences.sound,
  soundFrom: preferences.soundFrom,
  soundVolume: preferences.soundVolume,
  shortcuts: preferences.shortcuts,
  density: preferences.density,
  timeZone: preferences.timeZone,
  hourCycle: preferences.hourCycle,
  watchlist: preferences.watchlist,
}

/** Returns the stored preferences, or the defaults. */
export async function findPreferences(tx: Queryable, accountId: string): Promise<Preferences> {
  const [row] = await tx.select(columns).from(preferences).where(eq(preferences.accountId, accountId))
  return row ?? defaultPreferences
}

type ChannelPreferences = Pick<Preferences, 'watchlist' | 'pushContent'>

/**
 * Returns the preferences that channels need, by account. Accounts without stored preferences are
 * missing.
 */
export async function listChannelPreferences(
  tx: Queryable,
  accountIds: string[],
): Promise<Map<string, ChannelPreferences>> {
  if (accountIds.length === 0) return new Map()
  return new Map((await selectChannelPreferences(tx, { accountIds })).map((row) => [row.accountId, row]))
}

const selectChannelPreferences = prepareSelect<
  (ChannelPreferences & { accountId: string })[],
  { accountIds: string[] }
>('channel_preferences', (tx) => {
  const { accountId, watchlist, pushContent } = preferences
  return tx
    .select({ accountId, watchlist, pushContent })
    .from(preferences)
    .where(sql`${accountId} = any(${sql.placeholder('accountIds')}::uuid[])`)
})

/**
 * Creates the row if it does not exist and locks it, so that concurrent changes do not overwrite
 * each other.
 */
export async function lockPreferences(tx: Tx, accountId: string, now: Date): Promise<Preferences> {
  await tx
    .insert(preferences)
    .values({ accountId, ...defaultPreferences, updatedAt: now })
    .onConflictDoNothing()
  const [row] = await tx.select(columns).from(preferences).where(eq(preferences.accountId, accountId)).for('update')
  if (!row) throw new Error('The preferences row was deleted concurrently')
  return row
}

export async function updatePreferences(tx: Tx, accountId: string, values: Preferences, now: Date): Promise<void> {
  await tx
    .update(preferences)
    .set({ ...values, updatedAt: now })
    .where(eq(preferences.accountId, accountId))
}
