import { fakeClock } from '@tocsin/testkit'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { NewSecurityEvent } from '../security-events.ts'
import { createSecurityLog } from './security-log.ts'

function createTestLog() {
  const lines: Record<string, unknown>[] = []
  const events: NewSecurityEvent[] = []
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const queueSecurityEvent = (event: NewSecurityEvent) => void events.push(event)
  return { lines, events, log: createSecurityLog({ logger, clock: fakeClock(), queueSecurityEvent }) }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const event = { requestId: 'r1', method: 'GET', url: '/reset-password?token=secret', network: '10.0.0.1' }

test('security log: an event has request id, method and path, but no query', () => {
  const { lines, events, log } = createTestLog()
  log.refused('token_invalid', event)
  expect(lines).toMatchObject([{ event: 'token_invalid', reqId: 'r1', method: 'GET', path: '/reset-password' }])
  expect(JSON.stringify(lines)).not.toContain('secret')
  expect(events).toMatchObject([{ kind: 'token_invalid', network: '10.0.0.1', detail: 'GET /reset-password' }])
})

test.each([
  `/feeds/feed_${'s'.repeat(43)}/alerts.atom`,
  `/api/channels/unsubscribe/01890a5d-ac96-774b-bcce-b302099a8060.0.${'s'.repeat(43)}`,
  `/api/channels/acknowledgements/01890a5d-ac96-774b-bcce-b302099a8060.1234.${'s'.repeat(43)}`,
  `/api/log/tocsin_${'s'.repeat(43)}`,
])('security log: the secret in %s is removed', (url) => {
  const { lines, log } = createTestLog()
  log.refused('too_many_requests', { ...event, url })
  expect(lines[0]?.path).toContain('[redacted]')
  expect(JSON.stringify(lines)).not.toContain('sss')
})

test('security log: routine refusals are not logged', () => {
  const { lines, log } = createTestLog()
  for (const code of ['malformed', 'not_found', 'subscription_active'] as const) log.refused(code, event)
  expect(lines).toEqual([])
})

test('security log: one kind of event gets at most 20 lines a minute and a summary, and other kinds are still logged', () => {
  const { lines, events, log } = createTestLog()
  const logFlood = () => {
    for (let index = 0; index < 5_000; index++) log.refused('too_many_requests', event)
  }
  logFlood()
  log.refused('foreign_origin', event)
  expect(lines.filter((line) => line.event === 'too_many_requests')).toHaveLength(20)
  expect(lines.filter((line) => line.event === 'foreign_origin')).toHaveLength(1)
  vi.advanceTimersByTime(60_000)
  expect(lines.slice(21), 'without a further event').toMatchObject([{ event: 'too_many_requests', suppressed: 4_980 }])
  logFlood()
  expect(lines).toHaveLength(42)
  log.close()
  expect(lines.slice(42), 'at the stop').toMatchObject([{ event: 'too_many_requests', suppressed: 4_980 }])
  expect(vi.getTimerCount()).toBe(0)
  expect(events).toHaveLength(20 + 1 + 1 + 20 + 1)
  expect(events.at(-1)).toMatchObject({ kind: 'suppressed', detail: '4980 further events of kind too_many_requests' })
})

test('security log: many changes by users do not hide changes by an admin', () => {
  const { lines, log } = createTestLog()
  for (let index = 0; index < 100; index++) log.changed({ ...event, url: '/api/auth/logout' }, 'public')
  log.changed({ ...event, url: '/api/admin/users/7/role' }, 'admin')
  expect(lines.map(({ path }) => path)).toEqual([...Array(20).fill('/api/auth/logout'), '/api/admin/users/7/role'])
})

test('security log: a long path is truncated', () => {
  const { lines, log } = createTestLog()
  log.refused('not_signed_in', { ...event, url: `/${'a'.repeat(10_000)}` })
  expect(JSON.stringify(lines).length).toBeLessThan(500)
})
