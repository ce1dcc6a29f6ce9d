import { expect, it } from 'vitest'
import { defaultPreferences } from './default-preferences.ts'
import { preferences, preferencesChange } from './preferences.ts'

it.each<[string, unknown]>([
  ['is empty', {}],
  ['holds only undefined', { sound: undefined }],
  ['is an array', []],
  ['is null', null],
  ['has an unknown key', { sound: true, isAdmin: true }],
  ['has a string for a boolean', { sound: 'true' }],
  ['has a number for a boolean', { realTimeAlerts: 1 }],
  ['has an unknown priority', { soundFrom: 'urgent' }],
  ['has a fractional volume', { soundVolume: 12.5 }],
  ['has a volume above 100', { soundVolume: 101 }],
  ['has NaN as volume', { soundVolume: Number.NaN }],
  ['has an unknown time zone', { timeZone: 'Mars/Olympus' }],
  ['has a UTC offset as time zone', { timeZone: '+02:00' }],
  ['has a too long time zone', { timeZone: `Europe/${'x'.repeat(100)}` }],
  ['has an unknown hour cycle', { hourCycle: '13' }],
  ['has 51 assets in the watchlist', { watchlist: createAssets(51) }],
  ['has a text as watchlist', { watchlist: 'BTC/USDT' }],
  ['has null as watchlist', { watchlist: null }],
  ['watches a number', { watchlist: [1] }],
  ['watches an empty name', { watchlist: [' '] }],
  ['watches a name of 41 characters', { watchlist: ['x'.repeat(41)] }],
  ['watches a name with a control character', { watchlist: ['a\0b'] }],
  ['watches an asset twice', { watchlist: ['BTC/USDT', ' BTC/USDT '] }],
])('preferencesChange: rejects a change that %s', (_name, change) => {
  expect(preferencesChange.safeParse(change).success).toBe(false)
})

it.each([
  { sound: false },
  { soundVolume: 0, soundFrom: 'low' },
  { timeZone: 'browser' },
  { timeZone: 'Europe/Berlin', hourCycle: '12' },
  { watchlist: createAssets(50) },
  { watchlist: ['btc/usdt', 'BTC/USDT', 'A, "B"'] },
  { watchlist: [] },
  defaultPreferences,
])('preferencesChange: accepts %j unchanged', (change) => {
  expect(preferencesChange.parse(change)).toEqual(change)
})

it('defaultPreferences: match the specification', () => {
  expect(preferences.parse(defaultPreferences)).toMatchObject({
    realTimeAlerts: true,
    autoVerify: true,
    highPriorityOnly: false,
    outcomeToasts: false,
    browserNotifications: false,
    sound: false,
  })
})

function createAssets(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `A${index}/USDT`)
}
