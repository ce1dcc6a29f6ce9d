import { expect, it } from 'vitest'
import { defaultPreferences, preferences, preferencesChange } from './preferences.ts'

it.each<[string, unknown]>([
  ['nothing', {}],
  ['nothing but undefined', { sound: undefined }],
  ['no object', []],
  ['null', null],
  ['an unknown key', { sound: true, isAdmin: true }],
  ['a word for a switch', { sound: 'true' }],
  ['a number for a switch', { realTimeAlerts: 1 }],
  ['no priority', { soundFrom: 'urgent' }],
  ['a broken volume', { soundVolume: 12.5 }],
  ['a volume beyond the end', { soundVolume: 101 }],
  ['a volume that is none', { soundVolume: Number.NaN }],
  ['a zone that is none', { timeZone: 'Mars/Olympus' }],
  ['an offset', { timeZone: '+02:00' }],
  ['an endless zone', { timeZone: `Europe/${'x'.repeat(100)}` }],
  ['another clock', { hourCycle: '13' }],
])('a change to %s is refused', (_name, change) => {
  expect(preferencesChange.safeParse(change).success).toBe(false)
})

it.each([
  { sound: false },
  { soundVolume: 0, soundFrom: 'low' },
  { timeZone: 'browser' },
  { timeZone: 'Europe/Berlin', hourCycle: '12' },
  defaultPreferences,
])('a change to %j is taken as it is', (change) => {
  expect(preferencesChange.parse(change)).toEqual(change)
})

it('what is specified is the default', () => {
  expect(preferences.parse(defaultPreferences)).toMatchObject({
    realTimeAlerts: true,
    autoVerify: true,
    highPriorityOnly: false,
    browserNotifications: false,
    sound: false,
  })
})
