import { expect, test } from 'vitest'
import { createBotRate } from './bot-rate.ts'

test('bot rate: 30 messages begin in any second, also if they were prepared for long', () => {
  let nowMs = 0
  const rate = createBotRate(() => nowMs)
  const first = Array.from({ length: 30 }, () => rate.reserve())
  expect(rate.waitMs()).toBeGreaterThan(0)
  nowMs = 700
  for (const message of first) message.sent()
  nowMs = 1_699
  expect(rate.waitMs()).toBe(1)
  nowMs = 1_700
  expect(rate.waitMs()).toBe(0)
  for (const message of first) message.end()
  const second = Array.from({ length: 30 }, () => rate.reserve())
  expect(rate.waitMs()).toBeGreaterThan(0)
  second[0]?.end()
  expect(rate.waitMs(), 'a message that is not sent').toBe(0)
})
