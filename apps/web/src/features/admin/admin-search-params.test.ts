import { expect, it } from 'vitest'
import { defaultSearchParams, omitDefaults, readAdminSearchParams } from './admin-search-params.ts'

const id = '7b0f3c1e-8d6c-4b8e-9a3e-0d7f6b1c2a44'

it.each([
  ['nothing', {}, {}],
  [
    'unknown values as absent',
    {
      tab: 'root',
      view: 'x',
      filter: 7,
      user: 'me',
      priority: '',
      state: 1,
      action: 'drop',
      payment: 'lost',
      plan: '1h',
    },
    {},
  ],
  ['values that are not text as absent', { search: { a: 1 }, actor: 5 }, {}],
  ['a number as search text', { search: 42 }, { search: '42' }],
  ['a boolean as search text', { search: true }, { search: 'true' }],
  [
    'users',
    { tab: 'users', search: 'mara', filter: 'active', user: id },
    { tab: 'users', search: 'mara', filter: 'active', user: id },
  ],
  [
    'payments',
    { tab: 'users', view: 'payments', payment: 'overpaid', plan: '3d' },
    { tab: 'users', view: 'payments', payment: 'overpaid', plan: '3d' },
  ],
  [
    'a link to the audit log without its tab',
    { view: 'audit', action: 'feed_saved' },
    { tab: 'dashboard', view: 'audit', action: 'feed_saved' },
  ],
])('readAdminSearchParams: reads %s', (_what, search, searchParams) => {
  expect(readAdminSearchParams(search)).toEqual({ ...defaultSearchParams, ...searchParams })
})

it('omitDefaults: omits default values, and readAdminSearchParams restores them', () => {
  expect(omitDefaults(defaultSearchParams)).toEqual({})
  const searchParams = { ...defaultSearchParams, tab: 'users', filter: 'none', search: 'x' } as const
  expect(omitDefaults(searchParams)).toEqual({ tab: 'users', filter: 'none', search: 'x' })
  expect(readAdminSearchParams(omitDefaults(searchParams))).toEqual(searchParams)
})
