import type { AdminSystem, BusinessRevenue, ResponseOf } from '@tocsin/protocol'
import { describe, expect, it, test } from 'vitest'
import {
  createRevenueBars,
  formatChangeAgainst,
  formatInCurrency,
  formatRoundedIto,
  listAttention,
  percent,
} from './business-texts.ts'

const ito = (amount: number) => (BigInt(Math.round(amount * 100)) * 10n ** 16n).toString()

test('formatRoundedIto: shows two decimals at most and never rounds up', () => {
  expect(formatRoundedIto(ito(1240))).toBe('1,240')
  expect(formatRoundedIto('1999999999999999999')).toBe('1.99')
})

it.each([
  ['EUR', 0.42, '€521'],
  ['USD', 0.01, '$12.40'],
])('formatInCurrency: shows 1,240 ITO in %s', (currency, perIto, words) => {
  expect(formatInCurrency(ito(1240), { currency, perIto })).toContain(words.slice(1))
})

it.each([
  ['110', '100', '+10.0%'],
  ['75', '100', '−25.0%'],
  ['100', '100', '0.0%'],
  ['100', '0', null],
])('formatChangeAgainst: %s compared with %s is %s', (now, before, words) => {
  expect(formatChangeAgainst(now, before)).toBe(words)
})

test('percent: returns an em dash when the total is 0', () => {
  expect(percent(0, 0)).toBe('—')
  expect(percent(1, 3)).toBe('33.3%')
})

test('createRevenueBars: sums the parts of a day by plan or by chain, with zeros for absent ones', () => {
  const days: BusinessRevenue['days'] = [
    {
      day: '2026-11-18',
      parts: [
        { planType: '6h', chainId: 1, count: 1, sumWei: '10' },
        { planType: '6h', chainId: 137, count: 1, sumWei: '20' },
        { planType: '3d', chainId: 137, count: 1, sumWei: '70' },
      ],
    },
  ]
  expect(createRevenueBars(days, 'plan', ['6h', '24h', '3d'])[0]?.parts.map(({ wei }) => wei)).toEqual([30n, 0n, 70n])
  expect(createRevenueBars(days, 'chain', ['1', '137'])[0]?.parts.map(({ wei }) => wei)).toEqual([10n, 90n])
})

describe('listAttention', () => {
  const calm = {
    anchor: { reason: null, isLow: false, anchorsLeft: 900 },
    feed: { state: 'connected', lastError: null },
    payments: { trouble: null, unmatchedOpen: 0 },
    takeovers: [],
    staff: { needsFactor: true, earlierAccess: [] },
  } as unknown as AdminSystem
  const withChange = (
    change: { [K in 'anchor' | 'feed' | 'payments']?: object } & Partial<Pick<AdminSystem, 'takeovers' | 'staff'>>,
  ) => {
    const { anchor, feed, payments } = calm
    return {
      anchor: { ...anchor, ...change.anchor },
      feed: { ...feed, ...change.feed },
      payments: { ...payments, ...change.payments },
      takeovers: change.takeovers ?? [],
      staff: change.staff ?? calm.staff,
    } as unknown as AdminSystem
  }
  const getKeys = (system: AdminSystem) => listAttention(system).map(({ key }) => key)

  test('is empty when all is well', () => {
    expect(listAttention(calm)).toEqual([])
  })

  test('lists unmatched payments, faults and a low anchor wallet, the most severe first', () => {
    expect(getKeys(withChange({ payments: { unmatchedOpen: 2 } }))).toEqual(['unmatched'])
    expect(listAttention(withChange({ payments: { unmatchedOpen: 1 } }))[0]?.title).toBe('1 unmatched payment')
    expect(getKeys(withChange({ feed: { state: 'failed' } }))).toEqual(['feed'])
    const all = withChange({
      anchor: { reason: 'no funds', isLow: true },
      feed: { state: 'failed' },
      payments: { trouble: 'no node', unmatchedOpen: 3 },
      takeovers: [{ accountId: 'a1', at: '2026-11-24T10:00:00.000Z' }],
    })
    expect(listAttention(all)[0]).toMatchObject({ tab: 'users', user: 'a1' })
    expect(getKeys(all)).toEqual(['a1', 'payments', 'anchor', 'unmatched', 'feed', 'gas'])
  })

  test('lists staff who still have access from before their promotion, and that staff need no second factor', () => {
    const staff = { needsFactor: false, earlierAccess: [{ accountId: 'a2', ways: ['passkey', 'API key'] }] }
    expect(listAttention(withChange({ staff }))).toMatchObject([
      { key: 'earlier-a2', detail: expect.stringMatching(/^passkey, API key: /), isSevere: true, user: 'a2' },
      { key: 'factor', detail: expect.stringContaining('ADMIN_SECOND_FACTOR=false'), isSevere: true },
    ])
  })

  test('shows the times of server messages in the time style of the page', () => {
    const trouble = 'the payment chain was last read at 2026-11-24T10:00:00.123Z'
    const style = { timeZone: 'Europe/Berlin', hourCycle: '24' } as const
    const [row] = listAttention(withChange({ payments: { trouble } }), {}, style)
    expect(row?.detail).toBe('Payments are not credited: the payment chain was last read at 24 Nov 11:00:00')
  })

  test('lists changes that wait for a second admin, and failing destinations', () => {
    const kind = (failing: number) => ({ destinations: { failing } }) as ResponseOf<'adminChannels'>['kinds'][number]
    const change = { kind: 'treasury', approvedBy: null, endedAt: null } as const
    const more = (changes: object[], failing: number) =>
      listAttention(calm, { changes: changes as (typeof change)[], channels: { kinds: [kind(0), kind(failing)] } })
    expect(
      more(
        [
          { ...change, endedAt: 'x' },
          { ...change, approvedBy: { id: 'a', name: 'Bob' } },
        ],
        0,
      ),
    ).toEqual([])
    expect(more([change], 2).map(({ title }) => title)).toEqual([
      '1 change waits for a second admin',
      '2 destinations fail',
    ])
  })
})
