import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { Config } from './config.ts'

const VERSION = 'v1'
const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * Thrown if a stored secret was encrypted with another APP_SECRET or other additional data, or was
 * modified.
 */
export class UnreadableSecretError extends Error {
  override name = 'UnreadableSecretError'

  constructor() {
    super('The stored secret can’t be read with APP_SECRET or APP_SECRET_PREVIOUS.')
  }
}

/**
 * Encrypts a secret with AES-256-GCM.
 * @param aad additional authenticated data: names the place where the secret is stored, so that a
 * copy in another place cannot be decrypted
 */
export function sealSecret(appSecret: string, aad: string, secret: string): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', deriveKey(appSecret), iv).setAAD(Buffer.from(aad))
  const sealedBytes = Buffer.concat([iv, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return `${VERSION}.${sealedBytes.toString('base64url')}`
}

/**
 * Decrypts a secret. Secrets that were encrypted before APP_SECRET was changed can be decrypted if
 * APP_SECRET_PREVIOUS is set.
 * @throws UnreadableSecretError if the secret was encrypted with another app secret or `aad`, or a
 * byte of it was changed
 */
export function openSecret(
  { appSecret, appSecretPrevious }: Pick<Config, 'appSecret' | 'appSecretPrevious'>,
  aad: string,
  sealedText: string,
): string {
  const secret = unseal(appSecret, aad, sealedText) ?? (appSecretPrevious && unseal(appSecretPrevious, aad, sealedText))
  if (secret === null) throw new UnreadableSecretError()
  return secret
}

export function isSealedWith(appSecret: string, aad: string, sealedText: string): boolean {
  return unseal(appSecret, aad, sealedText) !== null
}

function unseal(appSecret: string, aad: string, sealedText: string): string | null {
  const [version, payload] = sealedText.split('.')
  if (version !== VERSION || !payload) return null
  const bytes = Buffer.from(payload, 'base64url')
  try {
    const decipher = createDecipheriv('aes-256-gcm', deriveKey(appSecret), bytes.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    })
    decipher.setAAD(Buffer.from(aad)).setAuthTag(bytes.subarray(-TAG_BYTES))
    return decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return null
  }
}

/**
 * Encryption keys by app secret: APP_SECRET, and APP_SECRET_PREVIOUS if it is set. Cached, because
 * deriving a key takes longer than decrypting with it.
 */
const derivedKeys = new Map<string, Buffer>()

/** Derives the key that encrypts stored secrets, with HKDF (RFC 5869). */
function deriveKey(appSecret: string): Buffer {
  const cachedKey = derivedKeys.get(appSecret)
  if (cachedKey) return cachedKey
  const key = Buffer.from(hkdfSync('sha256', appSecret, '', 'tocsin feed api key', 32))
  derivedKeys.set(appSecret, key)
  return key
}
