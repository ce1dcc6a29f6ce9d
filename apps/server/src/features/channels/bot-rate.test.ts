import { expect, test } from 'vitest'
import { createBotRateLimiter } from './bot-rate.ts'

test('bot rate: allows 30 messages a second, and counts each until one second after its response', () => {
  let nowMs = 0
  const rate = createBotRateLimiter(() => nowMs)
  const first = Array.from({ length: 30 }, () => rate.reserve())
  nowMs = 5_000
  expect(rate.waitMs(), 'no response yet').toBeGreaterThan(0)
  for (const message of first) message.markAnswered()
  nowMs = 5_999
  expect(rate.waitMs()).toBe(1)
  nowMs = 6_000
  expect(rate.waitMs()).toBe(0)
  for (const message of first) message.end()
  const second = Array.from({ length: 30 }, () => rate.reserve())
  expect(rate.waitMs()).toBeGreaterThan(0)
  second[0]?.end()
  expect(rate.waitMs(), 'a message that is not sent').toBe(0)
})
