import type { Alert } from '@tocsin/protocol'
import { expect, test } from 'vitest'
import { createExampleRecord } from '../../../test/support/example-record.ts'
import { describeConfidence } from './confidence-texts.ts'
import { findTypeRecord } from './type-record.ts'

const createAlert = (origin: Alert['origin'], venue: string) =>
  ({ anomalyType: 'Price move', model: { name: 'engine' }, origin, prediction: { venue } }) as Alert

test.each([
  ['feed', 'binance', ''],
  ['demo', 'simulated', 'of the simulated market'],
  ['demo', 'binance', 'of the live market, demo log'],
] as const)('findTypeRecord: for an alert of origin %s on %s the scope is "%s"', (origin, venue, scope) => {
  const response = { record: createExampleRecord() }
  const record = { resolved: 418, rate: 166 / 420, baseRate: 0.07, scope }
  expect(findTypeRecord(response, createAlert(origin, venue))).toEqual(record)
})

test('findTypeRecord: returns a record of zero outcomes when the type has no record yet', () => {
  const record = findTypeRecord({ record: null }, createAlert('feed', 'binance'))
  expect(describeConfidence(43, record)).toBe('confidence 43.0% that it comes true, not calibrated yet (0 outcomes)')
})
