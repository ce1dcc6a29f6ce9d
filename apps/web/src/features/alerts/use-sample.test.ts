import { expect, test } from 'vitest'
import { limitTo } from './use-sample.ts'

const until = '2026-11-22T14:00:00.000Z'

test.each([
  [{}, until],
  [{ to: '2026-11-22T14:00:00.001Z' }, until],
  [{ to: '2026-11-22T13:59:59.999Z' }, '2026-11-22T13:59:59.999Z'],
  // A day ends with its last millisecond, which is after `until`.
  [{ to: '2026-11-22' }, until],
  [{ to: '2026-11-21' }, '2026-11-21'],
])('limitTo: %j ends at %s', (selection, to) => {
  expect(limitTo({ ...selection, priority: 'high' }, Date.parse(until))).toEqual({ priority: 'high', to })
})

test.each([
  [until, { to: until }],
  ['2026-11-22T14:00:00.001Z', { assets: '' }],
  ['2026-11-23', { assets: '' }],
])('limitTo: a selection from %s gets %j', (from, more) => {
  expect(limitTo({ from, priority: 'high' }, Date.parse(until))).toEqual({ from, priority: 'high', ...more })
})
