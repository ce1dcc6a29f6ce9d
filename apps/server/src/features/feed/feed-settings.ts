import { z } from 'zod'
import type { Context } from '../../context.ts'
import { findSetting } from '../../db/setting.ts'
import { openSecret, UnreadableSecretError } from '../../sealed-secret.ts'

/**
 * Name of the settings row. Also the additional authenticated data (AAD) of its encrypted API key.
 */
export const FEED_SETTING = 'feed'

/** The settings row that an admin saved. Intervals are in seconds. */
export const storedSettings = z.object({
  externalEndpoint: z.string(),
  /** Encrypted; null for a feed without a key. */
  apiKey: z.string().nullable(),
  reconnectInterval: z.number().int().min(1).max(300),
  maxRetries: z.number().int().min(1).max(20),
  isEnabled: z.boolean(),
})
export type StoredSettings = z.infer<typeof storedSettings>

export interface FeedSettings {
  endpoint: string
  apiKey: string | null
  reconnectIntervalMs: number
  maxRetries: number
}

const DEFAULT_INTERVAL_SECONDS = 30
const DEFAULT_RETRIES = 5

/**
 * The saved settings, or the operator's configuration if none are saved, with the decrypted key.
 */
export interface FeedForm extends Omit<StoredSettings, 'apiKey'> {
  apiKey: string | null
  isSaved: boolean
}

/** The problem that admins see if the stored key cannot be decrypted. */
export const UNREADABLE_KEY = 'The stored API key can’t be read: APP_SECRET is another one now. Enter the key again.'

/** @throws UnreadableSecretError unless `withoutKey` is set */
export async function readFeedForm(ctx: Context, { withoutKey = false } = {}): Promise<FeedForm> {
  const savedSetting = await findSetting(ctx.db, FEED_SETTING)
  if (savedSetting === null) {
    const { endpoint, apiKey } = ctx.config.feed
    return {
      externalEndpoint: endpoint ?? '',
      apiKey,
      reconnectInterval: DEFAULT_INTERVAL_SECONDS,
      maxRetries: DEFAULT_RETRIES,
      isEnabled: true,
      isSaved: false,
    }
  }
  const stored = storedSettings.parse(savedSetting.value)
  const sealedKey = withoutKey ? null : stored.apiKey
  const apiKey = sealedKey === null ? null : openSecret(ctx.config, FEED_SETTING, sealedKey)
  return { ...stored, apiKey, isSaved: true }
}

/** Returns null if no feed is enabled. `problem` says what an operator must do first. */
export async function findFeedSettings(ctx: Context): Promise<FeedSettings | { problem: string } | null> {
  try {
    const { externalEndpoint, apiKey, reconnectInterval, maxRetries, isEnabled } = await readFeedForm(ctx)
    if (!isEnabled || externalEndpoint === '') return null
    return { endpoint: externalEndpoint, apiKey, reconnectIntervalMs: reconnectInterval * 1_000, maxRetries }
  } catch (error) {
    if (!(error instanceof UnreadableSecretError)) throw error
    return { problem: UNREADABLE_KEY }
  }
}
