import { expect, it } from 'vitest'
import { logNumber } from './alert-number.ts'

it('writes log numbers with their thousands apart', () => {
  expect(logNumber(18_499)).toBe('#18,499')
})
