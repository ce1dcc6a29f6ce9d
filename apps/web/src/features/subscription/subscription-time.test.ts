import type { Subscription } from '@tocsin/protocol'
import { describe, expect, it } from 'vitest'
import { isQueued, statusOf, timeLeft, timeLeftWords, toneOf } from './subscription-time.ts'

const endTime = '2026-11-24T14:00:00.000Z'
const endMs = Date.parse(endTime)
const plan: Subscription = {
  id: '6f0e5a35-31a0-4d5e-9f2c-7bb1d1a4c0de',
  userId: '6f0e5a35-31a0-4d5e-9f2c-7bb1d1a4c0df',
  planType: '3d',
  tokenAmount: '75000000000000000000',
  startTime: '2026-11-21T14:00:00.000Z',
  endTime,
  transactionHash: '0xfeed',
  isActive: true,
}

describe('status and tone', () => {
  it.each<[string, Subscription | null, number, string, string]>([
    ['no plan', null, endMs, 'Inactive', 'critical'],
    ['a plan taken away', { ...plan, isActive: false }, endMs - 1, 'Inactive', 'critical'],
    ['at the end', plan, endMs, 'Expired', 'critical'],
    ['a moment before', plan, endMs - 1, 'Active', 'medium'],
    ['one hour before', plan, endMs - 3_600_000, 'Active', 'ok'],
  ])('%s', (_name, subscription, nowMs, status, tone) => {
    expect([statusOf(subscription, nowMs), toneOf(subscription, nowMs)]).toEqual([status, tone])
  })
})

describe('a period that waits', () => {
  const startMs = Date.parse(plan.startTime)
  it.each([
    ['in a minute, by a slow clock perhaps', startMs - 60_000, false],
    ['later than clocks differ', startMs - 60_001, true],
    ['when it has begun', startMs, false],
  ])('%s', (_name, nowMs, isWaiting) => {
    expect(isQueued(plan.startTime, nowMs)).toBe(isWaiting)
  })

  it('is none without a start', () => {
    expect(isQueued(undefined, startMs)).toBe(false)
  })
})

describe('time left', () => {
  it.each([
    [endMs + 5000, [0, 0, 0, 0], '00:00:00'],
    [endMs - 999, [0, 0, 0, 0], '00:00:00'],
    [endMs - 61_000, [0, 0, 1, 1], '00:01:01'],
    [endMs - 259_191_000, [2, 23, 59, 51], '2 d 23:59:51'],
  ])('case %#', (nowMs, parts, words) => {
    expect(Object.values(timeLeft(endTime, nowMs))).toEqual(parts)
    expect(timeLeftWords(endTime, nowMs)).toBe(words)
  })
})
