import { randomBytes } from 'node:crypto'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { hashSecret } from '../sessions/secret.ts'

const CODE_LIFETIME_MS = 15 * MINUTE_MS
export const MAX_CODE_TRIES = 5
/** 32 characters that are easy to tell apart. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const TYPED_LENGTH = 8

interface NewCode {
  code: string
  columns: { codeHash: string; codeUntil: Date; codeTries: number }
}

/**
 * Creates a code of 40 bits for a person to type. Its stored hash needs no salt, because the code
 * expires soon.
 */
export function createTypedCode(now: Date): NewCode {
  const code = [...randomBytes(TYPED_LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('')
  return createNewCode(code, now)
}

/** Creates a code of 192 bits for a link. */
export function createLinkCode(now: Date): NewCode {
  return createNewCode(randomBytes(24).toString('base64url'), now)
}

export const clearedCodeColumns = { codeHash: null, codeUntil: null, codeTries: 0 }

function createNewCode(code: string, now: Date): NewCode {
  const columns = { codeHash: hashSecret(code), codeUntil: new Date(now.getTime() + CODE_LIFETIME_MS), codeTries: 0 }
  return { code, columns }
}
