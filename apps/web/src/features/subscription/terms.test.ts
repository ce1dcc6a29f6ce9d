import type { PublicConfig } from '@tocsin/protocol'
import { describe, expect, it } from 'vitest'
import type { Terms } from './purchase.ts'
import { sampleOrder } from './sample-order.ts'
import { expectedTerms, isAsShown, termsOf } from './terms.ts'

const shown = termsOf(sampleOrder)
const other = '0x0000000000000000000000000000000000000001'

describe('an order that says something else than the page did is looked at again', () => {
  it.each<[Partial<Terms>]>([
    [{ chainId: 1 }],
    [{ amountWei: 1n }],
    [{ token: other }],
    [{ treasury: other }],
    [{ path: 'approve' }],
    [{ spender: other }],
    [{ path: 'approve', spender: other }],
  ])('case %#', (change) => {
    expect(isAsShown(shown, { ...shown, ...change })).toBe(false)
  })

  it('but not for the capitals of an address', () => {
    expect(isAsShown(shown, { ...shown, treasury: shown.treasury.toLowerCase() })).toBe(true)
  })
})

describe('what an order is expected to say before it is made', () => {
  const { token, treasury } = sampleOrder
  const config = {
    chain: { id: 31337, name: 'Local Chain', rpcUrl: null, confirmations: 1, isReadable: true },
    token: { address: token, symbol: 'ITO', decimals: 18 } as const,
    plans: [],
    treasury,
  } satisfies Partial<PublicConfig>

  it.each([
    ['transfer', null],
    ['approve', treasury],
  ] as const)('is what the order says: %s', (paymentPath, spender) => {
    const ordered = termsOf({ ...sampleOrder, path: paymentPath, spender })
    expect(expectedTerms({ ...config, paymentPath }, '6h')).toEqual(ordered)
  })
})

it('asks of an underpaid order exactly what is missing', () => {
  expect(termsOf({ ...sampleOrder, status: 'underpaid', missingWei: '3' }).amountWei).toBe(3n)
})
