import { describe, expect, it } from 'vitest'
import type { Terms } from './purchase.ts'
import { sampleOrder } from './sample-order.ts'
import { isAsShown, termsOf } from './terms.ts'

const shown = termsOf(sampleOrder)
const other = '0x0000000000000000000000000000000000000001'

describe('an order that says something else than the page did is looked at again', () => {
  it.each<[Partial<Terms>]>([
    [{ chainId: 1 }],
    [{ amountWei: 1n }],
    [{ token: other }],
    [{ treasury: other }],
    [{ path: 'approve', spender: other }],
  ])('case %#', (change) => {
    expect(isAsShown(shown, { ...shown, ...change })).toBe(false)
  })

  it('but not for the capitals of an address', () => {
    expect(isAsShown(shown, { ...shown, treasury: shown.treasury.toLowerCase() })).toBe(true)
  })
})

it('asks of an underpaid order exactly what is missing', () => {
  expect(termsOf({ ...sampleOrder, status: 'underpaid', missingWei: '3' }).amountWei).toBe(3n)
})
