// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { clearHint, readHint, readTimeHint, writeHint, writeTimeHint } from './signed-in-hint.ts'

test('time hint: stores the time zone and the hour cycle until the hint is cleared', () => {
  writeTimeHint({ timeZone: 'Asia/Tokyo', hourCycle: '24' })
  expect(readTimeHint()).toEqual({ timeZone: 'Asia/Tokyo', hourCycle: '24' })
  clearHint()
  expect(readTimeHint()).toBeNull()
})

test('readHint: does not report an admin when another user signs in after an admin has logged out', () => {
  const admin = {
    id: '0190d3a8-7a6b-7c3d-9e4f-5a6b7c8d9e0f',
    email: 'ada@tocsin.local',
    name: 'Ada',
    isAdmin: true,
    role: 'owner' as const,
    permissions: [],
    mustEnrol: false,
    createdAt: '2026-11-22T12:00:00.000Z',
    wallets: [],
    provedWallets: [],
  }
  writeHint(admin)
  expect(readHint()).toEqual({ name: 'Ada', isAdmin: true })
  clearHint()
  writeHint({ ...admin, name: 'Jonas', isAdmin: false, role: 'user' })
  expect(readHint()).toEqual({ name: 'Jonas', isAdmin: false })
  clearHint()
})
