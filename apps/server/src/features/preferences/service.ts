import type { Preferences, PreferencesChange } from '@tocsin/protocol'
import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import type { Actor } from '../../http/route.ts'
import { lockActor } from '../sessions/lock-actor.ts'
import { changePreferences, describeChange } from './preferences.ts'
import { findPreferences, lockPreferences, updatePreferences } from './store.ts'

/**
 * Changes the given preferences and notifies the other sessions of the account. A request that
 * changes nothing is not added to the activity log.
 */
export async function savePreferences(
  ctx: Context,
  actor: Pick<Actor, 'accountId' | 'sessionId'>,
  change: PreferencesChange,
): Promise<Preferences> {
  const { accountId, sessionId } = actor
  const at = ctx.clock.now()
  return ctx.db.transaction(async (tx) => {
    await lockActor(ctx, tx, actor)
    const formerPreferences = await lockPreferences(tx, accountId, at)
    const newPreferences = changePreferences(formerPreferences, change)
    if (newPreferences === formerPreferences) return formerPreferences
    await updatePreferences(tx, accountId, newPreferences, at)
    await recordActivity(tx, {
      accountId,
      kind: 'settings_changed',
      detail: describeChange(formerPreferences, newPreferences),
      at,
    })
    await ctx.notifications.notify(tx, 'preferences', `${accountId}/${sessionId}`)
    return newPreferences
  })
}

/** Returns the preferences for the account export. */
export async function exportPreferences(ctx: Context, accountId: string): Promise<Record<string, unknown>[]> {
  return [await findPreferences(ctx.db, accountId)]
}
