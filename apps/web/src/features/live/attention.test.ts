import { defaultPreferences, type Preferences, type Priority } from '@tocsin/protocol'
import { expect, it } from 'vitest'
import { decideAttention, decideOutcomeToast } from './attention.ts'

type Situation = Parameters<typeof decideAttention>[2]
const inUse: Situation = { proof: 'good', isInUse: true, isMuted: false }
const away: Situation = { ...inUse, isInUse: false }
const loud: Partial<Preferences> = { sound: true, soundFrom: 'medium', browserNotifications: true }

it.each<[string, Partial<Preferences>, Priority, Situation, string[]]>([
  ['a failed proof of a critical alert', loud, 'critical', { ...away, proof: 'failed' }, ['warn']],
  [
    'a failed proof with real-time alerts off',
    { realTimeAlerts: false },
    'low',
    { ...inUse, proof: 'failed' },
    ['warn'],
  ],
  ['real-time alerts off', { ...loud, realTimeAlerts: false }, 'critical', away, []],
  ['a medium alert with "high priority only"', { ...loud, highPriorityOnly: true }, 'medium', away, []],
  ['default preferences', {}, 'low', away, ['toast']],
  [
    'a high alert with "high priority only"',
    { ...loud, highPriorityOnly: true },
    'high',
    away,
    ['toast', 'sound', 'notify'],
  ],
  ['a focused page', loud, 'critical', inUse, ['toast', 'sound']],
  ['a priority below the sound threshold', loud, 'low', away, ['toast', 'notify']],
  ['a muted browser', loud, 'critical', { ...inUse, isMuted: true }, ['toast']],
  ['a proof that could not be checked', loud, 'medium', { ...inUse, proof: 'unchecked' }, ['toast', 'sound']],
  ['auto-verify off', {}, 'medium', { ...inUse, proof: 'off' }, ['toast']],
])('decideAttention: chooses toast, sound and notification for %s', (_name, chosen, priority, situation, ways) => {
  const attention = decideAttention({ ...defaultPreferences, ...chosen }, { priority }, situation)
  expect(Object.entries(attention).flatMap(([way, isUsed]) => (isUsed ? [way] : []))).toEqual(ways)
})

it.each<[Partial<Preferences>, Priority, boolean]>([
  [{}, 'critical', false],
  [{ outcomeToasts: true, realTimeAlerts: false }, 'critical', false],
  [{ outcomeToasts: true, highPriorityOnly: true }, 'medium', false],
  [{ outcomeToasts: true, highPriorityOnly: true }, 'high', true],
  [{ outcomeToasts: true }, 'low', true],
])('decideOutcomeToast: with the preferences %j and priority %s, returns %s', (chosen, priority, expected) => {
  expect(decideOutcomeToast({ ...defaultPreferences, ...chosen }, { priority })).toBe(expected)
})
