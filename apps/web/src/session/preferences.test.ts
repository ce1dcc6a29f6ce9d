import { defaultPreferences } from '@tocsin/protocol'
import { expect, it } from 'vitest'
import { applyChange, revertChange } from './preferences.ts'

const soundPreferences = { ...defaultPreferences, sound: true }

it.each([
  ['the change', soundPreferences, { sound: true }, defaultPreferences],
  ['nothing when the value was changed again since', defaultPreferences, { sound: true }, defaultPreferences],
  [
    'only the given change when another preference has changed',
    { ...soundPreferences, density: 'compact' as const },
    { sound: true },
    { ...defaultPreferences, density: 'compact' },
  ],
])('revertChange: reverts %s', (_name, now, change, expected) => {
  expect(revertChange(now, change, defaultPreferences)).toEqual(expected)
})

it('revertChange: reverts a list when the cache holds an equal copy of it', () => {
  const now = { ...defaultPreferences, watchlist: ['BTC/USDT'] }
  expect(revertChange(now, { watchlist: ['BTC/USDT'] }, defaultPreferences)).toEqual(defaultPreferences)
})

it('applyChange: keeps the values that the change omits', () => {
  expect(applyChange(soundPreferences, { soundVolume: 5, density: undefined })).toEqual({
    ...soundPreferences,
    soundVolume: 5,
  })
})
