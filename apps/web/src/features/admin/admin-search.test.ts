import { expect, it } from 'vitest'
import { firstPlace, readAdminPlace, searchOf } from './admin-search.ts'

const id = '7b0f3c1e-8d6c-4b8e-9a3e-0d7f6b1c2a44'

it.each([
  ['nothing', {}, {}],
  ['what is unknown', { tab: 'root', view: 'x', filter: 7, user: 'me', priority: '', state: 1, action: 'drop' }, {}],
  ['what can be no text', { search: { a: 1 }, actor: 5 }, {}],
  ['a number that somebody searches for', { search: 42 }, { search: '42' }],
  ['a word that looks like something else', { search: true }, { search: 'true' }],
  [
    'users',
    { tab: 'users', search: 'mara', filter: 'active', user: id },
    { tab: 'users', search: 'mara', filter: 'active', user: id },
  ],
  ['the audit trail', { view: 'audit', action: 'feed_saved' }, { view: 'audit', action: 'feed_saved' }],
])('reads %s', (_what, search, place) => {
  expect(readAdminPlace(search)).toEqual({ ...firstPlace, ...place })
})

it('writes only what does not go without saying, and reads it again', () => {
  expect(searchOf(firstPlace)).toEqual({})
  const place = { ...firstPlace, tab: 'users', filter: 'none', search: 'x' } as const
  expect(searchOf(place)).toEqual({ tab: 'users', filter: 'none', search: 'x' })
  expect(readAdminPlace(searchOf(place))).toEqual(place)
})
