import { type AdminOrder, getChain, getPlan, type Order, type OrderStatus, type Subscription } from '@tocsin/protocol'
import { findContext } from '../../chain/payment-chains.ts'
import { formatIto } from '../../chain/transfer.ts'
import type { Context } from '../../context.ts'
import type { Approval } from './collect.ts'
import {
  computeAmountsWithoutOrder,
  computeCreditDeadline,
  computeExcess,
  computeOrderStatus,
  computeRequiredOnChain,
  computeRequiredWei,
} from './order.ts'
import type { OrderRow, OrderTransfer, PaymentWithoutOrderRow, ResolutionColumns } from './order-store.ts'
import type { PaymentRow } from './store.ts'

const CHAIN_UNAVAILABLE =
  'The payment chain can’t be reached right now. Your payment is safe: the search is repeated automatically.'

const NOT_CREDITED_MESSAGE =
  'A payment that arrives now is not credited automatically: the operator sees it and decides about it.'

/** Results of the chain reads made for this response. */
interface ChainReadResults {
  /** True if the chain could not be read. */
  isChainUnavailable?: boolean
  approval?: Approval | null
}

export function presentOrder(
  ctx: Context,
  row: OrderRow,
  subscription: Subscription | null,
  { isChainUnavailable = false, approval = null }: ChainReadResults = {},
): Order {
  const { order, creditedWei, everCreditedWei, partialPaymentsWei, couponCode } = row
  const now = ctx.clock.now()
  const { toleranceBps } = ctx.config.orders
  const paidWei = creditedWei + partialPaymentsWei
  const isReverted = creditedWei < computeRequiredOnChain(order.priceWei, everCreditedWei, toleranceBps)
  const status = computeOrderStatus({ ...order, paidWei, isReverted }, now)
  const isPaidEnough = status === 'paid' || paidWei >= computeRequiredWei(order.priceWei, toleranceBps)
  const missingWei = isPaidEnough ? 0n : order.priceWei - paidWei
  const excessWei = computeExcess(paidWei, order.priceWei)
  const creditDeadline = computeCreditDeadline(order, getPlan(order.planId).priceWei)
  // The server collects nothing after the deadline, so the buyer has to send the rest.
  const path = status === 'underpaid' && now > order.expiresAt ? 'transfer' : order.path
  const requiredConfirmations = getRequiredConfirmations(ctx, order.chainId)
  const confirmations = status === 'paid' ? Math.max(requiredConfirmations, order.confirmations) : order.confirmations
  return {
    id: order.id,
    status,
    flags: order.flags,
    planType: order.planId,
    priceWei: order.priceWei.toString(),
    coupon:
      couponCode === null || order.listPriceWei === null
        ? null
        : { code: couponCode, listPriceWei: order.listPriceWei.toString() },
    paidWei: paidWei.toString(),
    missingWei: missingWei.toString(),
    excessWei: excessWei.toString(),
    token: order.token,
    decimals: 18,
    chainId: order.chainId,
    chainName: getChain(order.chainId).name,
    treasury: order.treasury,
    payer: order.payer,
    path,
    spender: path === 'approve' ? order.treasury : null,
    createdAt: order.createdAt.toISOString(),
    expiresAt: order.expiresAt.toISOString(),
    watchedUntil: creditDeadline.toISOString(),
    transactionHash: order.txHash,
    isPending: isPending(row, status),
    replacedHashes: order.replacedHashes,
    blockNumber: order.blockNumber,
    confirmations,
    required: requiredConfirmations,
    message:
      isChainUnavailable && waitingStatuses.has(status)
        ? CHAIN_UNAVAILABLE
        : formatMessage(row, { status, paidWei, missingWei, excessWei, approval, until: creditDeadline, now }),
    subscription,
  }
}

/** True if the order's transaction may still be mined, or mined again after a reorganisation. */
function isPending({ order, hasRevertedTransfer }: OrderRow, status: OrderStatus): boolean {
  if (order.txHash === null) return false
  if (order.paidAt !== null) return status === 'reorganised'
  return hasRevertedTransfer || (order.txState !== null && order.txState !== 'failed')
}

export function presentAdminOrder(
  ctx: Context,
  row: OrderRow,
  subscription: Subscription | null,
  transfers: readonly OrderTransfer[],
): AdminOrder {
  return {
    ...presentOrder(ctx, row, subscription),
    owner: row.owner,
    transfers: transfers.map(presentTransfer),
    ...presentResolution(row.order, row.resolverName),
  }
}

export function presentAdminPaymentWithoutOrder(
  ctx: Context,
  { payment, owner, resolverName }: PaymentWithoutOrderRow,
  subscription: Subscription | null,
): AdminOrder {
  return {
    ...presentPaymentWithoutOrder(ctx, payment, subscription),
    owner,
    transfers: [presentTransfer({ ...payment, isCounted: true })],
    ...presentResolution(payment, resolverName),
  }
}

function presentTransfer(
  transfer: Pick<OrderTransfer, 'txHash' | 'logIndex' | 'amountWei' | 'blockAt' | 'revertedAt' | 'isCounted'>,
): AdminOrder['transfers'][number] {
  const { txHash, logIndex, amountWei, blockAt, revertedAt, isCounted } = transfer
  return {
    transactionHash: txHash,
    logIndex,
    amountWei: amountWei.toString(),
    at: blockAt.toISOString(),
    standing: revertedAt !== null ? 'reverted' : isCounted ? 'counted' : 'unmatched',
  }
}

