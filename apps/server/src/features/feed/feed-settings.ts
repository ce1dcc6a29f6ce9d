import { z } from 'zod'
import type { Context } from '../../context.ts'
import { findSetting } from '../../db/setting.ts'
import { openApiKey } from './api-key.ts'

/** Where the settings row is kept, and what its API key is sealed for. */
export const FEED_SETTING = 'feed'

/** The settings row: what an admin saved. Intervals in seconds. */
const storedSettings = z.object({
  externalEndpoint: z.string(),
  /** Sealed; null for a feed without a key. */
  apiKey: z.string().nullable(),
  reconnectInterval: z.number().int().min(1).max(300),
  maxRetries: z.number().int().min(1).max(20),
  isEnabled: z.boolean(),
})

export interface FeedSettings {
  endpoint: string
  apiKey: string | null
  reconnectIntervalMs: number
  maxRetries: number
}

const DEFAULT_INTERVAL_SECONDS = 30
const DEFAULT_RETRIES = 5

/** What an admin saved, else what the operator configured; null for no feed. */
export async function findFeedSettings(ctx: Context): Promise<FeedSettings | null> {
  const saved = await findSetting(ctx.db, FEED_SETTING)
  if (saved === null) return configuredSettings(ctx)
  const stored = storedSettings.parse(saved.value)
  if (!stored.isEnabled || stored.externalEndpoint === '') return null
  return {
    endpoint: stored.externalEndpoint,
    apiKey: stored.apiKey === null ? null : openApiKey(ctx.config.appSecret, FEED_SETTING, stored.apiKey),
    reconnectIntervalMs: stored.reconnectInterval * 1_000,
    maxRetries: stored.maxRetries,
  }
}

function configuredSettings({ config: { feed } }: Context): FeedSettings | null {
  if (feed.endpoint === null) return null
  const defaults = { reconnectIntervalMs: DEFAULT_INTERVAL_SECONDS * 1_000, maxRetries: DEFAULT_RETRIES }
  return { endpoint: feed.endpoint, apiKey: feed.apiKey, ...defaults }
}
