import type { Subscription } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { describe, expect, it } from 'vitest'
import { computeTimeLeft, formatTimeLeft, getStatus, getTone, isQueued } from './subscription-time.ts'

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
  cancelledAt: null,
}

describe('getStatus and getTone return the expected values', () => {
  it.each<[string, Subscription | null, number, string, string]>([
    ['without a subscription', null, endMs, 'Inactive', 'critical'],
    ['for a revoked subscription', { ...plan, isActive: false }, endMs - 1, 'Inactive', 'critical'],
    ['at the end time', plan, endMs, 'Expired', 'critical'],
    ['one millisecond before the end', plan, endMs - 1, 'Active', 'medium'],
    ['one hour before the end', plan, endMs - HOUR_MS, 'Active', 'ok'],
  ])('%s', (_name, subscription, nowMs, status, tone) => {
    expect([getStatus(subscription, nowMs), getTone(subscription, nowMs)]).toEqual([status, tone])
  })
})

describe('isQueued', () => {
  const startMs = Date.parse(plan.startTime)
  it.each([
    ['false when the start is ahead by the tolerated clock skew', startMs - 60_000, false],
    ['true when the start is ahead by more than the clock skew', startMs - 60_001, true],
    ['false when the period has started', startMs, false],
  ])('is %s', (_name, nowMs, expected) => {
    expect(isQueued(plan.startTime, nowMs)).toBe(expected)
  })

  it('is false without a start time', () => {
    expect(isQueued(undefined, startMs)).toBe(false)
  })
})

describe('computeTimeLeft and formatTimeLeft', () => {
  it.each([
    [endMs + 5000, [0, 0, 0, 0], '00:00:00'],
    [endMs - 999, [0, 0, 0, 0], '00:00:00'],
    [endMs - 61_000, [0, 0, 1, 1], '00:01:01'],
    [endMs - 259_191_000, [2, 23, 59, 51], '2 d 23:59:51'],
  ])('case %#: return the remaining whole seconds', (nowMs, parts, text) => {
    expect(Object.values(computeTimeLeft(endTime, nowMs))).toEqual(parts)
    expect(formatTimeLeft(endTime, nowMs)).toBe(text)
  })
})
