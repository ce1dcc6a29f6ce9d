import { defaultPreferences, type Preferences, type Priority } from '@tocsin/protocol'
import { expect, it } from 'vitest'
import { decideAttention, decideOutcomeToast } from './attention.ts'

type Situation = Parameters<typeof decideAttention>[2]
const inUse: Situation = { proof: 'good', isInUse: true, isMuted: false }
const inBackground: Situation = { ...inUse, isInUse: false }
const loudPreferences: Partial<Preferences> = { sound: true, soundFrom: 'medium', browserNotifications: true }

it.each<[string, Partial<Preferences>, Priority, Situation, string[]]>([
  ['a failed proof of a critical alert', loudPreferences, 'critical', { ...inBackground, proof: 'failed' }, []],
  ['a failed proof with real-time alerts off', { realTimeAlerts: false }, 'low', { ...inUse, proof: 'failed' }, []],
  ['real-time alerts off', { ...loudPreferences, realTimeAlerts: false }, 'critical', inBackground, []],
  [
    'a medium alert with "high priority only"',
    { ...loudPreferences, highPriorityOnly: true },
    'medium',
    inBackground,
    [],
  ],
  ['default preferences', {}, 'low', inBackground, ['toast']],
  [
    'a high alert with "high priority only"',
    { ...loudPreferences, highPriorityOnly: true },
    'high',
    inBackground,
    ['toast', 'sound', 'notify'],
  ],
  ['a focused page', loudPreferences, 'critical', inUse, ['toast', 'sound']],
  ['a priority below the sound threshold', loudPreferences, 'low', inBackground, ['toast', 'notify']],
  ['a muted browser', loudPreferences, 'critical', { ...inUse, isMuted: true }, ['toast']],
  [
    'a proof that could not be checked',
    loudPreferences,
    'medium',
    { ...inUse, proof: 'unchecked' },
    ['toast', 'sound'],
  ],
  ['auto-verify off', {}, 'medium', { ...inUse, proof: 'off' }, ['toast']],
])(
  'decideAttention: decides on toast, sound and notification for %s',
  (_name, changedPreferences, priority, situation, expectedWays) => {
    const attention = decideAttention({ ...defaultPreferences, ...changedPreferences }, { priority }, situation)
    expect(Object.entries(attention).flatMap(([way, isUsed]) => (isUsed ? [way] : []))).toEqual(expectedWays)
  },
)

it.each<[Partial<Preferences>, Priority, boolean]>([
  [{}, 'critical', false],
  [{ outcomeToasts: true, realTimeAlerts: false }, 'critical', false],
  [{ outcomeToasts: true, highPriorityOnly: true }, 'medium', false],
  [{ outcomeToasts: true, highPriorityOnly: true }, 'high', true],
  [{ outcomeToasts: true }, 'low', true],
])(
  'decideOutcomeToast: with the preferences %j and priority %s, returns %s',
  (changedPreferences, priority, expected) => {
    expect(decideOutcomeToast({ ...defaultPreferences, ...changedPreferences }, { priority })).toBe(expected)
  },
)
