import type { Context } from '@tocsin/server/context.ts'
import { findSetting, lockSetting, saveSetting } from '@tocsin/server/db/setting.ts'
import { FEED_SETTING, storedSettings } from '@tocsin/server/features/feed/feed-settings.ts'
import { z } from 'zod'

/** Name of the setting with the URL of the demo's feed at the last start. */
const SERVED = 'demo.feed'
const served = z.object({ endpoint: z.string() })

/**
 * Updates the saved feed endpoint if an admin has saved the form with the previous port of the
 * demo's feed, because the port changes at each start. Any other endpoint is the admin's choice and
 * is not changed.
 */
export async function followDemoFeed(ctx: Context, endpoint: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await lockSetting(tx, FEED_SETTING)
    const [former, saved] = [await findSetting(tx, SERVED), await findSetting(tx, FEED_SETTING)]
    const now = ctx.clock.now()
    if (former && saved) {
      const stored = storedSettings.parse(saved.value)
      if (isSame(stored.externalEndpoint, served.parse(former.value).endpoint)) {
        await saveSetting(tx, FEED_SETTING, { ...stored, externalEndpoint: endpoint }, now)
      }
    }
    await saveSetting(tx, SERVED, { endpoint }, now)
  })
}

function isSame(a: string, b: string): boolean {
  return URL.canParse(a) && URL.canParse(b) && new URL(a).href === new URL(b).href
}
