import argon2 from '@node-rs/argon2'
import { Refusal } from '../../refusal.ts'
import { commonPasswords } from './common-passwords.ts'

export const SIGN_UP_MIN_LENGTH = 8
export const RESET_MIN_LENGTH = 6
export const ADMIN_MIN_LENGTH = 12

type Role = 'user' | 'admin'

/** @param ofUsers the minimum that holds for accounts without admin rights */
export function minLengthFor(role: Role, ofUsers: number): number {
  return role === 'admin' ? ADMIN_MIN_LENGTH : ofUsers
}

/** OWASP's first choice for Argon2id (the package's default algorithm): 19 MiB, two passes, one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
/** Bounds the memory that sign-ins can take, and leaves threads to everything else. */
const MAX_PARALLEL = 2
const MAX_WAITING = 200

/** Length in characters as a person counts them. */
export function assertPasswordAllowed(password: string, minLength: number): void {
  if ([...password].length < minLength) {
    throw new Refusal('malformed', `Password must be at least ${minLength} characters long`)
  }
  if (commonPasswords.has(password.normalize('NFC').toLowerCase())) {
    throw new Refusal('password_common', 'This password is too common. Please choose another one.')
  }
}

/**
 * Called with the right password of an account: one that is too short for an admin opens nothing. This also covers users
 * who became admin with the password that they had.
 */
export function assertLongEnoughFor(role: Role, password: string): void {
  if (role !== 'admin' || [...password].length >= ADMIN_MIN_LENGTH) return
  throw new Refusal(
    'password_too_short',
    `Admin accounts need a password of at least ${ADMIN_MIN_LENGTH} characters. Choose a longer one with “Forgot password”.`,
  )
}

/** @param salt 16 bytes, random unless given */
export function hashPassword(password: string, salt?: Buffer): Promise<string> {
  return inTurn(() => argon2.hash(toBytes(password), salt ? { ...COST, salt } : COST))
}

/**
 * Takes the same time whether there is a password to compare with or not: what is unknown is compared with the hash of a password that
 * nobody has.
 */
export async function verifyPasswordHash(passwordHash: string | null, password: string): Promise<boolean> {
  const matches = await inTurn(() => argon2.verify(passwordHash ?? NOBODYS_HASH, toBytes(password)))
  return matches && passwordHash !== null
}

/** One spelling for what different keyboards send as the same characters. */
const toBytes = (password: string) => Buffer.from(password.normalize('NFC'))

/** Of 32 random bytes that were thrown away; made with COST. */
const NOBODYS_HASH = '$argon2id$v=19$m=19456,t=2,p=1$eSb4wdc6iCiL4iYwYGCV9w$5fUtailM2I9miUJbfxAUkcZKrF/egrvvt5v03doM7F8'

let running = 0
const waiting: (() => void)[] = []

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (waiting.length >= MAX_WAITING)
    throw new Refusal('unavailable', 'Too many people sign in right now. Please try again.')
  if (running >= MAX_PARALLEL) await new Promise<void>((resolve) => waiting.push(resolve))
  else running += 1
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
}
