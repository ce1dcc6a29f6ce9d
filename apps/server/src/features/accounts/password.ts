import argon2 from '@node-rs/argon2'
import type { Role } from '@tocsin/protocol'
import type { Config } from '../../config.ts'
import type { IsBreached, PasswordHasher } from '../../context.ts'
import { Refusal } from '../../refusal.ts'
import { createSemaphore } from '../../semaphore.ts'
import { commonPasswords } from './common-passwords.ts'

export const SIGN_UP_MIN_LENGTH = 8
export const ADMIN_MIN_LENGTH = 12

/**
 * Returns the minimum length of a password.
 * @param userMinLength minimum length for accounts without admin rights
 */
export function getMinLength(role: Role, userMinLength: number): number {
  return role !== 'user' ? ADMIN_MIN_LENGTH : userMinLength
}

/**
 * Cost that OWASP recommends for Argon2id (the default algorithm of the package): 19 MiB, two
 * passes, one lane.
 */
export const productionCost: PasswordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
/**
 * Maximum number of concurrent hashes. It limits memory use and leaves worker threads for other
 * tasks.
 */
const MAX_PARALLEL = 2
/** Maximum number of hashes that wait for a slot. */
const MAX_WAITING_HASHES = 200

/** Parameters of Argon2id; `memoryCost` is in KiB. */
export interface PasswordCost {
  memoryCost: number
  timeCost: number
  parallelism: number
}

/** A new password, with the facts about its owner that an attacker would try as a password. */
export interface ChosenPassword {
  password: string
  /** In Unicode code points. */
  minLength: number
  email: string | null
  name: string
}

/** @throws Refusal malformed, password_common */
export async function assertPasswordAllowed(
  { config, isBreached }: { config: Pick<Config, 'http'>; isBreached: IsBreached },
  { password, minLength, email, name }: ChosenPassword,
): Promise<void> {
  if ([...password].length < minLength) {
    throw new Refusal('malformed', `Password must be at least ${minLength} characters long`)
  }
  const normalizedPassword = password.normalize('NFC')
  const lowerCasePassword = normalizedPassword.toLowerCase()
  if (commonPasswords.has(lowerCasePassword)) {
    throw new Refusal('password_common', 'This password is too common. Please choose another one.')
  }
  if (
    hasOnlyWords(lowerCasePassword, [
      ...productWords,
      ...splitIntoWords(new URL(config.http.publicUrl).hostname, email, name),
    ])
  ) {
    const reason = 'This password is made of words of this site, your name or your address.'
    throw new Refusal('password_common', `${reason} Please choose another one.`)
  }
  if (await isBreached(normalizedPassword)) {
    throw new Refusal('password_common', 'This password was part of a data breach. Please choose another one.')
  }
}

/** Words of the product. A password may not consist of such words only (OWASP ASVS 5.0, 6.1.2). */
const productWords = ['tocsin', 'ito', 'alert', 'anomaly', 'market', 'trader', 'trading', 'wallet', 'ethereum']

const splitIntoWords = (...texts: (string | null)[]) =>
  texts.flatMap(
    (text) =>
      text
        ?.normalize('NFC')
        .toLowerCase()
        .match(/\p{L}{3,}/gu) ?? [],
  )

/**
 * Returns true if all letters of the password belong to these words: "tocsin2026", "Ada-Lovelace!".
 */
function hasOnlyWords(password: string, words: readonly string[]): boolean {
  const letters = password.replaceAll(/\P{L}/gu, '')
  const longestFirst = [...words].sort((a, b) => b.length - a.length)
  const otherLetters = longestFirst.reduce((remainingLetters, word) => remainingLetters.replaceAll(word, ' '), letters)
  return letters !== '' && otherLetters.trim() === ''
}

/**
 * Rejects passwords that are too short for an admin, even if the user became an admin after
 * choosing the password. Call it after the password was verified.
 */
export function assertLongEnoughFor(role: Role, password: string): void {
  if (role === 'user' || [...password].length >= ADMIN_MIN_LENGTH) return
  throw new Refusal(
    'password_too_short',
    `Admin accounts need a password of at least ${ADMIN_MIN_LENGTH} characters. Choose a longer one with “Forgot password”.`,
  )
}

/** @param cost lower only in tests, where hashes would otherwise take most of the CPU time */
export function createPasswordHasher(cost = productionCost): PasswordHasher {
  const dummyHash = createDummyHash(cost)
  const runLimited = createSemaphore(MAX_PARALLEL, {
    maxWaiting: MAX_WAITING_HASHES,
    busyMessage: 'Too many people sign in right now. Please try again.',
  })
  return {
    hash: (password, salt) => runLimited(() => argon2.hash(toBytes(password), salt ? { ...cost, salt } : cost)),
    async verify(passwordHash, password) {
      const matches = await runLimited(() => argon2.verify(passwordHash ?? dummyHash, toBytes(password)))
      return matches && passwordHash !== null
    },
  }
}

/** Encodes the NFC form, because different keyboards encode the same characters differently. */
const toBytes = (password: string) => Buffer.from(password.normalize('NFC'))

/**
 * Returns a hash that no password matches: its salt and output are random bytes that were
 * discarded. With these cost parameters, comparing a password takes as long as with a real hash.
 */
const createDummyHash = ({ memoryCost, timeCost, parallelism }: PasswordCost) =>
  `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$eSb4wdc6iCiL4iYwYGCV9w$5fUtailM2I9miUJbfxAUkcZKrF/egrvvt5v03doM7F8`
