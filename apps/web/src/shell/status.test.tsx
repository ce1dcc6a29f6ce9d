import { HOUR_MS } from '@tocsin/protocol/durations'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { getLiveState, LiveStatus } from './status.tsx'

const at = '2026-11-22T14:32:00.000Z'
const computeMsAfter = (seconds: number) => Date.parse(at) + seconds * 1000

test.each([
  ['reconnecting', at, 31, 'silent'],
  ['reconnecting', at, 30, 'reconnecting'],
  ['reconnecting', null, 90, 'reconnecting'],
  ['offline', at, 90, 'offline'],
  ['delayed', at, 90, 'delayed'],
  ['live', at, 31, 'silent'],
  ['live', at, 30, 'late'],
  ['live', at, 16, 'late'],
  ['live', at, 15, 'live'],
  ['live', null, 90, 'live'],
] as const)(
  'getLiveState: a stream that is %s, with its last message at %s, is %i s later shown as %s',
  (state, last, seconds, shown) => {
    expect(getLiveState(state, last, computeMsAfter(seconds))).toBe(shown)
  },
)

test('LiveStatus: shows the age of the last message in hours when it is older than an hour', () => {
  const lastMessageAt = new Date(Date.now() - 5.5 * HOUR_MS).toISOString()
  expect(renderToStaticMarkup(<LiveStatus state="offline" lastMessageAt={lastMessageAt} lostAt={null} />)).toContain(
    'last message 5 h ago',
  )
})
