import { describe, expect, it } from 'vitest'
import { computeOfflineMs, type StreamStatus, streamStatus, updateGaps } from './stream-status.ts'

const at = '2026-11-21T14:00:00.000Z'
const liveStatus: StreamStatus = { state: 'live', lastMessageAt: null, isNeeded: true, gaps: [] }
const openGap = { from: '2026-11-21T13:59:00.000Z', to: null }
const oldGap = { from: '2026-11-19T13:00:00.000Z', to: '2026-11-19T13:10:00.000Z' }

describe('updateGaps', () => {
  it.each<[string, StreamStatus, Parameters<typeof updateGaps>[1], StreamStatus['gaps']]>([
    [
      'returns none before the first connection',
      { ...liveStatus, state: 'offline' },
      { state: 'reconnecting', isNeeded: true },
      [],
    ],
    ['returns none when the plan ends', liveStatus, { state: 'offline', isNeeded: false }, []],
    [
      'opens a gap and drops an old one when the stream is lost',
      { ...liveStatus, gaps: [oldGap] },
      { state: 'reconnecting', isNeeded: true },
      [{ from: at, to: null }],
    ],
    [
      'keeps a gap open while the stream reconnects',
      { ...liveStatus, state: 'reconnecting', gaps: [openGap] },
      { state: 'reconnecting', isNeeded: true },
      [openGap],
    ],
    [
      'closes the gap when the stream is live again',
      { ...liveStatus, state: 'reconnecting', gaps: [openGap] },
      { state: 'live', isNeeded: true },
      [{ ...openGap, to: at }],
    ],
  ])('%s', (_name, statusBefore, statusAfter, expected) => {
    expect(updateGaps(statusBefore, statusAfter, at)).toEqual(expected)
  })
})

it('streamStatus: clears the time of the last message when the stream is no longer needed, but not during a reconnect', () => {
  streamStatus.setState('live', true, at)
  streamStatus.recordMessage(at)
  streamStatus.setState('reconnecting', true, at)
  expect(streamStatus.snapshot().lastMessageAt).toBe(at)
  streamStatus.setState('offline', false, at)
  expect(streamStatus.snapshot().lastMessageAt).toBeNull()
})

describe('computeOfflineMs', () => {
  const nowMs = Date.parse(at)
  it.each([
    [[], 0],
    [[oldGap], 0],
    [[openGap], 60_000],
    [[{ from: '2026-11-20T13:59:00.000Z', to: '2026-11-20T14:01:00.000Z' }], 60_000],
  ])('returns the time offline in the last 24 hours with the gaps %j', (gaps, expected) => {
    expect(computeOfflineMs(gaps, nowMs)).toBe(expected)
  })
})
