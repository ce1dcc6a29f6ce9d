import { createECDH, createPrivateKey, type KeyObject } from 'node:crypto'
import { z } from 'zod'
import type { Context } from '../../../context.ts'
import { findSetting, lockSetting, saveSetting } from '../../../db/setting.ts'
import { isSealedWith, openSecret, sealSecret, UnreadableSecretError } from '../../../sealed-secret.ts'

/** Name of the setting that stores the key, also used as the additional data for sealing it. */
const SETTING = 'web_push_key'
const storedKey = z.strictObject({ sealed: z.string() })

/** The server's key for web push (RFC 8292). Subscriptions of browsers are bound to it. */
export interface VapidKeys {
  /** The uncompressed point as base64url: the browser's `applicationServerKey`. */
  publicKey: string
  privateKey: KeyObject
}

const keysByConfig = new WeakMap<Context['config'], Promise<VapidKeys>>()

/**
 * Returns the configured key. If none is configured, returns the key that the database stores
 * encrypted, and generates it at first use. All instances use the same key.
 * @throws UnreadableSecretError if APP_SECRET has changed since the key was encrypted, and
 * APP_SECRET_PREVIOUS does not have the former value
 */
function getVapidKeys(ctx: Context): Promise<VapidKeys> {
  const { config } = ctx
  const cachedKeys = keysByConfig.get(config)
  if (cachedKeys) return cachedKeys
  const keys = load(ctx).then(readKey)
  keysByConfig.set(config, keys)
  keys.catch(() => keysByConfig.delete(config))
  return keys
}

/**
 * Returns null if the stored key cannot be read. Then browsers cannot subscribe, and no message can
 * be sent to them.
 */
export async function findVapidKeys(ctx: Context): Promise<VapidKeys | null> {
  try {
    return await getVapidKeys(ctx)
  } catch (error) {
    if (!(error instanceof UnreadableSecretError)) throw error
    return null
  }
}

export async function findPushKey(ctx: Context): Promise<string | null> {
  return (await findVapidKeys(ctx))?.publicKey ?? null
}

async function load(ctx: Context): Promise<string> {
  const { config, clock } = ctx
  if (config.push.privateKey !== null) return config.push.privateKey
  return ctx.db.transaction(async (tx) => {
    await lockSetting(tx, SETTING)
    const storedSetting = await findSetting(tx, SETTING)
    if (storedSetting) return openSecret(config, SETTING, storedKey.parse(storedSetting.value).sealed)
    const key = generateKey()
    await saveSetting(tx, SETTING, { sealed: sealSecret(config.appSecret, SETTING, key) }, clock.now())
    return key
  })
}

function generateKey(): string {
  const curve = createECDH('prime256v1')
  curve.generateKeys()
  // Restores leading zeros, which are part of the key.
  return curve.getPrivateKey('hex').padStart(64, '0')
}

/** @param hex private key of 32 bytes */
function readKey(hex: string): VapidKeys {
  const curve = createECDH('prime256v1')
  curve.setPrivateKey(Buffer.from(hex, 'hex'))
  const point = curve.getPublicKey()
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'))
  const d = Buffer.from(hex, 'hex').toString('base64url')
  const privateKey = createPrivateKey({ key: { kty: 'EC', crv: 'P-256', x, y, d }, format: 'jwk' })
  return { publicKey: point.toString('base64url'), privateKey }
}

/** Encrypts the stored key again if APP_SECRET has changed since it was encrypted. */
export async function resealVapidKey(ctx: Context): Promise<void> {
  const { config, clock, logger } = ctx
  if (config.appSecretPrevious === null) return
  await ctx.db.transaction(async (tx) => {
    await lockSetting(tx, SETTING)
    const storedSetting = await findSetting(tx, SETTING)
    const sealed = storedSetting && storedKey.parse(storedSetting.value).sealed
    if (!sealed || isSealedWith(config.appSecret, SETTING, sealed)) return
    try {
      const key = openSecret(config, SETTING, sealed)
      await saveSetting(tx, SETTING, { sealed: sealSecret(config.appSecret, SETTING, key) }, clock.now())
    } catch (error) {
      if (!(error instanceof UnreadableSecretError)) throw error
      logger.warn('the key for web push can be decrypted neither with APP_SECRET nor with APP_SECRET_PREVIOUS')
    }
  })
}
