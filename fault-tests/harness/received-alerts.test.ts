import { expect, test } from 'vitest'
import { findFirst } from './find-first.ts'
import { findCanary, ReceivedAlerts } from './received-alerts.ts'

const getAlert = (number: number) => ({
  logIndex: number,
  canary: `canary-feed-${number}-`,
  atMs: 1_764_000_000_000 + number,
})

test('ReceivedAlerts: returns the added alerts in order, even if there are thousands of them', () => {
  const received = new ReceivedAlerts()
  const alerts = Array.from({ length: 3_000 }, (_, number) => getAlert(number))
  for (const alert of alerts) received.push(alert)
  expect([...received]).toEqual(alerts)
  expect(JSON.parse(JSON.stringify(received))).toEqual(alerts)
  expect([received.length, received.at(-1), received.at(2_999), received.at(3_000)]).toEqual([
    3_000,
    getAlert(2_999),
    getAlert(2_999),
    undefined,
  ])
  expect(new ReceivedAlerts().at(-1)).toBeUndefined()
})

test('findFirst: returns the index of the first match, or the length when nothing matches', () => {
  const received = new ReceivedAlerts()
  for (const number of [1, 2, 2, 5]) received.push(getAlert(number))
  const findFrom = (number: number) => findFirst(received, ({ logIndex }) => logIndex >= number)
  expect([0, 1, 2, 3, 5, 6].map(findFrom)).toEqual([0, 0, 1, 3, 3, 4])
})

test('findCanary: returns the canary text of a summary, and an empty string for a summary without one', () => {
  expect(findCanary('Spread canary-admin-12-x of ETH')).toBe('canary-admin-12-')
  expect(findCanary('An alert')).toBe('')
})
