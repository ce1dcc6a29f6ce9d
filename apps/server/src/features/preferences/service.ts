import type { Preferences, PreferencesChange } from '@tocsin/protocol'
import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import { changePreferences, describeChange } from './preferences.ts'
import { findPreferences, lockPreferences, updatePreferences } from './store.ts'

export async function readPreferences(ctx: Context, accountId: string): Promise<Preferences> {
  return findPreferences(ctx.db, accountId)
}

/**
 * Changes what is named and keeps the rest; the account's other sessions are told. A change that changes nothing leaves no line in the account's
 * history.
 */
export async function savePreferences(
  ctx: Context,
  { accountId, sessionId }: { accountId: string; sessionId: string },
  change: PreferencesChange,
): Promise<Preferences> {
  const at = ctx.clock.now()
  return ctx.db.transaction(async (tx) => {
    const before = await lockPreferences(tx, accountId, at)
    const after = changePreferences(before, change)
    if (after === before) return before
    await updatePreferences(tx, accountId, after, at)
    await recordActivity(tx, { accountId, kind: 'settings_changed', detail: describeChange(before, after), at })
    await ctx.wake.notify(tx, 'preferences', `${accountId}/${sessionId}`)
    return after
  })
}

/** For the owner's export of all that is held about the account. */
export async function exportPreferences(ctx: Context, accountId: string): Promise<Record<string, unknown>[]> {
  return [await findPreferences(ctx.db, accountId)]
}
