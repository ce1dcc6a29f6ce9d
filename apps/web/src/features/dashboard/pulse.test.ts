import type { Priority } from '@tocsin/protocol'
import { describe, expect, it } from 'vitest'
import { selectPulseAlerts } from './pulse.ts'

const nowMs = Date.parse('2026-11-21T14:00:00.000Z')
const createLockedRow = (id: string, priority: Priority, minutesAgo: number) => ({
  id,
  locked: true as const,
  priority,
  createdAt: new Date(nowMs - minutesAgo * 60_000).toISOString(),
  logIndex: 1,
})

describe('selectPulseAlerts', () => {
  it.each([
    ['drops an alert that is a day old', [createLockedRow('a', 'critical', 1440)], []],
    [
      'keeps all alerts of the last day',
      [createLockedRow('a', 'low', 1439), createLockedRow('b', 'low', 0)],
      ['a', 'b'],
    ],
    [
      'drops the lower priority of two alerts in one column',
      [createLockedRow('a', 'medium', 1), createLockedRow('b', 'critical', 2)],
      ['b'],
    ],
    [
      'keeps the first of two equal priorities in one column',
      [createLockedRow('a', 'high', 1), createLockedRow('b', 'high', 2)],
      ['a'],
    ],
    [
      'keeps alerts in different columns',
      [createLockedRow('a', 'high', 1), createLockedRow('b', 'high', 4)],
      ['a', 'b'],
    ],
    ['keeps an alert that is in the future because of a slow clock', [createLockedRow('a', 'high', -1)], ['a']],
  ])('%s', (_name, alerts, ids) => {
    expect(selectPulseAlerts(alerts, nowMs).map(({ id }) => id)).toEqual(ids)
  })
})
