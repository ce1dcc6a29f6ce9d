import type { Priority } from '@tocsin/protocol'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { criticalWords, NewsTeller, newsWords } from './news-words.ts'

const news = (priority: Priority) => ({ priority, asset: 'ETH/USDT', anomalyType: 'Volume spike' })

it.each<[Priority[], string]>([
  [[], ''],
  [['critical'], ''],
  [['low'], '1 new alert'],
  [['low', 'critical', 'high'], '3 new alerts, 1 critical'],
])('%j is told as "%s"', (priorities, words) => {
  expect(newsWords(priorities.map(news))).toBe(words)
})

it('names a critical one', () => {
  expect(criticalWords(news('critical'))).toBe('Critical alert: ETH/USDT, Volume spike')
  expect(criticalWords({ ...news('critical'), anomalyType: '' })).toBe('Critical alert: ETH/USDT')
})

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

it('tells of a burst once, and of a long stream every ten seconds', () => {
  const told: string[] = []
  const teller = new NewsTeller((words) => told.push(words))
  for (let second = 0; second < 30; second++) {
    teller.add(news('low'))
    vi.advanceTimersByTime(1_000)
  }
  expect(told).toEqual(['1 new alert', '10 new alerts', '10 new alerts'])
  teller.stop()
  vi.advanceTimersByTime(60_000)
  expect(told).toHaveLength(3)
})
