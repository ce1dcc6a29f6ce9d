import type { Order, OrderFlag, OrderStatus } from '@tocsin/protocol'
import { getPlan, orderFlags } from '@tocsin/protocol'
import { dateTime } from '../../ui/format-time.ts'
import { formatFee } from '../../wallet/amount.ts'
import { formatIto } from './purchase.ts'
import { isQueued } from './subscription-time.ts'

export const watchPatienceMs = 10 * 60_000

/** What became of the transaction, where this page could follow it itself. */
export type Followed = { hash: string; result: 'reverted' | 'cancelled'; feeWei: bigint } | null

/**
 * What there is to say of an order that has met money or failed to, in a sentence or two. Null
 * while there is nothing but to pay it.
 */
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
      return `We saw ${saw} of ${price} ITO. Send ${missing} more, from the same wallet, or contact support. It can be topped up until ${until(order.watchedUntil)}.`
    }
    case 'reorganised':
      return 'The network rolled back the block that held your payment. It usually comes back by itself; we keep watching. Do not pay again.'
    case 'failed': {
      const fee = isFollowed
        ? `the fee of ${formatFee(followed.feeWei)} ${coin} was spent`
        : 'only the network fee was spent'
      return `The network rejected the payment. No ITO left your wallet; ${fee}.`
    }
    case 'dropped':
      if (isFollowed && followed.result === 'cancelled') return cancelledInWallet
      return 'The network dropped this transaction, or another one took its place. No ITO left your wallet with it. You can pay again.'
    case 'expired':
      return `${order.message ?? 'The time to pay is over.'} Order again at today’s price.`
    case 'cancelled':
      return order.message ?? 'You have cancelled it.'
  }
}

const cancelledInWallet = 'You cancelled this payment in your wallet.'
const onItsWay = 'Your payment is on its way.'
const mayClose = 'You may close this page; the payment is found either way.'

function spedUp({ replacedHashes, transactionHash }: Order): string {
  return replacedHashes.length > 0 && transactionHash !== null
    ? `You sped this up. Now watching ${transactionHash}. `
    : ''
}

function missingBlocks({ confirmations, required }: Order): string {
  const missing = Math.max(1, required - confirmations)
  return `${missing} more ${missing === 1 ? 'confirmation' : 'confirmations'}.`
}

function liveWords({ subscription }: Order, nowMs: number): string {
  if (subscription && isQueued(subscription.startTime, nowMs)) {
    return `Your plan starts ${until(subscription.startTime)}, when the running one ends.`
  }
  return 'Live alerts are on. The payment was read from the chain, not from your browser.'
}

function flagWords(flag: OrderFlag, { excessWei, paidWei }: Order): string {
  switch (flag) {
    case 'over':
      return `${formatIto(BigInt(paidWei))} ITO arrived, ${formatIto(BigInt(excessWei))} more than the price: contact support to have it sent back.`
    case 'late':
      return 'It arrived after the time limit and was honoured.'
    case 'multiple':
      return 'It came in several transfers.'
    case 'under':
      return ''
  }
}

function until(at: string): string {
  return `${dateTime(Date.parse(at))} UTC`
}

/**
 * After ten minutes without a block. Nobody is told that nothing was paid, nor asked to pay again.
 */
export function outOfPatience(hash: string): string {
  return `Not confirmed after 10 minutes. It may still confirm; we keep watching ${hash}.`
}

/** A status in one or two words, with the tone of its badge. */
export const statusLooks: Record<OrderStatus, { word: string; tone: 'ok' | 'medium' | 'critical' | 'neutral' }> = {
  open: { word: 'Not paid', tone: 'neutral' },
  seen: { word: 'Sent', tone: 'medium' },
  confirming: { word: 'Confirming', tone: 'medium' },
  paid: { word: 'Paid', tone: 'ok' },
  underpaid: { word: 'Underpaid', tone: 'medium' },
  expired: { word: 'Expired', tone: 'neutral' },
  cancelled: { word: 'Cancelled', tone: 'neutral' },
  failed: { word: 'Failed', tone: 'critical' },
  reorganised: { word: 'Rolled back', tone: 'critical' },
  dropped: { word: 'Dropped', tone: 'neutral' },
}

/** As people would say them, whatever came to light first. */
function inOrder(flags: readonly OrderFlag[]): OrderFlag[] {
  return orderFlags.filter((flag) => flags.includes(flag))
}

/** What was unusual about a purchase, for its line in the history. Empty when nothing was. */
export function unusualWords({ flags, paidWei, priceWei, missingWei, excessWei, status }: Order): string[] {
  const words: Record<OrderFlag, string> = {
    under: status === 'underpaid' ? `${formatIto(BigInt(missingWei))} ITO short` : 'topped up',
    over: `${formatIto(BigInt(excessWei))} ITO too much`,
    late: 'after its time limit',
    multiple: 'in several transfers',
  }
  const partly = status !== 'paid' && status !== 'underpaid' && BigInt(paidWei) > 0n
  return [
    ...inOrder(flags).map((flag) => words[flag]),
    ...(partly ? [`${formatIto(BigInt(paidWei))} of ${formatIto(BigInt(priceWei))} ITO arrived`] : []),
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
      ? `One transfer of exactly ${amount} ITO on ${chainName}.`
      : `You approve exactly ${amount} ITO on ${chainName} and the server collects them, no more.`
  return `${how} Then we wait for it to be in a block. Access ends ${ends} and does not renew.`
}
