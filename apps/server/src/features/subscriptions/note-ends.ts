import { getPlan } from '@tocsin/protocol'
import { z } from 'zod'
import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import { findSetting, lockSetting, saveSetting } from '../../db/setting.ts'
import { listEndedBetween } from './store.ts'

const NOTED_UNTIL = 'subscriptions.ends_noted_until'
const moment = z.iso.datetime().transform((text) => new Date(text))

/** Writes into each owner's history which periods have run out since the last time, once, also where several instances do it or none did for days. */
export async function noteEnds(ctx: Context): Promise<void> {
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
