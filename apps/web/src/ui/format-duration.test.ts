import { MINUTE_MS } from '@tocsin/protocol/durations'
import { expect, it } from 'vitest'
import { formatAge, formatUptime } from './format-duration.ts'

it.each([
  [-5, '0 min'],
  [12 * MINUTE_MS, '12 min'],
  [252 * MINUTE_MS, '4 h 12 min'],
  [(12 * 24 + 4) * 60 * MINUTE_MS, '12 d 04 h'],
])('formatUptime: formats %i ms as %s', (ms, text) => {
  expect(formatUptime(ms)).toBe(text)
})

it.each([
  [-5, '0 s'],
  [59_999, '59 s'],
  [MINUTE_MS, '1 min'],
  [60 * MINUTE_MS, '1 h'],
  [48 * 60 * MINUTE_MS, '2 d'],
])('formatAge: formats %i ms as %s', (ms, text) => {
  expect(formatAge(ms)).toBe(text)
})
