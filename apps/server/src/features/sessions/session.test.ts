import { testConfig } from '@tocsin/testkit'
import { describe, expect, test } from 'vitest'
import { createCookieOptions, describeMethod, getCookieName, getSessionLifetimeMs, isSessionAlive } from './session.ts'
import { renewedHashes } from './store.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const createdAt = new Date('2026-01-01T00:00:00.000Z')
const afterMs = (ms: number) => new Date(createdAt.getTime() + ms)

test('renewedHashes: keeps the newest 50 former cookies', () => {
  let session = { idHash: 'cookie 0', formerHashes: [] as string[] }
  for (let renewal = 1; renewal <= 60; renewal++) session = renewedHashes(session, `cookie ${renewal}`)
  expect(session.idHash).toBe('cookie 60')
  expect(session.formerHashes).toHaveLength(50)
  expect([session.formerHashes[0], session.formerHashes.at(-1)]).toEqual(['cookie 59', 'cookie 10'])
})

describe('isSessionAlive: returns false for a session', () => {
  test.each([
    ['user', false, 0, 7 * DAY],
    ['user', false, 29 * DAY, 30 * DAY],
    ['user', true, 0, 30 * DAY],
    ['user', true, 29 * DAY, 30 * DAY],
    ['admin', false, 0, 30 * MINUTE],
    ['admin', true, 0, 30 * MINUTE],
    ['admin', true, 12 * HOUR - MINUTE, 12 * HOUR],
  ] as const)('of a %s, remembered: %s, last used at %i ms, after %i ms', (role, remembered, seenMs, endMs) => {
    const times = { remembered, lastSeenAt: afterMs(seenMs), expiresAt: afterMs(getSessionLifetimeMs(role)) }
    expect(isSessionAlive(times, role, afterMs(endMs))).toBe(false)
    expect(isSessionAlive(times, role, afterMs(endMs - 1))).toBe(true)
  })
})

test.each([
  ['password', null, 'password'],
  ['password', 'authenticator app', 'password and authenticator app'],
  ['passkey', 'passkey', 'passkey'],
])('describeMethod: %s with the factor %s is “%s”', (method, factor, expectedText) => {
  expect(describeMethod({ method, factor })).toBe(expectedText)
})

test('session cookie: has the __Host- prefix and is secure over HTTPS', () => {
  const httpsConfig = testConfig({ http: { publicUrl: 'https://tocsin.example' } })
  const httpConfig = testConfig()
  expect([getCookieName(httpsConfig), getCookieName(httpConfig)]).toEqual(['__Host-tocsin', 'tocsin'])
  expect(createCookieOptions(httpsConfig, null)).toEqual({ path: '/', httpOnly: true, sameSite: 'lax', secure: true })
  expect(createCookieOptions(httpConfig, 30 * DAY)).toMatchObject({ secure: false, maxAge: 2_592_000 })
})
