import type { Hex } from '@tocsin/proof'
import type { OrderFlag } from '@tocsin/protocol'
import type { Transfer } from '../../chain/transfer.ts'
import { type Allocation, allocate, type OrderTerms } from './order.ts'
import type { OrderColumns } from './order-store.ts'
import { matchTransfer, type PaymentTerms } from './payment.ts'
import type { NewPayment, NewUnmatched, UnmatchedRow } from './store.ts'

/** Transfers of one payer in one transaction; at least one. */
export type IncomingTransfers = [Transfer, ...Transfer[]]

/** Incoming transfers of one payer, and the orders they may pay. */
export interface PayerTransfers {
  accountId: string | null
  transfers: readonly Transfer[]
  orders: readonly OrderColumns[]
  /** Partial payments received for these orders earlier. */
  parts: readonly UnmatchedRow[]
}

interface PaymentToRecord extends NewPayment {
  /**
   * True if this payment starts the subscription period. Other payments of the same order only add
   * to the paid amount.
   */
  startsPeriod: boolean
}

export interface OrderUpdate {
  id: string
  txHash: Hex
  blockNumber: number
  flags: readonly OrderFlag[]
  paidAt?: Date
}

/** The rows to write for a set of transfers. */
export interface AllocationResult {
  payments: PaymentToRecord[]
  unmatched: NewUnmatched[]
  orderUpdates: OrderUpdate[]
}

/**
 * Allocates one payer's transfers to orders, to plans by exact price, or to the unmatched list.
 * Returns at most one update per order.
 */
export function allocateIncomingTransfers(
  { accountId, transfers, orders, parts }: PayerTransfers,
  now: Date,
  terms: { order: OrderTerms; payment: PaymentTerms },
): AllocationResult {
  const result: AllocationResult = { payments: [], unmatched: [], orderUpdates: [] }
  const withParts = orders.map((order) => ({ ...order, parts: parts.filter(({ orderId }) => orderId === order.id) }))
  for (const allocation of allocate(transfers, withParts, terms.order)) {
    if (allocation.kind === 'none') allocateWithoutOrder(result, accountId, allocation.transfers, now, terms.payment)
    else if (accountId !== null) allocateToOrder(result, accountId, allocation, now)
  }
  return result
}

type OrderAllocation = Exclude<
  Allocation<Transfer, OrderColumns & { parts: readonly UnmatchedRow[] }>,
  { kind: 'none' }
>

function allocateToOrder(
  { payments, unmatched, orderUpdates }: AllocationResult,
  accountId: string,
  { kind, order, transfers, flags }: OrderAllocation,
  now: Date,
): void {
  const last = transfers.at(-1)
  if (!last) return
  const { id: orderId, planId } = order
  const before = orderUpdates.find(({ id }) => id === orderId)
  const update = before ?? { id: orderId, txHash: last.txHash, blockNumber: last.blockNumber, flags: [] }
  update.flags = [...update.flags, ...flags]
  if (!before) orderUpdates.push(update)
  if (kind === 'paid') {
    update.paidAt = now
    const all: NewPayment['transfer'][] = [...order.parts, ...transfers]
    for (const transfer of all) {
      payments.push({ transfer, accountId, planId, orderId, now, startsPeriod: transfer === last })
    }
    return
  }
  const reason = kind === 'part' ? 'partial' : 'late'
  for (const transfer of transfers) unmatched.push({ transfer, reason, orderId, now })
}

function allocateWithoutOrder(
  { payments, unmatched }: AllocationResult,
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
      payments.push({ transfer, accountId: ownerId, planId: plan.id, orderId: null, now, startsPeriod: true })
    }
  }
}
