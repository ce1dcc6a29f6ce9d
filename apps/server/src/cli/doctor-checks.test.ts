import { DAY_MS } from '@tocsin/protocol/durations'
import { expect, test } from 'vitest'
import {
  checkCertificate,
  checkClock,
  checkDeadRows,
  checkDisk,
  checkNodeVersion,
  checkSettings,
} from './doctor-checks.ts'

const now = new Date('2026-01-15T12:00:00Z')
const certificate = (days: number, error: string | null = null) =>
  checkCertificate(new Date(now.getTime() + days * DAY_MS), error, now)

test.each([
  ['a clock that agrees', checkClock(-900), 'ok'],
  ['a clock that is 2 s behind', checkClock(-2_000), 'warning'],
  ['a clock at the limit', checkClock(10_000), 'warning'],
  ['a clock beyond the limit', checkClock(10_001), 'problem'],
  ['a disk with a fifth free', checkDisk(0.2, '/data'), 'ok'],
  ['a disk with less than a fifth free', checkDisk(0.19, '/data'), 'warning'],
  ['a disk that is nearly full', checkDisk(0.04, '/data'), 'problem'],
  ['a certificate of 14 days', certificate(14), 'ok'],
  ['a certificate of 13 days', certificate(13), 'warning'],
  ['a certificate of 2 days', certificate(2), 'problem'],
  ['an expired certificate', certificate(-1), 'problem'],
  ['Node.js 20 on its last day', checkNodeVersion('20.20.2', new Date('2026-04-29T23:59:59Z')), 'ok'],
  ['Node.js 20 after it', checkNodeVersion('20.20.2', new Date('2026-04-30')), 'warning'],
  ['Node.js 24', checkNodeVersion('24.21.0', new Date('2026-11-28')), 'ok'],
  ['a version that is newer than this release', checkNodeVersion('40.0.0', new Date('2040-01-01')), 'ok'],
  ['a certificate of another host', certificate(60, 'ERR_TLS_CERT_ALTNAME_INVALID'), 'problem'],
])('doctor: reports the expected level for %s', (_name, { level, remedy }, expected) => {
  expect({ level, hasRemedy: remedy !== '' }).toEqual({ level: expected, hasRemedy: expected !== 'ok' })
})

const good = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  autovacuum: 'on',
  server_encoding: 'UTF8',
  max_connections: '100',
  shared_buffers: '16384',
}
const check = (change: Record<string, string>, running = 1) =>
  checkSettings(new Map(Object.entries({ ...good, ...change })), running)

test('doctor: accepts the default settings of PostgreSQL', () => {
  expect(check({})).toEqual([])
})

test.each([
  [0, '48', true],
  [1, '48', true],
  [3, '85', false],
  [3, '86', true],
  [4, '100', false],
  [10, '218', false],
  [10, '219', true],
])('doctor: for %i running instances, accepts max_connections = %s: %s', (running, connections, suffices) => {
  expect(check({ max_connections: connections }, running).length === 0).toBe(suffices)
})

test.each([
  ['fsync', 'off', 'problem'],
  ['full_page_writes', 'off', 'problem'],
  ['synchronous_commit', 'off', 'problem'],
  ['autovacuum', 'off', 'problem'],
  ['server_encoding', 'SQL_ASCII', 'problem'],
  ['max_connections', '47', 'warning'],
  ['shared_buffers', '16383', 'warning'],
])('doctor: reports the database setting %s = %s', (name, value, level) => {
  expect(check({ [name]: value })).toEqual([
    { level, text: `${name} is ${value}`, remedy: expect.stringMatching(/\w/) },
  ])
})

test('doctor: reports large tables with more dead rows than half of the live ones', () => {
  const tables = [
    { name: 'small', live: 0, dead: 50_000 },
    { name: 'busy', live: 200_000, dead: 100_000 },
    { name: 'neglected', live: 100_000, dead: 60_000 },
  ]
  expect(checkDeadRows(tables).map(({ text }) => text)).toEqual(['the table neglected has 60000 dead rows'])
})
