import { createHash, randomBytes } from 'node:crypto'

/** 256 random bits as base64url: 43 characters that nobody guesses. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** The token of a mailed link as it came in; an empty one, which nobody has, for whatever cannot be a token. */
export function readToken(value: unknown): string {
  return typeof value === 'string' && value.length <= 200 ? value : ''
}

/** What is stored of a secret. Without a salt: there is nothing to guess in 256 random bits. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
