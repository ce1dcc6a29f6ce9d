import { expect, it } from 'vitest'
import { formatActor, formatDetails, formatSecurityKind } from './audit-texts.ts'

it.each([
  ['admin', 'letter_answered', 'Support message replied to'],
  ['admin', 'factor_removed', 'Second factor removed'],
  ['access', 'factor_removed', 'Factor removed'],
  ['sign-in', 'signed_in', 'Signed in'],
  ['admin', 'removed_action', 'Removed action'],
] as const)(
  'formatSecurityKind: shows an event of the category %s and the kind %s as "%s"',
  (category, kind, label) => {
    expect(formatSecurityKind({ category, kind })).toBe(label)
  },
)

it.each([
  [null, 'command line', 'Command line'],
  [null, 'mailed link', 'Link in an email'],
  [null, 'schedule', 'The server'],
  [null, 'alarm', 'The server'],
  [{ id: '1', name: null }, 'request-1', 'A deleted account'],
  [{ id: '1', name: 'Ops' }, 'request-1', 'Ops'],
])('formatActor: names %o with the request id "%s" as "%s"', (actor, requestId, words) => {
  expect(formatActor({ actor, requestId })).toBe(words)
})

it.each([
  ['users_exported', {}, ''],
  ['payments_exported', {}, ''],
  ['subscription_extended', { hours: 8760, planId: '6h' }, 'hours 8,760, plan 6 hours'],
  ['subscription_extended', { endsAt: '2026-11-24T04:39:12.000Z' }, 'ends at 24 Nov 2026 04:39:12 UTC'],
  ['feed_saved', { isEnabled: false, key: 'kept', gone: null }, 'not enabled, key kept'],
  [
    'payment_credited',
    { amountWei: '9500000000000000000', planId: 'gone', accountId: 'shown beside it' },
    'amount 9.5 ITO, plan gone',
  ],
  ['rate_changed', { currency: 'USD', perIto: 1250.000125 }, 'currency USD, per ito 1,250.000125'],
  ['chain_changed', { from: 31337, to: 137 }, 'from Local Chain, to Polygon (MATIC)'],
  ['alert_created', { broadcast: true }, 'Sent'],
  ['alert_created', { broadcast: false }, 'Only created, not sent'],
  ['alert_created', {}, ''],
  ['role_changed', { from: 'user', to: 'admin' }, 'from user, to admin'],
  ['feed_tested', { saved: false, success: true }, 'Succeeded, with unsaved settings'],
  ['feed_tested', { saved: true, success: false }, 'Failed, with the saved settings'],
  [
    'feed_tested',
    { success: true, saved: false, endpoint: 'wss://feed.example', key: 'stored' },
    'Succeeded, with unsaved settings, endpoint wss://feed.example, key stored',
  ],
] as const)('formatDetails: describes %s with %o as "%s"', (action, detail, words) => {
  expect(formatDetails({ action, detail })).toBe(words)
})
