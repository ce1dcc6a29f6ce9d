import { describe, expect, test } from 'vitest'
import {
  assertPasswordAllowed,
  hashPassword,
  RESET_MIN_LENGTH,
  SIGN_UP_MIN_LENGTH,
  verifyPasswordHash,
} from './password.ts'

describe('assertPasswordAllowed: rejects with a reason', () => {
  test.each([
    ['seven77', SIGN_UP_MIN_LENGTH, 'Password must be at least 8 characters long'],
    ['', SIGN_UP_MIN_LENGTH, 'Password must be at least 8 characters long'],
    ['🔑🔑🔑🔑', SIGN_UP_MIN_LENGTH, 'Password must be at least 8 characters long'],
    ['five5', RESET_MIN_LENGTH, 'Password must be at least 6 characters long'],
    ['Password123', SIGN_UP_MIN_LENGTH, 'This password is too common. Please choose another one.'],
    ['QWERTYUIOP', SIGN_UP_MIN_LENGTH, 'This password is too common. Please choose another one.'],
    ['dragon', RESET_MIN_LENGTH, 'This password is too common. Please choose another one.'],
    ['123456', RESET_MIN_LENGTH, 'This password is too common. Please choose another one.'],
  ])('%j with minimum length %i', (password, minLength, message) => {
    expect(() => assertPasswordAllowed(password, minLength)).toThrow(message)
  })
})

test.each([
  ['tern-ocelot', SIGN_UP_MIN_LENGTH],
  ['eight888', SIGN_UP_MIN_LENGTH],
  ['kelp79', RESET_MIN_LENGTH],
])('assertPasswordAllowed: accepts %j with minimum length %i', (password, minLength) => {
  expect(() => assertPasswordAllowed(password, minLength)).not.toThrow()
})

test('verifyPasswordHash: compares every byte of a long password', async () => {
  const long = 'x'.repeat(72)
  const hash = await hashPassword(`${long}a`)
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(await verifyPasswordHash(hash, `${long}b`)).toBe(false)
  expect(await verifyPasswordHash(hash, long)).toBe(false)
  expect(await verifyPasswordHash(hash, `${long}a\0`)).toBe(false)
  expect(await verifyPasswordHash(null, `${long}a`)).toBe(false)
  expect(await verifyPasswordHash(hash, `${long}a`)).toBe(true)
})

test('verifyPasswordHash: treats different Unicode encodings of a password as equal', async () => {
  expect(await verifyPasswordHash(await hashPassword('caf\u00e9-terrace'), 'cafe\u0301-terrace')).toBe(true)
})

test('verifyPasswordHash: answers every one of many concurrent calls', async () => {
  const hashes = await Promise.all(Array.from({ length: 8 }, (_, index) => hashPassword(`password ${index}`)))
  const answers = await Promise.all(hashes.map((hash, index) => verifyPasswordHash(hash, `password ${index % 4}`)))
  expect(answers).toEqual([true, true, true, true, false, false, false, false])
})
