import type { Alert } from '@tocsin/protocol'
import { expect, test } from 'vitest'
import { computeRecheckDelayMs } from './recheck-delay.ts'

const getTime = (clock: string) => `2026-11-21T${clock}.000Z`
const anchored: Partial<Alert> = { anchoredAt: getTime('12:00:10') }
// Cast: `computeRecheckDelayMs` reads only these fields of a prediction.
const prediction = {
  startsAt: getTime('12:01:00'),
  horizonSeconds: 3_600,
  resolveBy: getTime('13:10:00'),
} as Alert['prediction']
const outcome = { verdict: 'came-true' } as Alert['outcome']

test.each<[what: string, alert: Partial<Alert>, now: string, delayMs: number | false]>([
  ['an alert without an anchor', { anchoredAt: null }, '12:00:05', 60_000],
  ['an anchored alert without a prediction', anchored, '12:30:00', false],
  ['a prediction before the end of its horizon', { ...anchored, prediction }, '12:31:00', 30 * 60_000],
  ['a prediction after the end of its horizon', { ...anchored, prediction }, '13:02:00', 60_000],
  ['a prediction a minute after its deadline', { ...anchored, prediction }, '13:11:00', 60_000],
  ['a prediction more than a minute after its deadline', { ...anchored, prediction }, '13:11:01', false],
  ['a prediction with its outcome', { ...anchored, prediction, outcome }, '13:02:00', false],
])('computeRecheckDelayMs: returns the expected delay for %s', (_what, alert, now, delayMs) => {
  expect(computeRecheckDelayMs(alert as Alert, Date.parse(getTime(now)))).toBe(delayMs)
})
