import type { Context } from '@tocsin/server/context.ts'
import { findSetting, lockSetting, saveSetting } from '@tocsin/server/db/setting.ts'
import { FEED_SETTING, storedSettings } from '@tocsin/server/features/feed/feed-settings.ts'
import { z } from 'zod'

/** Name of the setting with the URL of the demo's feed at the last start. */
const SERVED_FEED_SETTING = 'demo.feed'
const servedFeedSchema = z.object({ endpoint: z.string() })

/**
 * If the saved feed endpoint is the demo's URL of the last start, replaces it with the current URL,
 * because the port changes at each start. Keeps any other endpoint, because an admin has chosen it.
 */
export async function followDemoFeed(ctx: Context, endpoint: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await lockSetting(tx, FEED_SETTING)
    const [servedFeed, savedFeed] = [await findSetting(tx, SERVED_FEED_SETTING), await findSetting(tx, FEED_SETTING)]
    const now = ctx.clock.now()
    if (servedFeed && savedFeed) {
      const savedSettings = storedSettings.parse(savedFeed.value)
      if (isSameUrl(savedSettings.externalEndpoint, servedFeedSchema.parse(servedFeed.value).endpoint)) {
        await saveSetting(tx, FEED_SETTING, { ...savedSettings, externalEndpoint: endpoint }, now)
      }
    }
    await saveSetting(tx, SERVED_FEED_SETTING, { endpoint }, now)
  })
}

function isSameUrl(a: string, b: string): boolean {
  return URL.canParse(a) && URL.canParse(b) && new URL(a).href === new URL(b).href
}
