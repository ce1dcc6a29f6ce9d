import type { Hex } from '@tocsin/proof'
import type { OrderFlag } from '@tocsin/protocol'
import type { Transfer } from '../../chain/transfer.ts'
import { type Allocation, allocateTransfers, type OrderTerms, type UnpaidOrder } from './order.ts'
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
    const payerTransfers = byPayer.get(transfer.payer)
    if (payerTransfers) payerTransfers.push(transfer)
    else byPayer.set(transfer.payer, [transfer])
  }
  return [...byPayer.values()]
}

/**
 * Removes transfers that are already recorded.
 * @param recordedKeys keys of the recorded transfers, see `formatTransferKey`
 */
export function removeRecorded(
  incoming: readonly OwnedTransfers[],
  recordedKeys: ReadonlySet<string>,
): OwnedTransfers[] {
  return incoming.flatMap(({ accountId, transfers }) => {
    const [first, ...rest] = transfers.filter((transfer) => !recordedKeys.has(formatTransferKey(transfer)))
    return first ? [{ accountId, transfers: [first, ...rest] satisfies IncomingTransfers }] : []
  })
}

/**
 * Combines each payer's transfers with the unpaid orders of the same account, payer and treasury.
 * @param recordedParts earlier partial payments; those among `incomingTransfers` are ignored
 */
export function addOrders(
  incomingTransfers: readonly OwnedTransfers[],
  unpaidOrders: readonly AllocatableOrder[],
  recordedParts: readonly EarlierPart[],
): PayerTransfers[] {
  const incomingKeys = new Set(incomingTransfers.flatMap(({ transfers }) => transfers.map(formatTransferKey)))
  const earlierParts = recordedParts.filter((part) => !incomingKeys.has(formatTransferKey(part)))
  return incomingTransfers.map(({ accountId, transfers }) => {
    const [{ payer, recipient }] = transfers
    const orders = unpaidOrders.filter(
      (order) => order.accountId === accountId && order.payer === payer && order.treasury === recipient,
    )
    return { accountId, transfers, orders, parts: earlierParts }
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
  const ordersWithParts = orders.map((order) => ({
    ...order,
    parts: parts.filter(({ orderId }) => orderId === order.id),
  }))
  for (const allocation of allocateTransfers(transfers, ordersWithParts, terms.order)) {
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
  const lastTransfer = transfers.at(-1)
  if (!lastTransfer) return
  const { id: orderId, planId } = order
  const existingUpdate = orderUpdates.find(({ id }) => id === orderId)
  const update = existingUpdate ?? {
    id: orderId,
    txHash: lastTransfer.txHash,
    blockNumber: lastTransfer.blockNumber,
    flags: [],
  }
  update.flags = [...update.flags, ...flags]
  if (!existingUpdate) orderUpdates.push(update)
  if (kind === 'paid') {
    update.paidAt = now
    const allTransfers: NewPayment['transfer'][] = [...order.parts, ...transfers]
    for (const transfer of allTransfers) {
      payments.push({ transfer, accountId, planId, orderId, now, startsPeriod: transfer === lastTransfer })
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
