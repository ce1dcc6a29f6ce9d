import type { Hex } from '@tocsin/proof'
import type { OrderFlag } from '@tocsin/protocol'
import type { Transfer } from '../../chain/transfer.ts'
import { type Allocation, allocate, type OrderTerms, type UnpaidOrder } from './order.ts'
import type { OrderColumns } from './order-store.ts'
import { isConfirmed, isIncoming, matchTransfer, type PaymentTerms } from './payment.ts'
import { formatTransferKey, type NewPayment, type NewUnmatched, type UnmatchedRow } from './store.ts'
import type { ChainTransaction } from './transaction.ts'

/** Transfers of one payer in one transaction; at least one. */
export type IncomingTransfers = [Transfer, ...Transfer[]]

/** The fields of an unpaid order that decide which transfers it receives. */
type AllocatableOrder = Omit<UnpaidOrder, 'parts'> & Pick<OrderColumns, 'accountId' | 'payer' | 'treasury'>

/** A partial payment that was received earlier. */
type EarlierPart = NewPayment['transfer'] & Pick<UnmatchedRow, 'orderId'>

/** Incoming transfers of one payer, and the account that owns the payer's wallet. */
export interface OwnedTransfers {
  accountId: string | null
  transfers: IncomingTransfers
}

/** Incoming transfers of one payer, and the orders they may pay. */
export interface PayerTransfers extends OwnedTransfers {
  orders: readonly AllocatableOrder[]
  parts: readonly EarlierPart[]
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

/** Returns the incoming transfers of a confirmed transaction, grouped by payer. */
export function listIncoming(transaction: ChainTransaction, terms: PaymentTerms): IncomingTransfers[] {
  if (!isConfirmed(transaction, terms)) return []
  const byPayer = new Map<string, IncomingTransfers>()
  for (const transfer of transaction.transfers) {
    if (!isIncoming(transfer, terms)) continue
    const before = byPayer.get(transfer.payer)
    if (before) before.push(transfer)
    else byPayer.set(transfer.payer, [transfer])
  }
  return [...byPayer.values()]
}

/**
 * Removes transfers that are already recorded. @param used keys of the recorded transfers, see
 * `formatTransferKey`
 */
export function removeUsed(incoming: readonly OwnedTransfers[], used: ReadonlySet<string>): OwnedTransfers[] {
  return incoming.flatMap(({ accountId, transfers }) => {
    const [first, ...rest] = transfers.filter((transfer) => !used.has(formatTransferKey(transfer)))
    return first ? [{ accountId, transfers: [first, ...rest] satisfies IncomingTransfers }] : []
  })
}

/**
 * Combines each payer's transfers with the unpaid orders of the same account, payer and treasury.
 * @param recorded earlier partial payments; those among `incoming` are ignored
 */
export function addOrders(
  incoming: readonly OwnedTransfers[],
  unpaid: readonly AllocatableOrder[],
  recorded: readonly EarlierPart[],
): PayerTransfers[] {
  const current = new Set(incoming.flatMap(({ transfers }) => transfers.map(formatTransferKey)))
  const parts = recorded.filter((part) => !current.has(formatTransferKey(part)))
  return incoming.map(({ accountId, transfers }) => {
    const [{ payer, recipient }] = transfers
    const orders = unpaid.filter(
      (order) => order.accountId === accountId && order.payer === payer && order.treasury === recipient,
    )
    return { accountId, transfers, orders, parts }
  })
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
  Allocation<Transfer, AllocatableOrder & { parts: readonly EarlierPart[] }>,
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
