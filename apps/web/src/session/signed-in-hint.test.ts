// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { clearHint, readTimeHint, writeTimeHint } from './signed-in-hint.ts'

test('time hint: stores the time zone and the hour cycle until the hint is cleared', () => {
  writeTimeHint({ timeZone: 'Asia/Tokyo', hourCycle: '24' })
  expect(readTimeHint()).toEqual({ timeZone: 'Asia/Tokyo', hourCycle: '24' })
  clearHint()
  expect(readTimeHint()).toBeNull()
})
