import { expect, test } from 'vitest'
import { createFilterParts, formatFilter, toggleValue } from './filter-texts.ts'

test('formatFilter: lists every value of the filter, with priorities from highest to lowest', () => {
  const filter = {
    q: 'spike',
    priority: ['high' as const, 'critical' as const],
    asset: ['BTC', 'ETH'],
    type: ['Volume spike'],
    regime: 'Calm',
    verdict: 'did-not' as const,
    from: '2026-01-01',
    to: '2026-01-02',
    read: 'unread' as const,
    watchlist: true as const,
  }
  expect(formatFilter(filter)).toBe(
    '“spike”, Critical, High, BTC, ETH, Volume spike, Regime Calm, Not true, From 2026-01-01, To 2026-01-02, ' +
      'Unread only, Watchlist only',
  )
  expect(new Set(createFilterParts(filter).map(({ key }) => key)).size).toBe(12)
})

test('createFilterParts: each part removes one value of a list, or the whole list when the list has only that value', () => {
  expect(createFilterParts({ asset: ['BTC', 'ETH'] }).map(({ without }) => without)).toEqual([
    { asset: ['ETH'] },
    { asset: ['BTC'] },
  ])
  expect(createFilterParts({ priority: ['low'] })[0]?.without).toEqual({ priority: undefined })
})

test.each([
  [undefined, ['A']],
  [['B'], ['B', 'A']],
  [['A', 'B'], ['B']],
  [['A'], undefined],
])('toggleValue: toggling A in %j returns %j', (values, expected) => {
  expect(toggleValue(values, 'A')).toEqual(expected)
})
