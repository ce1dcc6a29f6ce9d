import type { Order, OrderFlag, OrderStatus } from '@tocsin/protocol'
import { getPlan, orderFlags } from '@tocsin/protocol'
import { HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { formatCountOf } from '../../ui/count.ts'
import { formatDateTimeWithZone } from '../../ui/format-time.ts'
import type { TimeStyle } from '../../ui/time-style.ts'
import { formatFee } from '../../wallet/amount.ts'
import { formatIto } from './purchase.ts'
import { isQueued } from './subscription-time.ts'

export const slowConfirmationMs = 10 * MINUTE_MS

/** The result of a transaction that this page followed. Null while the page does not know it. */
export type TransactionOutcome = { hash: string; result: 'reverted' | 'cancelled'; feeWei: bigint } | null

/** The state of an order in one or two sentences. Null for an open order without a message. */
export function describeOrder(
  order: Order,
  context: { coin: string; outcome: TransactionOutcome; nowMs: number; style: TimeStyle },
): string | null {
  const { coin, outcome, nowMs, style } = context
  const isSameTransaction = outcome !== null && outcome.hash === order.transactionHash
  switch (order.status) {
    case 'open':
      if (isSameTransaction && outcome.result === 'cancelled') return cancelledInWalletText
      if (!order.isPending) return order.message
      return `${formatSpeedUpNotice(order)}${order.message ?? onItsWayText} ${closeHint}`
    case 'seen':
      // The page learns about the cancellation earlier than the server, which waits for
      // confirmations.
      if (isSameTransaction && outcome.result === 'cancelled') return cancelledInWalletText
      return `${formatSpeedUpNotice(order)}${order.message ?? onItsWayText} ${closeHint}`
    case 'confirming':
      return `${formatSpeedUpNotice(order)}${order.message ?? formatRemainingCount(order)} ${closeHint}`
    case 'paid':
      return [describePeriod(order, nowMs, style), ...sortFlags(order.flags).map((flag) => describeFlag(flag, order))]
        .filter(Boolean)
        .join(' ')
    case 'underpaid': {
      // After `watchedUntil` the order can't be topped up. The server's message says what happens
      // next.
      if (nowMs > Date.parse(order.watchedUntil) && order.message !== null) return order.message
      const { paidWei, priceWei, missingWei } = order
      const [paidText, priceText, missingText] = [paidWei, priceWei, missingWei].map((wei) => formatIto(BigInt(wei)))
      return `We saw ${paidText} of ${priceText} ITO. Send ${missingText} more, from the same wallet, or contact support. The order can be topped up until ${formatTime(order.watchedUntil, style)}.`
    }
    case 'reorganised':
      return 'The network rolled back the block that held your payment. The payment usually comes back by itself; we keep watching. Do not pay again.'
    case 'failed': {
      const fee = isSameTransaction
        ? `the fee of ${formatFee(outcome.feeWei)} ${coin} was spent`
        : 'only the network fee was spent'
      return `The network rejected the payment. No ITO left your wallet; ${fee}.`
    }
    case 'dropped':
      if (isSameTransaction && outcome.result === 'cancelled') return cancelledInWalletText
      return 'The network dropped this transaction, or another transaction replaced it. This transaction transferred no ITO from your wallet. You can pay again.'
    case 'expired':
      return `${order.message ?? 'This purchase has expired.'} ${
        // A pending transaction may still be mined, although the server stops following it at the
        // deadline.
        order.isPending
          ? `Before you order again, check in your wallet that transaction ${order.transactionHash} is not pending.`
          : 'Order again at today’s price.'
      }`
    case 'cancelled':
      return order.message ?? 'You cancelled this order.'
  }
}

const cancelledInWalletText = 'You cancelled this payment in your wallet.'
const onItsWayText = 'Your payment is on its way.'
const closeHint = 'You may close this page; the payment is found either way.'

function formatSpeedUpNotice({ replacedHashes, transactionHash }: Order): string {
  return replacedHashes.length > 0 && transactionHash !== null
    ? `You replaced the transaction. Now watching ${transactionHash}. `
    : ''
}

function formatRemainingCount({ confirmations, required }: Order): string {
  const missing = Math.max(1, required - confirmations)
  return `${formatCountOf(missing, 'more confirmation')}.`
}

function describePeriod({ subscription }: Order, nowMs: number, style: TimeStyle): string {
  if (subscription && isQueued(subscription.startTime, nowMs)) {
    return `Your plan starts ${formatTime(subscription.startTime, style)}, when the running one ends.`
  }
  return 'Live alerts are on. The payment was read from the chain, not from your browser.'
}

function describeFlag(flag: OrderFlag, { excessWei, paidWei }: Order): string {
  switch (flag) {
    case 'over':
      return `${formatIto(BigInt(paidWei))} ITO arrived, ${formatIto(BigInt(excessWei))} more than the price: contact support to have it sent back.`
    case 'late':
      return 'The payment arrived after the time limit and was honoured.'
    case 'multiple':
      return 'The payment came in several transfers.'
    case 'under':
      return ''
  }
}

function formatTime(at: string, style: TimeStyle): string {
  return formatDateTimeWithZone(Date.parse(at), style)
}

/** The message after ten minutes without confirmation. It must not suggest paying again. */
export function formatSlowNotice(hash: string): string {
  return `Not confirmed after 10 minutes. It may still confirm; we keep watching ${hash}.`
}

/** Label and tone of the badge for each order status. */
export const statusBadges: Record<OrderStatus, { label: string; tone: 'ok' | 'medium' | 'critical' | 'neutral' }> = {
  open: { label: 'Not paid', tone: 'neutral' },
  seen: { label: 'Sent', tone: 'medium' },
  confirming: { label: 'Confirming', tone: 'medium' },
  paid: { label: 'Paid', tone: 'ok' },
  underpaid: { label: 'Underpaid', tone: 'medium' },
  expired: { label: 'Expired', tone: 'neutral' },
  cancelled: { label: 'Cancelled', tone: 'neutral' },
  failed: { label: 'Failed', tone: 'critical' },
  reorganised: { label: 'Rolled back', tone: 'critical' },
  dropped: { label: 'Dropped', tone: 'neutral' },
}

/** Sorts the flags in display order. */
function sortFlags(flags: readonly OrderFlag[]): OrderFlag[] {
  return orderFlags.filter((flag) => flags.includes(flag))
}

/** Remarks about an irregular payment for its row in the history; empty for a regular one. */
export function listRemarks({ flags, paidWei, priceWei, missingWei, excessWei, status }: Order): string[] {
  const isCovered = status === 'paid' || status === 'reorganised'
  const remarks: Record<OrderFlag, string | null> = {
    under: status === 'underpaid' ? `${formatIto(BigInt(missingWei))} ITO short` : isCovered ? 'topped up' : null,
    over: `${formatIto(BigInt(excessWei))} ITO too much`,
    late: 'after its time limit',
    multiple: 'in several transfers',
  }
  const isPartial = status !== 'paid' && status !== 'underpaid' && BigInt(paidWei) > 0n
  return [
    ...sortFlags(flags).flatMap((flag) => remarks[flag] ?? []),
    ...(isPartial ? [`${formatIto(BigInt(paidWei))} of ${formatIto(BigInt(priceWei))} ITO arrived`] : []),
  ]
}

/** Describes the payment before it is made: amount, chain, method and end of access. */
export function describeOffer(
  {
    path,
    amountWei,
    chainName,
    planType,
  }: { path: Order['path']; amountWei: bigint; chainName: string; planType: Order['planType'] },
  nowMs: number,
  style: TimeStyle,
): string {
  const amount = formatIto(amountWei)
  const endsText = formatDateTimeWithZone(nowMs + getPlan(planType).hours * HOUR_MS, style)
  const methodText =
    path === 'transfer'
      ? `One transfer of exactly ${amount} ITO on ${chainName}.`
      : `You approve exactly ${amount} ITO on ${chainName}. The server collects this amount and no more.`
  return `${methodText} Then we wait until the payment is in a block. Access ends ${endsText} and does not renew.`
}
