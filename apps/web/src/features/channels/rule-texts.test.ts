import { allAlerts, type DeliveryRules } from '@tocsin/protocol'
import { describe, expect, it } from 'vitest'
import { formatDays, formatDeliverySettings, formatRules, omitSavedSettings, parseMinuteOfDay } from './rule-texts.ts'

describe('formatRules', () => {
  it.each<[Partial<DeliveryRules>, string]>([
    [{}, 'Everything'],
    [{ lowestPriority: 'critical' }, 'Critical'],
    [{ lowestPriority: 'high', assets: ['BTC', 'ETH'] }, 'High and up, BTC ETH'],
    [{ watchlist: true }, 'Watchlist'],
    [{ types: ['a', 'b', 'c', 'd'] }, '4 types'],
    [{ lowestConfidence: 40, coolDownMinutes: 60, mostPerHour: 6 }, 'From 40%, cool-down 1 h, 6 an hour'],
  ])('formats %j as %s', (change, expected) => {
    expect(formatRules({ ...allAlerts, ...change })).toBe(expected)
  })
})

it('formatDeliverySettings: names digest and quiet hours', () => {
  const quietHours = { days: [1], from: 1_320, to: 420, timeZone: 'UTC', criticalPasses: true }
  const digest = { every: 'day' as const, hour: 20, timeZone: 'UTC' }
  expect(formatDeliverySettings({ rules: allAlerts, digest, quietHours })).toBe(
    'Everything, Digest, daily at 20:00, quiet 22:00–07:00',
  )
})

it.each([
  [[1, 2, 3, 4, 5, 6, 7], 'every day'],
  [[5, 1, 2, 3, 4], 'Mon to Fri'],
  [[3, 1], 'Mon, Wed'],
  [[6, 7], 'Sat, Sun'],
])('formatDays: formats %j as %s', (days, expected) => {
  expect(formatDays(days)).toBe(expected)
})

it.each([
  ['07:05', 425],
  ['23:59', 1_439],
  ['', null],
  ['7', null],
])('parseMinuteOfDay: parses %s as %s', (text, expected) => {
  expect(parseMinuteOfDay(text)).toBe(expected)
})

it('omitSavedSettings: returns only the settings that differ from the saved settings', () => {
  const savedSettings = { rules: { ...allAlerts }, digest: { every: 'hour' as const } }
  expect(omitSavedSettings(savedSettings, savedSettings)).toEqual({})
  const rules: DeliveryRules = { ...allAlerts, mostPerHour: 6 }
  expect(omitSavedSettings({ ...savedSettings, rules, quietHours: null }, savedSettings)).toEqual({
    rules,
    quietHours: null,
  })
})
