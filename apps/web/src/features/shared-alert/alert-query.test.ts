import type { AlertAt } from '@tocsin/protocol'
import { expect, test } from 'vitest'
import { computeRefetchDelayMs } from './alert-query.ts'

const nowMs = Date.parse('2026-11-22T14:00:00.000Z')
const createWithheldAlert = (publicAt: string) => ({ access: 'withheld', publicAt }) as AlertAt
const createPublicAlert = (anchoredAt: string | null) =>
  ({ access: 'public', bundle: { alert: { anchoredAt } } }) as AlertAt

test.each<[string, AlertAt | undefined, number | false]>([
  ['a withheld alert when it becomes public', createWithheldAlert('2026-11-22T14:05:00.000Z'), 300_000],
  ['a withheld alert in 15 s when the public time is past', createWithheldAlert('2026-11-22T13:59:00.000Z'), 15_000],
  ['a withheld alert after at most one day', createWithheldAlert('2026-12-22T13:59:00.000Z'), 86_400_000],
  ['an anchored public alert without a prediction never', createPublicAlert('2026-11-22T13:58:02.000Z'), false],
  ['a public alert whose anchor is expected after a minute', createPublicAlert(null), 60_000],
  ['a page that is not loaded never', undefined, false],
])('computeRefetchDelayMs: decides when to refetch: %s', (_name, page, expected) => {
  expect(computeRefetchDelayMs(page, nowMs)).toBe(expected)
})
