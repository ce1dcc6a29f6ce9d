import { getPlan } from '@tocsin/protocol'
import { z } from 'zod'
import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import { findSetting, lockSetting, saveSetting } from '../../db/setting.ts'
import { listEndedBetween } from './store.ts'

const RECORDED_UNTIL_SETTING = 'subscriptions.ends_noted_until'
const timeSchema = z.iso.datetime().transform((text) => new Date(text))

/**
 * Writes each period that has ended since the last run to its owner's activity log. Every period is
 * recorded once, even if several instances run this at the same time or none has run it for days.
 */
export async function recordExpiredSubscriptions(ctx: Context): Promise<void> {
  const now = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    await lockSetting(tx, RECORDED_UNTIL_SETTING)
    const setting = await findSetting(tx, RECORDED_UNTIL_SETTING)
    const recordedUntil = timeSchema.safeParse(setting?.value).data ?? now
    for (const { accountId, planId, endsAt } of await listEndedBetween(tx, recordedUntil, now)) {
      const detail = `Plan of ${getPlan(planId).name} ended`
      await recordActivity(tx, { accountId, kind: 'subscription_ended', detail, at: endsAt })
    }
    if (recordedUntil <= now) await saveSetting(tx, RECORDED_UNTIL_SETTING, now.toISOString(), now)
  })
}
