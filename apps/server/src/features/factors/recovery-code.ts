import { randomBytes, randomInt } from 'node:crypto'
import { recoveryCodeCount } from '@tocsin/protocol'
import type { Context } from '../../context.ts'

/** Crockford's base32, which has no I, L, O or U. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const LENGTH = 10
const SALT_BYTES = 16

export function createRandomLetters(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
}

/** Creates ten codes of 50 random bits, in the form in which they are shown: "k7f3q-9xm2p". */
export function createRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodeCount }, () => {
    const letters = createRandomLetters(LENGTH)
    return `${letters.slice(0, LENGTH / 2)}-${letters.slice(LENGTH / 2)}`
  })
}

/** Removes the separators, and replaces letters that look like digits with those digits. */
export function normalizeCode(enteredCode: string): string {
  return enteredCode.toLowerCase().replace(/[\s-]/g, '').replace(/o/g, '0').replace(/[il]/g, '1')
}

/**
 * Hashes the codes. All codes of an account share a salt, so that one hash is compared with all of
 * them.
 */
export async function hashRecoveryCodes(
  passwords: Context['passwords'],
  codes: readonly string[],
): Promise<{ codeHash: string; salt: Uint8Array }[]> {
  const salt = randomBytes(SALT_BYTES)
  return Promise.all(codes.map(async (code) => ({ codeHash: await passwords.hash(normalizeCode(code), salt), salt })))
}
