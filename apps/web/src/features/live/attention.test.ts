import { defaultPreferences, type Preferences, type Priority } from '@tocsin/protocol'
import { expect, it } from 'vitest'
import { decideAttention } from './attention.ts'

type Situation = Parameters<typeof decideAttention>[2]
const inUse: Situation = { proof: 'good', isInUse: true, isMuted: false }
const away: Situation = { ...inUse, isInUse: false }
const loud: Partial<Preferences> = { sound: true, soundFrom: 'medium', browserNotifications: true }

it.each<[string, Partial<Preferences>, Priority, Situation, string[]]>([
  ['a failed proof, however grave', loud, 'critical', { ...away, proof: 'failed' }, ['warn']],
  [
    'a failed proof with real-time alerts off',
    { realTimeAlerts: false },
    'low',
    { ...inUse, proof: 'failed' },
    ['warn'],
  ],
  ['real-time alerts off', { ...loud, realTimeAlerts: false }, 'critical', away, []],
  ['medium with high priority only', { ...loud, highPriorityOnly: true }, 'medium', away, []],
  ['the defaults', {}, 'low', away, ['toast']],
  ['high with high priority only', { ...loud, highPriorityOnly: true }, 'high', away, ['toast', 'sound', 'notify']],
  ['a page in use', loud, 'critical', inUse, ['toast', 'sound']],
  ['less than what is heard', loud, 'low', away, ['toast', 'notify']],
  ['muted', loud, 'critical', { ...inUse, isMuted: true }, ['toast']],
  ['a proof that could not be checked', loud, 'medium', { ...inUse, proof: 'unchecked' }, ['toast', 'sound']],
  ['auto-verify off', {}, 'medium', { ...inUse, proof: 'off' }, ['toast']],
])('%s', (_name, chosen, priority, situation, ways) => {
  const attention = decideAttention({ ...defaultPreferences, ...chosen }, { priority }, situation)
  expect(Object.entries(attention).flatMap(([way, isUsed]) => (isUsed ? [way] : []))).toEqual(ways)
})
