import { addressOfKey, type Hex, hexToBytes } from '@tocsin/proof'
import { encodeFunctionData, erc20Abi, isAddressEqual } from 'viem'
import { withPayment } from '../../chain/payment-chains.ts'
import type { Context } from '../../context.ts'
import type { Queryable, Tx } from '../../db/database.ts'
import { mapLimit } from '../../map-limit.ts'
import { lockAccount } from '../sessions/account-store.ts'
import { isSubscribed } from '../subscriptions/service.ts'
import { advanceCollection, sendTransaction, signTransaction } from './advance-collection.ts'
import { computeFirstFees } from './collection-fee.ts'
import * as store from './collection-store.ts'
import * as orderStore from './order-store.ts'
import * as paymentStore from './store.ts'
import { callPaymentChain } from './transaction.ts'

/** Maximum number of orders that one round checks. Other orders wait for the next rounds. */
const ORDERS_PER_RUN = 100
/** Maximum number of concurrent allowance reads. */
const MAX_CONCURRENT_READS = 16

/**
 * Returns true if this server holds the treasury key of this chain. Wallets then approve the amount
 * and the server collects it.
 */
export function isCollector(ctx: Context): boolean {
  return findTreasuryKey(ctx) !== null
}

/** Returns the key of the context's treasury, or null if this server does not hold it. */
function findTreasuryKey({ config }: Context): Hex | null {
  const { treasuryKey } = config.orders
  if (treasuryKey === null) return null
  return isAddressEqual(addressOfKey(hexToBytes(treasuryKey)), config.payment.treasury) ? treasuryKey : null
}

/**
 * Collects approved amounts with a transferFrom by the treasury key. The resulting Transfer log is
 * credited like any other.
 *
 * An account has at most one collecting transaction at a time, and none while it has a subscription
 * or a pending payment. The signed transaction is stored before it is sent, and is finished only
 * when it is clear which transaction used its nonce, so a crash never charges twice. A stuck
 * transaction is sent again with a higher fee and the same nonce. If its order was cancelled, is no
 * longer needed or was partly paid directly, it is replaced by a zero-value transfer. Only one
 * instance collects.
 *
 * @param head number of the newest block
 * @param uncreditedPayers wallets with a mined payment that is not credited yet
 * @throws the first error of a running collection, after all others were advanced
 */
export async function collectApproved(
  ctx: Context,
  head: number,
  uncreditedPayers: ReadonlySet<string>,
): Promise<void> {
  const { chainId } = ctx.config.payment
  const payingAccounts = new Set<string>(
    uncreditedPayers.size === 0
      ? []
      : (await paymentStore.listWalletOwners(ctx.db, [...uncreditedPayers], chainId)).values(),
  )
  const failures = await advanceCollections(ctx, head, payingAccounts)
  const treasuryKey = findTreasuryKey(ctx)
  if (treasuryKey !== null) await startCollections(ctx, treasuryKey, payingAccounts)
  if (failures.length > 0) throw failures[0]
}

async function startCollections(ctx: Context, treasuryKey: Hex, payingAccounts: ReadonlySet<string>): Promise<void> {
  const terms = ctx.config.payment
  const claimedOrders = await orderStore.claimCollectable(ctx.db, terms, ctx.clock.now(), ORDERS_PER_RUN)
  for (const collectable of await listApproved(ctx, claimedOrders)) {
    const { order } = collectable
    if (order.accountId === null || payingAccounts.has(order.accountId)) continue
    try {
      await collect(ctx, treasuryKey, { ...collectable, accountId: order.accountId })
    } catch (error) {
      // A failure for one wallet must not block the others.
      ctx.logger.warn({ err: error, order: order.id }, 'an approved payment could not be collected, trying again')
    }
  }
}

/**
 * Advances the unfinished transactions with the terms under which they were signed. Treasury, token
 * or key may have been changed in the settings since. A failure must not delay the others.
 * @returns the errors
 */
async function advanceCollections(ctx: Context, head: number, payingAccounts: ReadonlySet<string>): Promise<unknown[]> {
  const { chainId, confirmations, token, treasury } = ctx.config.payment
  const lastConfirmedBlock = Math.max(0, head - Math.max(1, confirmations) + 1)
  const failures: unknown[] = []
  for (const collection of await store.listRunning(ctx.db, chainId)) {
    const collectionContext = withPayment(ctx, { token: collection.token, treasury: collection.treasury })
    const isScanned = isAddressEqual(collection.treasury, treasury) && isAddressEqual(collection.token, token)
    await advanceCollection(collectionContext, findTreasuryKey(collectionContext), collection, {
      head,
      lastConfirmedBlock,
      isCoveredByScan: isScanned,
      payingAccounts,
    }).catch((error: unknown) => failures.push(error))
  }
  return failures
}

interface ClaimedOrder {
  order: orderStore.OrderColumns
  partialPaymentsWei: bigint
}

interface Collectable extends ClaimedOrder {
  accountId: string
}

/**
 * Returns the orders whose wallets have approved the amount and hold enough. Orders that cannot be
 * checked are skipped in this round.
 */
