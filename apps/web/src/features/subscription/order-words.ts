import type { Order, OrderFlag, OrderStatus } from '@tocsin/protocol'
import { getPlan, orderFlags } from '@tocsin/protocol'
import { ordersTexts } from '../../texts/orders.tsx'
import { dateTime } from '../../ui/format-time.ts'
import { formatFee } from '../../wallet/amount.ts'
import { formatIto } from './purchase.ts'
import { isQueued } from './subscription-time.ts'

const texts = ordersTexts.orderWords

export const watchPatienceMs = 10 * 60_000

/** What became of the transaction, where this page could follow it itself. */
export type Followed = { hash: string; result: 'reverted' | 'cancelled'; feeWei: bigint } | null

/** What there is to say of an order that has met money or failed to, in a sentence or two. Null while there is nothing but to pay it. */
export function tellOrder(order: Order, context: { coin: string; followed: Followed; nowMs: number }): string | null {
  const { coin, followed, nowMs } = context
  const isFollowed = followed !== null && followed.hash === order.transactionHash
  switch (order.status) {
    case 'open':
      if (isFollowed && followed.result === 'cancelled') return cancelledInWallet
      if (order.transactionHash === null) return order.message
      return `${spedUp(order)}${order.message ?? onItsWay} ${mayClose}`
    case 'seen':
      // The page sees the block first. The server waits until it has the required confirmations.
      if (isFollowed && followed.result === 'cancelled') return cancelledInWallet
      return `${spedUp(order)}${order.message ?? onItsWay} ${mayClose}`
    case 'confirming':
      return `${spedUp(order)}${order.message ?? missingBlocks(order)} ${mayClose}`
    case 'paid':
      return [liveWords(order, nowMs), ...inOrder(order.flags).map((flag) => flagWords(flag, order))]
        .filter(Boolean)
        .join(' ')
    case 'underpaid': {
      // Then it can't be topped up any more, and the server says what happens.
      if (nowMs > Date.parse(order.watchedUntil) && order.message !== null) return order.message
      const { paidWei, priceWei, missingWei } = order
      const [saw, price, missing] = [paidWei, priceWei, missingWei].map((wei) => formatIto(BigInt(wei)))
      return texts.weSaw({ saw, price, missing, watchedUntil: until(order.watchedUntil) })
    }
    case 'reorganised':
      return texts.networkRolledBackTheBlock
    case 'failed': {
      const fee = isFollowed ? texts.feeOfWasSpent({ fee: formatFee(followed.feeWei), coin }) : texts.onlyTheNetworkFee
      return texts.networkRejectedThePayment({ fee })
    }
    case 'dropped':
      if (isFollowed && followed.result === 'cancelled') return cancelledInWallet
      return texts.networkDropped
    case 'expired':
      return texts.timeToPayIsOver({ message: order.message })
    case 'cancelled':
      return order.message ?? texts.youHaveCancelledIt
  }
}

const cancelledInWallet = texts.youCancelledThisPayment
const onItsWay = texts.yourPayment
const mayClose = texts.youMayCloseThisPage

function spedUp({ replacedHashes, transactionHash }: Order): string {
  return replacedHashes.length > 0 && transactionHash !== null ? texts.youSpedThisUpNow({ transactionHash }) : ''
}

function missingBlocks({ confirmations, required }: Order): string {
  const missing = Math.max(1, required - confirmations)
  return texts.moreConfirmations({ missing })
}

function liveWords({ subscription }: Order, nowMs: number): string {
  if (subscription && isQueued(subscription.startTime, nowMs)) {
    return texts.yourPlanStarts({ startTime: until(subscription.startTime) })
  }
  return texts.liveAlerts
}

function flagWords(flag: OrderFlag, { excessWei, paidWei }: Order): string {
  switch (flag) {
    case 'over':
      return texts.moreArrived({ paid: formatIto(BigInt(paidWei)), excess: formatIto(BigInt(excessWei)) })
    case 'late':
      return texts.itArrivedAfterTheTime
    case 'multiple':
      return texts.itCameInSeveralTransfers
    case 'under':
      return ''
  }
}

function until(at: string): string {
  return `${dateTime(Date.parse(at))} UTC`
}

/** After ten minutes without a block. Nobody is told that nothing was paid, nor asked to pay again. */
export function outOfPatience(hash: string): string {
  return texts.notConfirmedAfter10Minutes({ hash })
}

/** A status in one or two words, with the tone of its badge. */
export const statusLooks: Record<OrderStatus, { word: string; tone: 'ok' | 'medium' | 'critical' | 'neutral' }> = {
  open: { word: texts.notPaid, tone: 'neutral' },
  seen: { word: texts.sent, tone: 'medium' },
  confirming: { word: texts.confirming, tone: 'medium' },
  paid: { word: texts.paid, tone: 'ok' },
  underpaid: { word: texts.underpaid, tone: 'medium' },
  expired: { word: texts.expired, tone: 'neutral' },
  cancelled: { word: texts.cancelled, tone: 'neutral' },
  failed: { word: texts.failed, tone: 'critical' },
  reorganised: { word: texts.rolledBack, tone: 'critical' },
  dropped: { word: texts.dropped, tone: 'neutral' },
}

/** As people would say them, whatever came to light first. */
function inOrder(flags: readonly OrderFlag[]): OrderFlag[] {
  return orderFlags.filter((flag) => flags.includes(flag))
}

/** What was unusual about a purchase, for its line in the history. Empty when nothing was. */
export function unusualWords({ flags, paidWei, priceWei, missingWei, excessWei, status }: Order): string[] {
  const words: Record<OrderFlag, string> = {
    under: status === 'underpaid' ? texts.itoShort({ missing: formatIto(BigInt(missingWei)) }) : texts.toppedUp,
    over: texts.itoTooMuch({ excess: formatIto(BigInt(excessWei)) }),
    late: texts.afterItsTimeLimit,
    multiple: texts.inSeveralTransfers,
  }
  const partly = status !== 'paid' && status !== 'underpaid' && BigInt(paidWei) > 0n
  return [
    ...inOrder(flags).map((flag) => words[flag]),
    ...(partly ? [texts.ofItoArrived({ paid: formatIto(BigInt(paidWei)), price: formatIto(BigInt(priceWei)) })] : []),
  ]
}

/** "One transfer of exactly 10 ITO on Local Chain. Access ends … and does not renew." */
export function offerWords(
  {
    path,
    amountWei,
    chainName,
    planType,
  }: { path: Order['path']; amountWei: bigint; chainName: string; planType: Order['planType'] },
  nowMs: number,
): string {
  const amount = formatIto(amountWei)
  const ends = until(new Date(nowMs + getPlan(planType).hours * 3_600_000).toISOString())
  const how =
    path === 'transfer'
      ? texts.oneTransferOfExactlyIto({ amount, chainName })
      : texts.youApproveExactlyIto({ amount, chainName })
  return texts.thenWeWait({ how, ends })
}
