import { expect, it } from 'vitest'
import { formatAge, formatUptime } from './format-duration.ts'

const minuteMs = 60_000

it.each([
  [-5, '0 min'],
  [12 * minuteMs, '12 min'],
  [252 * minuteMs, '4 h 12 min'],
  [(12 * 24 + 4) * 60 * minuteMs, '12 d 04 h'],
])('formatUptime: formats %i ms as %s', (ms, text) => {
  expect(formatUptime(ms)).toBe(text)
})

it.each([
  [-5, '0 s'],
  [59_999, '59 s'],
  [minuteMs, '1 min'],
  [60 * minuteMs, '1 h'],
  [48 * 60 * minuteMs, '2 d'],
])('formatAge: formats %i ms as %s', (ms, text) => {
  expect(formatAge(ms)).toBe(text)
})
