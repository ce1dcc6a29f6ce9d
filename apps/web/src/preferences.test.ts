import { defaultPreferences } from '@tocsin/protocol'
import { expect, it } from 'vitest'
import { applyChange, takeBack } from './preferences.ts'

const withSound = { ...defaultPreferences, sound: true }

it.each([
  ['what was changed', withSound, { sound: true }, defaultPreferences],
  ['nothing that was changed again since', defaultPreferences, { sound: true }, defaultPreferences],
  [
    'no other change',
    { ...withSound, density: 'compact' as const },
    { sound: true },
    { ...defaultPreferences, density: 'compact' },
  ],
])('a failed change takes back %s', (_name, now, change, expected) => {
  expect(takeBack(now, change, defaultPreferences)).toEqual(expected)
})

it('a change leaves what it does not name', () => {
  expect(applyChange(withSound, { soundVolume: 5, density: undefined })).toEqual({ ...withSound, soundVolume: 5 })
})
