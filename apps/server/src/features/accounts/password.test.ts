import argon2 from '@node-rs/argon2'
import { testConfig } from '@tocsin/testkit'
import { describe, expect, test, vi } from 'vitest'
import { assertPasswordAllowed, createPasswordHasher, SIGN_UP_MIN_LENGTH } from './password.ts'

const config = testConfig({ http: { publicUrl: 'https://alerts.northquay.example' } })
const isBreached = async (password: string) => ['tern-ocelot-7', 'caf\u00e9-terrace-7'].includes(password)
const check = (password: string, minLength: number) =>
  assertPasswordAllowed(
    { config, isBreached },
    { password, minLength, email: 'ada@lovelace.example', name: 'Ada King' },
  )

/** The default value of RESET_PASSWORD_MIN_LENGTH. */
const RESET_MIN_LENGTH = 6

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
    ['Tocsin-2026', SIGN_UP_MIN_LENGTH, 'This password is made of words of this site, your name or your address.'],
    ['ITO alert!', SIGN_UP_MIN_LENGTH, 'This password is made of words of this site, your name or your address.'],
    ['northquay1', SIGN_UP_MIN_LENGTH, 'This password is made of words of this site, your name or your address.'],
    ['AdaLovelace', SIGN_UP_MIN_LENGTH, 'This password is made of words of this site, your name or your address.'],
    ['king.ada.1815', SIGN_UP_MIN_LENGTH, 'This password is made of words of this site, your name or your address.'],
    ['tern-ocelot-7', SIGN_UP_MIN_LENGTH, 'This password was part of a data breach. Please choose another one.'],
    ['cafe\u0301-terrace-7', SIGN_UP_MIN_LENGTH, 'This password was part of a data breach. Please choose another one.'],
  ])('the password %j when the minimum length is %i', async (password, minLength, message) => {
    await expect(check(password, minLength)).rejects.toThrow(message)
  })
})

test.each([
  ['tern-ocelot', SIGN_UP_MIN_LENGTH],
  ['eight888', SIGN_UP_MIN_LENGTH],
  ['kelp79', RESET_MIN_LENGTH],
  ['19-28-37-46', SIGN_UP_MIN_LENGTH],
  ['ada-at-the-quay', SIGN_UP_MIN_LENGTH],
])('assertPasswordAllowed: accepts %j with minimum length %i', async (password, minLength) => {
  await check(password, minLength)
})

const passwords = createPasswordHasher()

test('createPasswordHasher: compares every byte of a long password', async () => {
  const longPassword = 'x'.repeat(72)
  const hash = await passwords.hash(`${longPassword}a`)
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(await passwords.verify(hash, `${longPassword}b`)).toBe(false)
  expect(await passwords.verify(hash, longPassword)).toBe(false)
  expect(await passwords.verify(hash, `${longPassword}a\0`)).toBe(false)
  expect(await passwords.verify(null, `${longPassword}a`)).toBe(false)
  expect(await passwords.verify(hash, `${longPassword}a`)).toBe(true)
})

test('createPasswordHasher: treats different Unicode encodings of a password as equal', async () => {
  expect(await passwords.verify(await passwords.hash('caf\u00e9-terrace'), 'cafe\u0301-terrace')).toBe(true)
})

test('createPasswordHasher: completes every one of many concurrent calls', async () => {
  const hashes = await Promise.all(Array.from({ length: 8 }, (_, index) => passwords.hash(`password ${index}`)))
  const answers = await Promise.all(hashes.map((hash, index) => passwords.verify(hash, `password ${index % 4}`)))
  expect(answers).toEqual([true, true, true, true, false, false, false, false])
})

test('createPasswordHasher: compares the password with a hash of the same cost when the account is unknown', async () => {
  const verifySpy = vi.spyOn(argon2, 'verify')
  await passwords.verify(null, 'tern-ocelot')
  await createPasswordHasher({ memoryCost: 16, timeCost: 3, parallelism: 1 }).verify(null, 'tern-ocelot')
  expect(verifySpy.mock.calls.map(([hash]) => String(hash).split('$').slice(1, 4).join(' '))).toEqual([
    'argon2id v=19 m=19456,t=2,p=1',
    'argon2id v=19 m=16,t=3,p=1',
  ])
  verifySpy.mockRestore()
})
