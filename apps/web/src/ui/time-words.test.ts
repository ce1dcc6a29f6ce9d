import { describe, expect, it } from 'vitest'
import { clockTime, exactTime, relativeTime } from './time-words.ts'

const now = Date.parse('2026-11-21T14:32:14.200Z')
const before = (seconds: number) => now - seconds * 1000

describe('relativeTime', () => {
  it.each([
    [-30, 'Just now'],
    [0, 'Just now'],
    [59, 'Just now'],
    [60, '1 minute ago'],
    [5 * 60 + 20, '5 minutes ago'],
    [3599, '59 minutes ago'],
    [3600, '1 hour ago'],
    [86_399, '23 hours ago'],
    [86_400, '1 day ago'],
    [40 * 86_400, '40 days ago'],
  ])('%d s ago is "%s"', (seconds, words) => {
    expect(relativeTime(before(seconds), now)).toBe(words)
  })
})

describe('exactTime', () => {
  it.each([
    [0, '14:32:14'],
    [86_399, '14:32:15'],
    [86_400, '20 Nov 14:32'],
  ])('%d s ago is "%s"', (seconds, words) => {
    expect(exactTime(before(seconds), now)).toBe(words)
  })
})

it('clockTime is UTC', () => {
  expect(clockTime(now)).toBe('14:32:14')
})
