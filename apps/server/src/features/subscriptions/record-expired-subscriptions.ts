import { getPlan } from '@tocsin/protocol'
import { z } from 'zod'
import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import { findSetting, lockSetting, saveSetting } from '../../db/setting.ts'
import { listEndedBetween } from './store.ts'

const NOTED_UNTIL = 'subscriptions.ends_noted_until'
const moment = z.iso.datetime().transform((text) => new Date(text))

/**
 * Writes each period that has ended since the last run to its owner's activity log. Every period is
 * recorded once, even if several instances run this at the same time or none has run it for days.
 */
export async function recordExpiredSubscriptions(ctx: Context): Promise<void> {
  const now = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    await lockSetting(tx, NOTED_UNTIL)
    const setting = await findSetting(tx, NOTED_UNTIL)
    const until = moment.safeParse(setting?.value).data ?? now
    for (const { accountId, planId, endsAt } of await listEndedBetween(tx, until, now)) {
      const detail = `${getPlan(planId).name} over`
      await recordActivity(tx, { accountId, kind: 'subscription_ended', detail, at: endsAt })
    }
    if (until <= now) await saveSetting(tx, NOTED_UNTIL, now.toISOString(), now)
  })
}
