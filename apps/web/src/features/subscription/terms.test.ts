import type { PublicConfig } from '@tocsin/protocol'
import { describe, expect, it } from 'vitest'
import { sampleOrder } from '../../../test/support/sample-order.ts'
import type { PurchaseTerms } from './purchase.ts'
import { createExpectedTerms, createTerms, isSameTerms } from './terms.ts'

const shownTerms = createTerms(sampleOrder)
const otherAddress = '0x0000000000000000000000000000000000000001'

describe('isSameTerms', () => {
  it.each<[Partial<PurchaseTerms>]>([
    [{ chainId: 1 }],
    [{ amountWei: 1n }],
    [{ token: otherAddress }],
    [{ treasury: otherAddress }],
    [{ path: 'approve' }],
    [{ spender: otherAddress }],
    [{ path: 'approve', spender: otherAddress }],
  ])('case %#: is false when one term differs', (change) => {
    expect(isSameTerms(shownTerms, { ...shownTerms, ...change })).toBe(false)
  })

  it('is true when addresses differ only in case', () => {
    expect(isSameTerms(shownTerms, { ...shownTerms, treasury: shownTerms.treasury.toLowerCase() })).toBe(true)
  })
})

describe('createExpectedTerms', () => {
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
  ] as const)('equals the terms of the order when the path is %s', (paymentPath, spender) => {
    const orderTerms = createTerms({ ...sampleOrder, path: paymentPath, spender })
    expect(createExpectedTerms({ ...config, paymentPath }, '6h')).toEqual(orderTerms)
  })
})

it('createTerms: returns the missing amount when the order is underpaid', () => {
  expect(createTerms({ ...sampleOrder, status: 'underpaid', missingWei: '3' }).amountWei).toBe(3n)
})
