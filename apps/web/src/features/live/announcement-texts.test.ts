import type { Priority } from '@tocsin/protocol'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { AnnouncementBatcher, formatCriticalAlert, formatNewAlerts } from './announcement-texts.ts'

const createNewAlert = (priority: Priority) => ({ priority, asset: 'ETH/USDT', anomalyType: 'Volume spike' })

it.each<[Priority[], string]>([
  [[], ''],
  [['critical'], ''],
  [['low'], '1 new alert'],
  [['low', 'critical', 'high'], '3 new alerts, 1 critical'],
])('formatNewAlerts: %j is announced as "%s"', (priorities, words) => {
  expect(formatNewAlerts(priorities.map(createNewAlert))).toBe(words)
})

it('formatCriticalAlert: names asset and anomaly type', () => {
  expect(formatCriticalAlert(createNewAlert('critical'))).toBe('Critical alert: ETH/USDT, Volume spike')
  expect(formatCriticalAlert({ ...createNewAlert('critical'), anomalyType: '' })).toBe('Critical alert: ETH/USDT')
})

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

it('AnnouncementBatcher: announces the first alert, then the following alerts in one batch every ten seconds', () => {
  const announced: string[] = []
  const batcher = new AnnouncementBatcher((words) => announced.push(words))
  for (let second = 0; second < 30; second++) {
    batcher.add(createNewAlert('low'))
    vi.advanceTimersByTime(1_000)
  }
  expect(announced).toEqual(['1 new alert', '10 new alerts', '10 new alerts'])
  batcher.stop()
  vi.advanceTimersByTime(60_000)
  expect(announced).toHaveLength(3)
})
