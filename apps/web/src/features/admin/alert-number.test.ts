import { expect, it } from 'vitest'
import { logNumber } from './alert-number.ts'

it('logNumber: groups thousands', () => {
  expect(logNumber(18_499)).toBe('#18,499')
})
