import { HOUR_MS } from '@tocsin/protocol/durations'
import { describe, expect, it, test } from 'vitest'
import { computePauseEnd, decideRetry, getRank, isFailing, isTooOld, parseRetryAfter } from './destination.ts'
import { classifyStatus } from './kinds/kind.ts'

const now = new Date('2026-11-23T12:00:00.000Z')
const createAnswer = (status: number | null, retryAfterMs: number | null = null) => ({
  status,
  response: 'text',
  tookMs: 5,
  retryAfterMs,
})
const decideRetryAfter = (status: number | null, attempts = 1, random = 0) =>
  decideRetry(classifyStatus(createAnswer(status)), attempts, 'patient', now, random)
const addMs = (ms: number) => new Date(now.getTime() + ms)

describe('decideRetry', () => {
  it.each([
    [301, 'Returned 301: redirects are not followed'],
    [404, 'Returned 404'],
    [429, 'Returned 429'],
    [500, 'Returned 500'],
    [null, 'text'],
  ])('retries status %s after 5 s', (status, reason) => {
    expect(decideRetryAfter(status)).toEqual({ state: 'waiting', reason, nextAt: addMs(5_000) })
  })

  it.each([400, 401, 403])('does not retry status %i', (status) => {
    expect(decideRetryAfter(status)).toMatchObject({ state: 'dead', isGone: false })
  })

  it('marks the destination as removed or blocked (`isGone`) after status 410', () => {
    expect(decideRetryAfter(410)).toMatchObject({ state: 'dead', isGone: true })
  })

  it.each([200, 204, 299])('counts status %i as delivered', (status) => {
    expect(decideRetryAfter(status)).toEqual({ state: 'delivered', reason: `Returned ${status}` })
  })

  it('retries for about 38 hours, then gives up', () => {
    let totalMs = 0
    let attempts = 1
    for (; ; attempts += 1) {
      const verdict = decideRetryAfter(503, attempts)
      if (verdict.state !== 'waiting') break
      totalMs += verdict.nextAt.getTime() - now.getTime()
    }
    expect(attempts).toBe(10)
    expect(Math.round(totalMs / HOUR_MS)).toBe(38)
  })

  it('gives up after four attempts within 15 minutes when the retry policy is “brief”', () => {
    let totalMs = 0
    let attempts = 1
    for (; ; attempts += 1) {
      const verdict = decideRetry(classifyStatus(createAnswer(500)), attempts, 'brief', now, 0.999)
      if (verdict.state !== 'waiting') break
      totalMs += verdict.nextAt.getTime() - now.getTime()
    }
    expect(attempts).toBe(4)
    expect(totalMs).toBeLessThan(HOUR_MS / 4)
  })

  it('adds a jitter of up to a fifth to the pause', () => {
    expect(decideRetryAfter(500, 1, 0.5)).toMatchObject({ nextAt: addMs(5_500) })
  })

  it.each([
    [1_000, 5_000],
    [77_000, 77_000],
    [365 * 24 * HOUR_MS, 24 * HOUR_MS],
  ])('applies a Retry-After of %i ms, but waits at least 5 s and at most 24 hours', (retryAfterMs, waitMs) => {
    expect(decideRetry(classifyStatus(createAnswer(429, retryAfterMs)), 1, 'patient', now, 0)).toMatchObject({
      nextAt: addMs(waitMs),
    })
    expect(computePauseEnd(retryAfterMs, now)).toEqual(addMs(Math.min(retryAfterMs, 24 * HOUR_MS)))
  })
})

test.each([
  [undefined, null],
  ['', null],
  ['soon', null],
  ['-5', null],
  ['2027', 2_027_000],
  ['120', 120_000],
  ['Mon, 23 Nov 2026 12:00:30 GMT', 30_000],
  ['Mon, 23 Nov 2026 11:00:00 GMT', 0],
])('parseRetryAfter: returns the delay in milliseconds, or null if the value is invalid, for %j', (value, expected) => {
  expect(parseRetryAfter(value, now)).toBe(expected)
})

test.each([
  ['high', 15, false],
  ['high', 16, true],
  ['critical', 60, false],
  ['critical', 61, true],
] as const)('isTooOld: for a %s alert after %i minutes returns %s', (priority, minutes, expected) => {
  expect(isTooOld(now, getRank(priority), addMs(minutes * 60_000))).toBe(expected)
})

test('isFailing: returns true after 24 hours without a success', () => {
  expect(isFailing(now, addMs(24 * HOUR_MS - 1))).toBe(false)
  expect(isFailing(now, addMs(24 * HOUR_MS))).toBe(true)
})