async function listApproved(ctx: Context, claimedOrders: readonly ClaimedOrder[]): Promise<ClaimedOrder[]> {
  if (claimedOrders.length === 0) return []
  const approvedOrders = new Set<ClaimedOrder>()
  await callPaymentChain(ctx, () =>
    mapLimit(MAX_CONCURRENT_READS, claimedOrders, async (claimedOrder) => {
      try {
        if (
          isEnough(
            await readApprovalFromNode(ctx, claimedOrder.order),
            claimedOrder.order.priceWei - claimedOrder.partialPaymentsWei,
          )
        )
          approvedOrders.add(claimedOrder)
      } catch (error) {
        ctx.logger.warn({ err: error, order: claimedOrder.order.id }, 'an approval could not be read, trying again')
      }
    }),
  )
  return claimedOrders.filter((candidate) => approvedOrders.has(candidate))
}

async function collect(ctx: Context, treasuryKey: Hex, collectable: Collectable): Promise<void> {
  const { order, partialPaymentsWei } = collectable
  const { chainId, treasury } = ctx.config.payment
  const amountWei = order.priceWei - partialPaymentsWei
  if (amountWei <= 0n || !(await needsPayment(ctx, ctx.db, collectable))) return
  if (!isEnough(await readApproval(ctx, order), amountWei)) return
  const args = [order.payer, treasury, amountWei] as const
  const call = { to: order.token, data: encodeFunctionData({ abi: erc20Abi, functionName: 'transferFrom', args }) }
  const [nextNonce, estimatedGas, market] = await callPaymentChain(ctx, () =>
    Promise.all([
      ctx.paymentChain.getTransactionCount({ address: treasury, blockTag: 'pending' }),
      // Throws if the call would revert, so nothing is sent.
      ctx.paymentChain.estimateGas({ account: treasury, ...call }),
      ctx.paymentChain.estimateFeesPerGas(),
    ]),
  )
  const fees = computeFirstFees(market, ctx.config.orders.maxFeeGwei)
  const highestNonce = await store.findHighestNonce(ctx.db, order)
  const nonce = Math.max(nextNonce, highestNonce === null ? 0 : highestNonce + 1)
  const gas = (estimatedGas * 3n) / 2n
  const signedTransaction = await signTransaction(treasuryKey, { ...call, chainId, nonce, gas, ...fees })
  const now = ctx.clock.now()
  ctx.failpoint('collect: before store')
  const collection = await ctx.db.transaction(async (tx) => {
    if (!(await lockCollectable(ctx, tx, collectable))) return null
    return store.insertCollection(tx, {
      orderId: order.id,
      chainId,
      amountWei,
      nonce,
      ...signedTransaction,
      createdAt: now,
      signedAt: now,
    })
  })
  ctx.failpoint('collect: before send')
  if (collection) await sendTransaction(ctx, collection)
  ctx.failpoint('collect: after send')
}

/**
 * Locks account and wallet, and checks again that the order can be collected: the buyer may have
 * cancelled, paid or chosen another plan.
 */
async function lockCollectable(ctx: Context, tx: Tx, collectable: Collectable): Promise<boolean> {
  const { order, partialPaymentsWei, accountId } = collectable
  if (!(await lockAccount(tx, accountId))) return false
  await orderStore.lockPayer(tx, order)
  const currentCollectable = await orderStore.findCollectable(tx, ctx.config.payment, ctx.clock.now(), order.id)
  const isSame =
    currentCollectable?.order.accountId === accountId && currentCollectable.partialPaymentsWei === partialPaymentsWei
  return isSame && (await needsPayment(ctx, tx, collectable))
}

/** True if the account has no subscription, and no payment or collection that may start one. */
async function needsPayment(ctx: Context, tx: Queryable, { order, accountId }: Collectable): Promise<boolean> {
  const now = ctx.clock.now()
  if (await isSubscribed(tx, accountId, now)) return false
  if (await orderStore.isPaymentUnderWay(tx, accountId, now)) return false
  if (await store.isCollecting(tx, { ...order, accountId }, now)) return false
  return !(await store.isCollected(tx, order.id))
}

/** A wallet's allowance for the treasury, and its balance. */
export interface Approval {
  allowanceWei: bigint
  balanceWei: bigint
}

const isEnough = ({ allowanceWei, balanceWei }: Approval, amountWei: bigint) =>
  allowanceWei >= amountWei && balanceWei >= amountWei

type ApprovalTerms = Pick<orderStore.OrderColumns, 'token' | 'payer' | 'treasury'>

/** @throws Refusal `unavailable` */
export function readApproval(ctx: Context, order: ApprovalTerms): Promise<Approval> {
  return callPaymentChain(ctx, () => readApprovalFromNode(ctx, order))
}

async function readApprovalFromNode(ctx: Context, { token, payer, treasury }: ApprovalTerms): Promise<Approval> {
  const contract = { address: token, abi: erc20Abi } as const
  const [allowanceWei, balanceWei] = await Promise.all([
    ctx.paymentChain.readContract({ ...contract, functionName: 'allowance', args: [payer, treasury] }),
    ctx.paymentChain.readContract({ ...contract, functionName: 'balanceOf', args: [payer] }),
  ])
  return { allowanceWei, balanceWei }
}
