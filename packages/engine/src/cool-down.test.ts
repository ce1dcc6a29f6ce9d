import { describe, expect, it } from 'vitest'
import { applyCoolDown, type CoolDowns, pruneCoolDowns, startCoolDown } from './cool-down.ts'

const MINUTE = 60_000

describe('applyCoolDown', () => {
  it.each([
    ['holds one that is as strong', 0, 5, 'held'],
    ['holds one just below twice as strong', 29, 9.99, 'held'],
    ['holds one just before 30 minutes have passed', 30 - 1 / 60_000, 5, 'held'],
    ['passes as an update one that is twice as strong', 1, 10, 'update'],
    ['passes a new one after 30 minutes', 30, 1, 'new'],
  ])('after an alert of strength 5: %s', (_, minutes, strength, expectedResult) => {
    const coolDowns: CoolDowns = {}
    expect(applyCoolDown(coolDowns, 'BTC price up', 0, 5)).toBe('new')
    expect(applyCoolDown(coolDowns, 'BTC price up', minutes * MINUTE, strength)).toBe(expectedResult)
  })

  it('keeps a separate cool-down for each key', () => {
    const coolDowns: CoolDowns = {}
    const keys = ['BTC price up', 'BTC price down', 'BTC volume up', 'ETH price up']
    expect(keys.map((key) => applyCoolDown(coolDowns, key, 0, 5))).toEqual(['new', 'new', 'new', 'new'])
  })

  it('restarts with an update, so that the next update must be twice as strong again', () => {
    const coolDowns: CoolDowns = {}
    const applyToKey = (minutes: number, strength: number) =>
      applyCoolDown(coolDowns, 'key', minutes * MINUTE, strength)
    expect([applyToKey(0, 5), applyToKey(20, 10), applyToKey(40, 19), applyToKey(40, 20), applyToKey(70, 1)]).toEqual([
      'new',
      'update',
      'held',
      'update',
      'new',
    ])
  })
})

describe('startCoolDown', () => {
  it('holds the next alert as if an alert had been raised', () => {
    const coolDowns: CoolDowns = {}
    startCoolDown(coolDowns, 'key', 0, 5)
    expect(applyCoolDown(coolDowns, 'key', MINUTE, 5)).toBe('held')
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
