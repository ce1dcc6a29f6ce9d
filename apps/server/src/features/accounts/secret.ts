import { createHash, randomBytes } from 'node:crypto'

/** 256 random bits as base64url: 43 characters that nobody guesses. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** What is stored of a secret. Without a salt: there is nothing to guess in 256 random bits. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
