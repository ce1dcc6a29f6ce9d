import { expect, test } from 'vitest'
import { liveState } from './status.tsx'

const at = '2026-11-22T14:32:00.000Z'
const after = (seconds: number) => Date.parse(at) + seconds * 1000

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
  'liveState: a stream that is %s, with its last message at %s, is %i s later shown as %s',
  (state, last, seconds, shown) => {
    expect(liveState(state, last, after(seconds))).toBe(shown)
  },
)
