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

const toWei = (amount: number) => (BigInt(Math.round(amount * 100)) * 10n ** 16n).toString()

test('formatRoundedIto: shows two decimals at most and never rounds up', () => {
  expect(formatRoundedIto(toWei(1240))).toBe('1,240')
  expect(formatRoundedIto('1999999999999999999')).toBe('1.99')
})

it.each([
  ['EUR', 0.42, '€521'],
  ['USD', 0.01, '$12.40'],
])('formatInCurrency: shows 1,240 ITO in %s', (currency, perIto, words) => {
  expect(formatInCurrency(toWei(1240), { currency, perIto })).toContain(words.slice(1))
})

it.each([
  ['110', '100', '+10.0%'],
  ['75', '100', '−25.0%'],
  ['100', '100', '0.0%'],
  ['100', '0', null],
])('formatChangeAgainst: %s compared with %s is %s', (current, previous, words) => {
  expect(formatChangeAgainst(current, previous)).toBe(words)
})

test('percent: returns an em dash when the total is 0', () => {
  expect(percent(0, 0)).toBe('—')
  expect(percent(1, 3)).toBe('33.3%')
})

test('createRevenueBars: sums the revenue of a day by plan or by chain, with 0 for a plan without revenue', () => {
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
  const calmSystem = {
    anchor: { reason: null, isLow: false, anchorsLeft: 900 },
    feed: { state: 'connected', lastError: null },
    payments: { trouble: null, unmatchedOpen: 0 },
    takeovers: [],
    staff: { needsFactor: true, earlierAccess: [] },
  } as unknown as AdminSystem
  const createChangedSystem = (
    change: { [K in 'anchor' | 'feed' | 'payments']?: object } & Partial<Pick<AdminSystem, 'takeovers' | 'staff'>>,
  ) => {
    const { anchor, feed, payments } = calmSystem
    return {
      anchor: { ...anchor, ...change.anchor },
      feed: { ...feed, ...change.feed },
      payments: { ...payments, ...change.payments },
      takeovers: change.takeovers ?? [],
      staff: change.staff ?? calmSystem.staff,
    } as unknown as AdminSystem
  }
  const getKeys = (system: AdminSystem) => listAttention(system).map(({ key }) => key)

  test('returns an empty list when the system has no problem', () => {
    expect(listAttention(calmSystem)).toEqual([])
  })

  test('lists unmatched payments, faults and a low anchor wallet, the most severe first', () => {
    expect(getKeys(createChangedSystem({ payments: { unmatchedOpen: 2 } }))).toEqual(['unmatched'])
    expect(listAttention(createChangedSystem({ payments: { unmatchedOpen: 1 } }))[0]?.title).toBe('1 unmatched payment')
    expect(getKeys(createChangedSystem({ feed: { state: 'failed' } }))).toEqual(['feed'])
    const systemWithAllProblems = createChangedSystem({
      anchor: { reason: 'no funds', isLow: true },
      feed: { state: 'failed' },
      payments: { trouble: 'no node', unmatchedOpen: 3 },
      takeovers: [{ accountId: 'a1', at: '2026-11-24T10:00:00.000Z' }],
    })
    expect(listAttention(systemWithAllProblems)[0]).toMatchObject({ tab: 'users', user: 'a1' })
    expect(getKeys(systemWithAllProblems)).toEqual(['a1', 'payments', 'anchor', 'unmatched', 'feed', 'gas'])
  })

  test.each([
    [1, 'Enough for 1 anchor'],
    [2, 'Enough for 2 anchors'],
    [null, 'Enough for fewer than 20 anchors'],
  ])('says how many anchors a low anchor wallet pays for: %s', (anchorsLeft, detail) => {
    expect(listAttention(createChangedSystem({ anchor: { isLow: true, anchorsLeft } }))).toMatchObject([{ detail }])
  })

  test('lists staff with credentials from before their promotion, and a disabled second-factor requirement', () => {
    const staff = { needsFactor: false, earlierAccess: [{ accountId: 'a2', ways: ['passkey', 'API key'] }] }
    expect(listAttention(createChangedSystem({ staff }))).toMatchObject([
      {
        key: 'earlier-a2',
        detail:
          'passkey, API key: ask the account holder whether they added these. "tocsin doctor" on the server describes how to remove them.',
        isSevere: true,
        user: 'a2',
      },
      { key: 'factor', detail: expect.stringContaining('ADMIN_SECOND_FACTOR=false'), isSevere: true },
    ])
  })

  test('formats times in server messages with the given time zone and hour cycle', () => {
    const troubleText = 'the payment chain was last read at 2026-11-24T10:00:00.123Z'
    const style = { timeZone: 'Europe/Berlin', hourCycle: '24' } as const
    const [row] = listAttention(createChangedSystem({ payments: { trouble: troubleText } }), {}, style)
    expect(row?.detail).toBe('Payments are not credited: the payment chain was last read at 24 Nov 11:00:00')
  })

  test('lists changes that wait for a second admin, and failing destinations', () => {
    const createKind = (failing: number) =>
      ({ destinations: { failing } }) as ResponseOf<'adminChannels'>['kinds'][number]
    const change = { kind: 'treasury', approvedBy: null, endedAt: null } as const
    const listMoreAttention = (changes: object[], failing: number) =>
      listAttention(calmSystem, {
        changes: changes as (typeof change)[],
        channels: { kinds: [createKind(0), createKind(failing)] },
      })
    expect(
      listMoreAttention(
        [
          { ...change, endedAt: 'x' },
          { ...change, approvedBy: { id: 'a', name: 'Bob' } },
        ],
        0,
      ),
    ).toEqual([])
    expect(listMoreAttention([change], 2).map(({ title }) => title)).toEqual([
      '1 change waits for a second admin',
      '2 destinations fail',
    ])
  })
})
