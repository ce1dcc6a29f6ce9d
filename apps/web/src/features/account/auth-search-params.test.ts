import { describe, expect, test } from 'vitest'
import { createAssetPath } from '../alert/asset-path.ts'
import { formatAuthHref, parseNextPath, readAuthSearchParams } from './auth-search-params.ts'

describe('parseNextPath', () => {
  test.each([
    undefined,
    '',
    '/',
    '/auth',
    '//evil.example/dashboard',
    'https://evil.example/dashboard',
    '/\\evil.example',
    '\\\\evil.example',
    'https:evil.example',
    '/%2f%2fevil.example',
    '/%5c%5cevil.example',
    '/dashboard/../auth',
    '/dashboard.evil.example',
    'javascript:alert(1)',
    '/assets/../auth',
    '/assets//evil.example',
    '/assets/app.js',
    '/assets/~app.js',
    '/assets/~/evil.example',
    '//evil.example#/dashboard',
    '/#/dashboard',
  ])('returns the dashboard when next is %s', (next) => expect(parseNextPath(next)).toBe('/dashboard'))

  test.each([
    '/history',
    '/verification?alert=a1',
    '/dashboard?plan=24h',
    '/settings#page',
    '/admin?tab=dashboard#page',
    '/settings/channels',
    '/assets/BTC%2FUSDT',
    createAssetPath('BTC-PERP'),
    createAssetPath('~BRK.B/市場 (spot)'),
    '/admin',
  ])('returns %s, a page of this site', (next) => {
    expect(parseNextPath(next)).toBe(next)
  })
})

describe('readAuthSearchParams', () => {
  test.each([
    [{}, { tab: 'log-in' }],
    [{ tab: 'other', mode: 'x', next: 5 }, { tab: 'log-in' }],
    [{ tab: 'sign-up' }, { tab: 'sign-up' }],
    [{ mode: 'forgot-password' }, { tab: 'log-in', mode: 'forgot-password' }],
  ])('replaces invalid parameters with defaults in %j', (search, expected) =>
    expect(readAuthSearchParams(search)).toEqual(expected),
  )
})

test.each([
  [{}, '/auth'],
  [{ tab: 'log-in' as const, next: undefined }, '/auth'],
  [{ tab: 'sign-up' as const }, '/auth?tab=sign-up'],
  [{ mode: 'forgot-password' as const, next: '/history' }, '/auth?mode=forgot-password&next=%2Fhistory'],
])('formatAuthHref: omits defaults for %j', (search, href) => expect(formatAuthHref(search)).toBe(href))
