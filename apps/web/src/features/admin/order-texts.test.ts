import type { AdminOrder } from '@tocsin/protocol'
import { expect, it } from 'vitest'
import { formatExcess, formatOrderResolution, formatTransfer, planAndPrice, receivedWei } from './order-texts.ts'

const ITO = 10n ** 18n
type Transfer = AdminOrder['transfers'][number]
const transfer = (ito: number, standing: Transfer['standing'] = 'counted'): Transfer => ({
  transactionHash: '0x1',
  logIndex: 0,
  amountWei: (BigInt(ito) * ITO).toString(),
  at: '2026-11-21T12:00:00.000Z',
  standing,
})
const order = (excess: bigint, ...transfers: Transfer[]) => ({ excessWei: (excess * ITO).toString(), transfers })

it.each([
  ['nothing', order(0n), 0n, null],
  ['the exact price', order(0n, transfer(30)), 30n, null],
  ['too little', order(0n, transfer(28, 'unmatched')), 28n, null],
  ['more', order(1n, transfer(31)), 31n, '1 ITO'],
  ['several transfers', order(5n, transfer(10), transfer(10), transfer(15)), 35n, '5 ITO'],
  ['a transfer that does not count', order(0n, transfer(30), transfer(30, 'unmatched')), 60n, null],
  ['a transfer that was removed by a reorganisation', order(0n, transfer(30), transfer(5, 'reverted')), 30n, null],
])('receivedWei and formatExcess: give the received amount and the excess of %s', (_, paid, ito, excess) => {
  expect(receivedWei(paid)).toBe(ito * ITO)
  expect(formatExcess(paid)).toBe(excess)
})

it('order labels: describe the order, its transfers and the resolution', () => {
  expect(planAndPrice({ planType: '24h', priceWei: (30n * ITO).toString() })).toBe('24 hours, 30 ITO')
  expect(formatTransfer(transfer(30))).toBe('30 ITO')
  expect(formatTransfer(transfer(28, 'unmatched'))).toBe('28 ITO, not counted')
  expect(formatTransfer(transfer(28, 'reverted'))).toBe('28 ITO, removed by a reorg')
  expect(formatOrderResolution({ resolution: null })).toBe('Open')
  expect(formatOrderResolution({ resolution: 'refund_noted' })).toBe('Refund noted')
  expect(formatOrderResolution({ resolution: 'ignore' })).toBe('Ignored')
})
