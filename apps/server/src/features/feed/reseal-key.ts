import type { Context } from '../../context.ts'
import { findSetting, lockSetting, saveSetting } from '../../db/setting.ts'
import { isSealedWith, openSecret, sealSecret, UnreadableSecretError } from '../../sealed-secret.ts'
import { FEED_SETTING, storedSettings } from './feed-settings.ts'

/**
 * Encrypts the stored feed key with APP_SECRET if it is encrypted with APP_SECRET_PREVIOUS. If
 * neither secret decrypts the key, it stays unchanged, and the admin area reports that.
 */
export async function resealFeedKey(ctx: Context): Promise<void> {
  const { appSecret, appSecretPrevious } = ctx.config
  if (appSecretPrevious === null) return
  await ctx.db.transaction(async (tx) => {
    await lockSetting(tx, FEED_SETTING)
    const savedSetting = await findSetting(tx, FEED_SETTING)
    const form = savedSetting && storedSettings.parse(savedSetting.value)
    if (!savedSetting || !form?.apiKey || isSealedWith(appSecret, FEED_SETTING, form.apiKey)) return
    try {
      const apiKey = sealSecret(appSecret, FEED_SETTING, openSecret(ctx.config, FEED_SETTING, form.apiKey))
      await saveSetting(tx, FEED_SETTING, { ...form, apiKey }, savedSetting.updatedAt)
      ctx.logger.info('the API key of the signal feed was re-encrypted with APP_SECRET')
    } catch (error) {
      if (!(error instanceof UnreadableSecretError)) throw error
      ctx.logger.warn(
        'the API key of the signal feed can be decrypted neither with APP_SECRET nor with APP_SECRET_PREVIOUS',
      )
    }
  })
}
