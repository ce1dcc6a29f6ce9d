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
 * Returns the hash under which a secret is stored. Random secrets of at least 80 bits need no salt.
 * The hash of a network can be reversed by trying all networks: it hides nothing from an attacker.
 */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
