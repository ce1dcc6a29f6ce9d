import { expect, test } from 'vitest'
import { isFiltered, readAlertPlace, selectionOf } from './alert-place.ts'

test.each([
  [{}, {}],
  [
    { q: '  eth  ', priority: 'high' },
    { q: 'eth', priority: 'high' },
  ],
  [{ q: 42 }, { q: '42' }],
  [{ q: '' }, {}],
  [{ q: '   ' }, {}],
  [{ q: 'a\0b' }, {}],
  [{ q: ['a'] }, {}],
  [{ q: 'x'.repeat(300) }, { q: 'x'.repeat(200) }],
  [{ priority: 'urgent' }, {}],
  [
    { asset: 'BTC/USDT', type: 'Volume spike' },
    { asset: 'BTC/USDT', type: 'Volume spike' },
  ],
  [{ from: '2026-02-30' }, {}],
  [
    { from: '2026-02-02', to: '2026-02-01' },
    { from: '2026-02-01', to: '2026-02-02' },
  ],
  [{ read: 'unread' }, { read: 'unread' }],
  [{ read: 'read' }, {}],
  [{ alert: 'abc', other: '1' }, { alert: 'abc' }],
])('readAlertPlace: reads %j as %j', (search, place) => {
  expect(readAlertPlace(search)).toEqual(place)
})

test('isFiltered: ignores the open alert', () => {
  expect(isFiltered({ alert: 'abc' })).toBe(false)
  expect(isFiltered({ alert: 'abc', read: 'unread' })).toBe(true)
  expect(selectionOf({ alert: 'abc', q: 'eth' })).toEqual({ q: 'eth' })
})