function presentResolution(
  { resolvedAt, resolvedBy, resolution, resolutionReason }: ResolutionColumns,
  resolverName: string | null,
): Pick<AdminOrder, keyof ResolutionColumns> {
  return {
    resolvedAt: resolvedAt?.toISOString() ?? null,
    resolvedBy: resolvedBy === null ? null : { id: resolvedBy, name: resolverName },
    resolution,
    resolutionReason,
  }
}

/** Presents a payment without an order as a purchase. */
export function presentPaymentWithoutOrder(
  ctx: Context,
  payment: PaymentRow,
  subscription: Subscription | null,
): Order {
  const { chainId } = payment
  const at = payment.createdAt.toISOString()
  const { priceWei, paidWei, excessWei, flags } = computeAmountsWithoutOrder(payment)
  const status = payment.revertedAt ? 'reorganised' : 'paid'
  const requiredConfirmations = getRequiredConfirmations(ctx, chainId)
  return {
    id: payment.id,
    status,
    flags,
    planType: payment.planId,
    priceWei: priceWei.toString(),
    coupon: null,
    paidWei: paidWei.toString(),
    missingWei: payment.revertedAt ? priceWei.toString() : '0',
    excessWei: excessWei.toString(),
    token: payment.token,
    decimals: 18,
    chainId,
    chainName: getChain(chainId).name,
    treasury: payment.treasury ?? getPaymentTerms(ctx, chainId).treasury,
    payer: payment.payer,
    path: 'transfer',
    spender: null,
    createdAt: at,
    expiresAt: at,
    watchedUntil: at,
    transactionHash: payment.txHash,
    isPending: payment.revertedAt !== null,
    replacedHashes: [],
    blockNumber: payment.blockNumber,
    confirmations: payment.revertedAt ? 0 : requiredConfirmations,
    required: requiredConfirmations,
    message: payment.revertedAt ? REORGANISED : describeExcess(excessWei, payment.resolution),
    subscription,
  }
}

function getPaymentTerms(ctx: Context, chainId: number): Context['config']['payment'] {
  return (findContext(ctx, chainId) ?? ctx).config.payment
}

const getRequiredConfirmations = (ctx: Context, chainId: number) =>
  Math.max(1, getPaymentTerms(ctx, chainId).confirmations)

const waitingStatuses = new Set<OrderStatus>(['open', 'seen', 'confirming', 'reorganised'])
const REORGANISED =
  'Your payment was removed from the chain by a reorganisation. It counts again when it is back on the chain.'

interface MessageInputs {
  status: OrderStatus
  paidWei: bigint
  missingWei: bigint
  excessWei: bigint
  approval: Approval | null
  /** Until when a late payment is credited automatically. */
  until: Date
  now: Date
}

/**
 * Returns a message if the approved amount or the balance is too low to collect the payment. Null
 * if both suffice, or if nothing is approved.
 */
function describeApproval(missingWei: bigint, approval: Approval | null): string | null {
  if (!approval || approval.allowanceWei === 0n) return null
  const { allowanceWei, balanceWei } = approval
  if (allowanceWei < missingWei) {
    return `Your wallet has approved ${formatIto(allowanceWei)}, but ${formatIto(missingWei)} are needed. Approve the full amount.`
  }
  if (balanceWei >= missingWei) return null
  return `Your wallet has approved the payment but holds only ${formatIto(balanceWei)}: ${formatIto(missingWei - balanceWei)} are missing. The payment is collected as soon as the wallet holds enough.`
}

function describeExcess(excessWei: bigint, resolution: ResolutionColumns['resolution']): string | null {
  if (excessWei === 0n) return null
  return resolution === 'refund_noted'
    ? `${formatIto(excessWei)} more than the price arrived. The operator has noted that it is sent back.`
    : `${formatIto(excessWei)} more than the price arrived. The operator sees it.`
}

function formatMessage({ order, lateWei }: OrderRow, amounts: MessageInputs): string | null {
  const { status, paidWei, missingWei, excessWei, approval, until, now } = amounts
  if (lateWei > 0n) {
    return `${formatIto(lateWei)} arrived too late to be credited automatically. The operator sees it and decides: write to support.`
  }
  switch (status) {
    case 'open':
      return describeApproval(missingWei, approval)
    case 'seen':
      return 'Your payment is on its way. It is not in a block yet.'
    case 'paid':
      return describeExcess(excessWei, order.resolution)
    case 'underpaid':
      return now > until
        ? `${formatIto(paidWei)} arrived and ${formatIto(missingWei)} were missing. The operator sees it and decides: write to support.`
        : `${formatIto(paidWei)} arrived, ${formatIto(missingWei)} are missing. Send them from the same wallet.`
    case 'expired':
      if (now > order.watchedUntil) return null
      return `This purchase has expired. ${now > until ? NOT_CREDITED_MESSAGE : 'A payment that is on its way still counts.'}`
    case 'cancelled': {
      if (now > order.watchedUntil) return null
      const cause = order.closedAt === null ? 'You have cancelled it.' : 'A newer purchase has replaced it.'
      return `${cause} ${now > until ? NOT_CREDITED_MESSAGE : 'A payment that lands anyway still counts.'}`
    }
    case 'failed':
      return 'The transaction failed on the chain. No ITO was transferred. You can pay again.'
    case 'reorganised':
      return REORGANISED
    case 'dropped':
      return 'The transaction was replaced or never reached the chain. It transferred no ITO. You can pay again.'
    default:
      return null
  }
}
