import { defaultPreferences, type Preferences } from '@tocsin/protocol'
import { eq } from 'drizzle-orm'
import type { Queryable, Tx } from '../../db/database.ts'
import { preferences } from '../../db/schema.ts'

const columns = {
  realTimeAlerts: preferences.realTimeAlerts,
  autoVerify: preferences.autoVerify,
  highPriorityOnly: preferences.highPriorityOnly,
  browserNotifications: preferences.browserNotifications,
  sound: preferences.sound,
  soundFrom: preferences.soundFrom,
  soundVolume: preferences.soundVolume,
  shortcuts: preferences.shortcuts,
  density: preferences.density,
  timeZone: preferences.timeZone,
  hourCycle: preferences.hourCycle,
}

/** What the account has chosen, the defaults where it never did. */
export async function findPreferences(tx: Queryable, accountId: string): Promise<Preferences> {
  const [row] = await tx.select(columns).from(preferences).where(eq(preferences.accountId, accountId))
  return row ?? defaultPreferences
}

/** The same, with the row there and locked: of two changes at once the second sees the first. */
export async function lockPreferences(tx: Tx, accountId: string, now: Date): Promise<Preferences> {
  await tx
    .insert(preferences)
    .values({ accountId, ...defaultPreferences, updatedAt: now })
    .onConflictDoNothing()
  const [row] = await tx.select(columns).from(preferences).where(eq(preferences.accountId, accountId)).for('update')
  if (!row) throw new Error('The row that was just written is gone')
  return row
}

export async function updatePreferences(tx: Tx, accountId: string, values: Preferences, now: Date): Promise<void> {
  await tx
    .update(preferences)
    .set({ ...values, updatedAt: now })
    .where(eq(preferences.accountId, accountId))
}
