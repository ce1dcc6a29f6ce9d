import type { Hex } from '@tocsin/proof'
import type { OrderFlag } from '@tocsin/protocol'
import type { Transfer } from '../../chain/transfer.ts'
import { type Allocation, allocate, type OrderTerms } from './order.ts'
import type { OrderColumns } from './order-store.ts'
import { matchTransfer, type PaymentTerms } from './payment.ts'
import type { NewPayment, NewUnmatched, UnmatchedRow } from './store.ts'

/** At least one transfer, all of one payer and one transaction. */
export type IncomingTransfers = [Transfer, ...Transfer[]]

/** What has arrived from a wallet, its owner, and what that may be meant for. */
export interface PayerTransfers {
  accountId: string | null
  transfers: readonly Transfer[]
  orders: readonly OrderColumns[]
  /** What the orders have been paid before. */
  parts: readonly UnmatchedRow[]
}

interface Counted extends NewPayment {
  /** Whether it starts the period; others of its order only add to the sum. */
  startsPeriod: boolean
}

export interface OrderUpdate {
  id: string
  txHash: Hex
  blockNumber: number
  flags: readonly OrderFlag[]
  paidAt?: Date
}

/** What becomes of transfers: payments, transfers without a plan, and what their orders are told. */
export interface AllocationResult {
  counted: Counted[]
  unmatched: NewUnmatched[]
  settled: OrderUpdate[]
}

/** An order is named once for all transfers of the transaction. */
export function allocateIncomingTransfers(
  { accountId, transfers, orders, parts }: PayerTransfers,
  now: Date,
  terms: { order: OrderTerms; payment: PaymentTerms },
): AllocationResult {
  const settlement: AllocationResult = { counted: [], unmatched: [], settled: [] }
  const withParts = orders.map((order) => ({ ...order, parts: parts.filter(({ orderId }) => orderId === order.id) }))
  for (const allocation of allocate(transfers, withParts, terms.order)) {
    if (allocation.kind === 'none') settleWithoutOrder(settlement, accountId, allocation.transfers, now, terms.payment)
    else if (accountId !== null) settleOrder(settlement, accountId, allocation, now)
  }
  return settlement
}

type OfOrder = Exclude<Allocation<Transfer, OrderColumns & { parts: readonly UnmatchedRow[] }>, { kind: 'none' }>

function settleOrder(
  { counted, unmatched, settled }: AllocationResult,
  accountId: string,
  { kind, order, transfers, flags }: OfOrder,
  now: Date,
): void {
  const last = transfers.at(-1)
  if (!last) return
  const { id: orderId, planId } = order
  const before = settled.find(({ id }) => id === orderId)
  const told = before ?? { id: orderId, txHash: last.txHash, blockNumber: last.blockNumber, flags: [] }
  told.flags = [...told.flags, ...flags]
  if (!before) settled.push(told)
  if (kind === 'paid') {
    told.paidAt = now
    const all: NewPayment['transfer'][] = [...order.parts, ...transfers]
    for (const transfer of all) {
      counted.push({ transfer, accountId, planId, orderId, now, startsPeriod: transfer === last })
    }
    return
  }
  const reason = kind === 'part' ? 'partial' : 'late'
  for (const transfer of transfers) unmatched.push({ transfer, reason, orderId, now })
}

function settleWithoutOrder(
  { counted, unmatched }: AllocationResult,
  accountId: string | null,
  transfers: readonly Transfer[],
  now: Date,
  terms: PaymentTerms,
): void {
  for (const transfer of transfers) {
    const match = matchTransfer(transfer, accountId, now, terms)
    if (typeof match === 'string') unmatched.push({ transfer, reason: match, orderId: null, now })
    else {
      const { accountId: ownerId, plan } = match
      counted.push({ transfer, accountId: ownerId, planId: plan.id, orderId: null, now, startsPeriod: true })
    }
  }
}
