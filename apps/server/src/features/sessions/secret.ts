import { createHash, randomBytes } from 'node:crypto'

/** Returns 256 random bits as base64url, 43 characters. */
export function createSecret(): string {
  return randomBytes(32).toString('base64url')
}

/**
 * Reads the token of an emailed link. Returns an empty string, which matches no token, for
 * malformed values.
 */
export function readToken(value: unknown): string {
  return typeof value === 'string' && value.length <= 200 ? value : ''
}

/**
 * Returns the hash under which a secret is stored. No salt is needed, because 256 random bits
 * cannot be guessed.
 */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
