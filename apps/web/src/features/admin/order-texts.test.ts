import type { AdminOrder } from '@tocsin/protocol'
import { expect, it } from 'vitest'
import {
  formatExcess,
  formatOrderResolution,
  formatPlanAndPrice,
  formatTransfer,
  sumReceivedWei,
} from './order-texts.ts'

const ITO = 10n ** 18n
type Transfer = AdminOrder['transfers'][number]
const createTransfer = (ito: number, standing: Transfer['standing'] = 'counted'): Transfer => ({
  transactionHash: '0x1',
  logIndex: 0,
  amountWei: (BigInt(ito) * ITO).toString(),
  at: '2026-11-21T12:00:00.000Z',
  standing,
})
const createOrder = (excess: bigint, ...transfers: Transfer[]) => ({ excessWei: (excess * ITO).toString(), transfers })

it.each([
  ['nothing', createOrder(0n), 0n, null],
  ['the exact price', createOrder(0n, createTransfer(30)), 30n, null],
  ['too little', createOrder(0n, createTransfer(28, 'unmatched')), 28n, null],
  ['more', createOrder(1n, createTransfer(31)), 31n, '1 ITO'],
  ['several transfers', createOrder(5n, createTransfer(10), createTransfer(10), createTransfer(15)), 35n, '5 ITO'],
  ['a transfer that does not count', createOrder(0n, createTransfer(30), createTransfer(30, 'unmatched')), 60n, null],
  [
    'a transfer that was removed by a reorganisation',
    createOrder(0n, createTransfer(30), createTransfer(5, 'reverted')),
    30n,
    null,
  ],
])('sumReceivedWei and formatExcess: return amount and excess when the payer sent %s', (_, paid, ito, excess) => {
  expect(sumReceivedWei(paid)).toBe(ito * ITO)
  expect(formatExcess(paid)).toBe(excess)
})

it('order texts: contain plan and price, whether a transfer counts, and the resolution of the order', () => {
  expect(formatPlanAndPrice({ planType: '24h', priceWei: (30n * ITO).toString() })).toBe('24 hours, 30 ITO')
  expect(formatTransfer(createTransfer(30))).toBe('30 ITO')
  expect(formatTransfer(createTransfer(28, 'unmatched'))).toBe('28 ITO, not counted')
  expect(formatTransfer(createTransfer(28, 'reverted'))).toBe('28 ITO, removed by a reorg')
  expect(formatOrderResolution({ resolution: null })).toBe('Open')
  expect(formatOrderResolution({ resolution: 'refund_noted' })).toBe('Refund noted')
  expect(formatOrderResolution({ resolution: 'ignore' })).toBe('Ignored')
})
