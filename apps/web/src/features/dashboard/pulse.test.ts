import type { Priority } from '@tocsin/protocol'
import { describe, expect, it } from 'vitest'
import { pulseAlerts } from './pulse.ts'

const nowMs = Date.parse('2026-11-21T14:00:00.000Z')
const locked = (id: string, priority: Priority, minutesAgo: number) => ({
  id,
  locked: true as const,
  priority,
  createdAt: new Date(nowMs - minutesAgo * 60_000).toISOString(),
  logIndex: 1,
})

describe('pulseAlerts', () => {
  it.each([
    ['what is a day old', [locked('a', 'critical', 1440)], []],
    ['nothing of the last day', [locked('a', 'low', 1439), locked('b', 'low', 0)], ['a', 'b']],
    ['the lesser of two in one column', [locked('a', 'medium', 1), locked('b', 'critical', 2)], ['b']],
    ['the later of two equals', [locked('a', 'high', 1), locked('b', 'high', 2)], ['a']],
    ['neither of two columns', [locked('a', 'high', 1), locked('b', 'high', 4)], ['a', 'b']],
    ['what a slow clock puts in the future', [locked('a', 'high', -1)], ['a']],
  ])('leaves out or keeps %s', (_name, alerts, ids) => {
    expect(pulseAlerts(alerts, nowMs).map(({ id }) => id)).toEqual(ids)
  })
})
