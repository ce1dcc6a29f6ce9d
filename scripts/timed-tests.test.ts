import { expect, test } from 'vitest'
import { findTimedLines } from './timed-tests.ts'

// The examples are split into parts, because the check also reads this file.
test.each([
  ['a pause', 'await pause', '(2_500)'],
  ['a delay', 'void delay', '(20).then(end)'],
  ['a timer', 'await new Promise((resolve) => setTimeout', '(resolve, 50))'],
  ['a pause of the browser', 'await page.waitForTimeout', '(700)'],
  ['a wait of the test runner', 'await vi.waitFor', '(async () => {'],
  ['a limit of a measured time', 'expect(replica.lagSeconds', '()).toBeLessThan(2)'],
  ['a limit of an elapsed time', 'expect(performance.now() - start', ').toBeLessThan(500)'],
])('timed tests: %s is found with its line', (_what, start, end) => {
  expect(findTimedLines('a.test.ts', `first\n  ${start}${end}`)).toEqual(['a.test.ts:2'])
})

test('timed tests: a pause that is allowed in one file is reported in other files', () => {
  const line = `    await pause${'(200)'}`
  expect(findTimedLines('apps/server/test/channel-email.test.ts', line)).toEqual([])
  expect(findTimedLines('apps/server/test/channels.test.ts', line)).toHaveLength(1)
})

test('timed tests: waits for a state and pauses of a computed length are allowed', () => {
  const lines = ['await eventually(() => expect(count()).toBe(2))', 'await pause(waitMs)', 'setTimeout(run, 16)']
  expect(findTimedLines('a.test.ts', lines.join('\n'))).toEqual([])
})
