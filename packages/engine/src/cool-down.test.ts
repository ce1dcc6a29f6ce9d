import { describe, expect, it } from 'vitest'
import {
  applyCoolDown,
  COOL_DOWN_MS,
  type CoolDowns,
  formatCoolDownKey,
  getCoolDownMs,
  pruneCoolDowns,
  startCoolDown,
} from './cool-down.ts'
import { DAY_MS } from './durations.ts'

const MINUTE = 60_000

describe('applyCoolDown', () => {
  it.each([
    ['suppresses an alert of the same strength', 0, 5, false],
    ['suppresses an alert just below twice the strength', 29, 9.99, false],
    ['suppresses an alert just before 30 minutes have passed', 30 - 1 / 60_000, 5, false],
    ['allows an alert of twice the strength', 1, 10, true],
    ['allows an alert after 30 minutes', 30, 1, true],
  ])('after an alert of strength 5: %s', (_, minutes, strength, expectedResult) => {
    const coolDowns: CoolDowns = {}
    expect(applyCoolDown(coolDowns, 'BTC price up', 0, 5)).toBe(true)
    expect(applyCoolDown(coolDowns, 'BTC price up', minutes * MINUTE, strength)).toBe(expectedResult)
  })

  it('keeps a separate cool-down for each key', () => {
    const coolDowns: CoolDowns = {}
    const keys = ['BTC price up', 'BTC price down', 'BTC volume up', 'ETH price up']
    expect(keys.map((key) => applyCoolDown(coolDowns, key, 0, 5))).toEqual([true, true, true, true])
  })

  it('restarts the cool-down at each update, so that the next update must be twice as strong again', () => {
    const coolDowns: CoolDowns = {}
    const applyToKey = (minutes: number, strength: number) =>
      applyCoolDown(coolDowns, 'key', minutes * MINUTE, strength)
    expect([applyToKey(0, 5), applyToKey(20, 10), applyToKey(40, 19), applyToKey(40, 20), applyToKey(70, 1)]).toEqual([
      true,
      true,
      false,
      true,
      true,
    ])
  })
})

describe('startCoolDown', () => {
  it('suppresses the next alert, as after an alert that was raised', () => {
    const coolDowns: CoolDowns = {}
    startCoolDown(coolDowns, 'key', 0, 5)
    expect(applyCoolDown(coolDowns, 'key', MINUTE, 5)).toBe(false)
  })
})

describe('pruneCoolDowns', () => {
  it('removes only cool-downs that have ended', () => {
    const coolDowns: CoolDowns = {}
    startCoolDown(coolDowns, 'old', 0, 5)
    startCoolDown(coolDowns, 'new', MINUTE, 5)
    pruneCoolDowns(coolDowns, 30 * MINUTE)
    expect(Object.keys(coolDowns)).toEqual(['new'])
  })
})

describe('getCoolDownMs', () => {
  it.each([
    ['price', COOL_DOWN_MS],
    ['marketWide', COOL_DOWN_MS],
    ['divergence', DAY_MS],
    ['quiet', DAY_MS],
  ] as const)('returns for %s alerts %i ms', (kind, lengthMs) => {
    const coolDowns = {}
    const key = formatCoolDownKey('BTC/USDT', kind, 'down')
    expect(getCoolDownMs(key)).toBe(lengthMs)
    expect(applyCoolDown(coolDowns, key, 0, 5)).toBe(true)
    expect(applyCoolDown(coolDowns, key, lengthMs - 1, 5)).toBe(false)
    expect(applyCoolDown(coolDowns, key, lengthMs, 5)).toBe(true)
  })
})
