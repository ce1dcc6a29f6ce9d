import { expect, test } from 'vitest'
import { createExampleFigures, createExampleRecord } from '../../../test/support/example-record.ts'
import {
  computeScaleLimit,
  createAlertsHref,
  createRows,
  formatInterval,
  formatLift,
  formatLinkTitle,
  formatRatePercent,
  formatSelection,
  formatZScore,
} from './record-texts.ts'

test.each([
  [{ n: 0, count: 0, rate: null }, '—'],
  [{ n: 14, count: 3, rate: 3 / 14 }, '21.4%'],
  [{ n: 2000, count: 1, rate: 0.0005 }, '0.1%'],
  [{ n: 7, count: 7, rate: 1 }, '100.0%'],
])('formatRatePercent: formats %j as %s', (rate, words) => {
  expect(formatRatePercent(rate)).toBe(words)
})

test('formatInterval and formatLift: return an em dash without a value', () => {
  expect([formatInterval(null), formatLift(null)]).toEqual(['—', '—'])
  expect(formatInterval([0.397, 0.453])).toBe('39.7% to 45.3%')
  expect(formatLift({ lift: 6.07, low: 5, high: 7 })).toBe('6.1×')
})

test.each([
  [[], 0.5],
  [[0.51], 0.6],
  [[0.3, 0.7], 0.7],
  [[0.701], 0.8],
  [[1], 1],
])('computeScaleLimit: for %j, returns %d', (shares, expectedEnd) => {
  expect(computeScaleLimit(shares)).toBe(expectedEnd)
})

test.each([
  [null, 'needs more outcomes'],
  [0, 'p 1.00, within ±1.96: no sign of miscalibration'],
  [-0.68, 'p 0.50, within ±1.96: no sign of miscalibration'],
  [1.96, 'p 0.050, within ±1.96: no sign of miscalibration'],
  [-2.5758, 'p 0.010, beyond ±1.96: not calibrated'],
  [-4, 'p under 0.001, beyond ±1.96: not calibrated'],
])('formatZScore: describes a Spiegelhalter z of %s', (z, words) => {
  expect(formatZScore(z)).toBe(words)
})

test('createRows: sorts types by n, and marks types with fewer than 150 outcomes as uncalibrated', () => {
  const rows = createRows(createExampleRecord(), 'type').map(({ label, isUncalibrated }) => [label, isUncalibrated])
  expect(rows).toEqual([
    ['Price move', false],
    ['Market-wide', true],
    ['Rush orders', true],
  ])
})

test('createRows: sorts months newest first, labels models by version and settings, and labels an empty key “None”', () => {
  const record = createExampleRecord()
  expect(createRows(record, 'month').map(({ label }) => label)).toEqual(['Nov 2026', 'Oct 2026'])
  expect(createRows(record, 'model')[0]?.label).toBe('engine 1.4.0 (2f2f…2f2f)')
  const recordWithoutRegime = {
    ...record,
    by: { ...record.by, regime: [{ key: '', figures: createExampleFigures(1, 2) }] },
  }
  expect(createRows(recordWithoutRegime, 'regime')[0]).toMatchObject({ key: '', label: 'None' })
})

test('createAlertsHref: escapes keys', () => {
  expect(createAlertsHref({ by: 'asset', key: 'BTC/USDT &c' })).toBe(
    '/track-record?by=asset&key=BTC%2FUSDT+%26c#alerts',
  )
})

test.each([
  [{ status: 'no-such', set: 'no-such', by: 'no-such', key: 'x' }, ''],
  [{ by: 'type', key: 'gone' }, ''],
  [{ status: 'late' }, 'Anchored late'],
  [{ by: 'type', key: 'Price move', status: 'true' }, 'Price move, came true'],
  [{ by: 'month', key: '2026-11', set: 'counted' }, 'Nov 2026, counted'],
  [{ by: 'bin', key: '40' }, 'Confidence 40% to 50%'],
  [{ by: 'bin', key: 'abc', status: 'true' }, 'Came true'],
  [{ by: 'resolved', key: 'engine Price move' }, 'Price move (engine), with a verdict'],
  [{ by: 'resolved', key: 'engine gone' }, ''],
])('formatSelection: formats %j as "%s"', (selection, words) => {
  expect(formatSelection(createExampleRecord(), selection)).toBe(words)
})

test.each([
  [{ status: 'true' as const }, 'Alerts: came true'],
  [{ by: 'bin' as const, key: '30' }, 'Alerts: confidence 30% to 40%'],
  [
    { by: 'type' as const, key: 'Price move', set: 'without-void' as const },
    'Alerts: Price move, counted, without void',
  ],
])('formatLinkTitle: describes %o as "%s"', (selection, title) => {
  expect(formatLinkTitle(selection)).toBe(title)
})
