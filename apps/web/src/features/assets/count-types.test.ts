import { expect, test } from 'vitest'
import { countTypes } from './count-types.ts'

const createAlert = (anomalyType: string) => ({
  ...{ id: 'id', asset: 'BTC/USDT', anomalyType, regime: 'Calm', priority: 'low' as const },
  ...{ confidence: 50, createdAt: '2026-03-02T14:00:00.000Z', summary: 'Words' },
})

test('countTypes: counts all and true predictions of each type, and sorts by the number of predictions', () => {
  const countedAlerts = [
    { status: 'false' as const, alert: createAlert('Volume spike') },
    { status: 'true' as const, alert: createAlert('Price move') },
    { status: 'void' as const, alert: createAlert('Price move') },
    { status: 'overdue' as const, alert: null },
  ]
  expect(countTypes(countedAlerts)).toEqual([
    { type: 'Price move', count: 1, n: 2 },
    { type: 'Volume spike', count: 0, n: 1 },
  ])
  expect(countTypes([])).toEqual([])
})
