import { expect, it } from 'vitest'
import { formatLogNumber } from './alert-number.ts'

it('formatLogNumber: groups thousands', () => {
  expect(formatLogNumber(18_499)).toBe('#18,499')
})
