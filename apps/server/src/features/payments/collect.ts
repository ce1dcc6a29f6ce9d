import { addressOfKey, type Hex, hexToBytes } from '@tocsin/proof'
import {
  encodeFunctionData,
  isAddressEqual,
  keccak256,
  parseAbi,
  parseTransaction,
  TransactionReceiptNotFoundError,
  type TransactionSerializableEIP1559,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Context } from '../../context.ts'
import { firstFees, isImpatient, raisedFees } from './collection-fee.ts'
import * as store from './collection-store.ts'
import * as orderStore from './order-store.ts'
import { askPaymentChain } from './transaction.ts'

const tokenAbi = parseAbi([
  'function allowance(address owner, address spender) view returns (uint256)',
  'function balanceOf(address owner) view returns (uint256)',
  'function transferFrom(address from, address to, uint256 amount) returns (bool)',
])

/** Whether this server holds the key of the treasury of this chain: then wallets approve and it collects. */
export function isCollector({ config }: Context): boolean {
  const { treasuryKey } = config.orders
  return treasuryKey !== null && isAddressEqual(addressOfKey(hexToBytes(treasuryKey)), config.payment.treasury)
}

/**
 * Collects what wallets have approved for their orders: a transferFrom by the treasury's own key, whose Transfer log is then counted like any
 * other. An order has one collecting transaction at a time. Its signed bytes are on record before they are sent, and it counts as over only when
 * the chain has it, or another one in its place, with enough confirmations: nobody is charged twice, wherever the server dies. One that no block takes
 * is sent again with a higher fee and the same number, so that only one of the two can ever be mined. One instance at a time.
 *
 * @param head the newest block
 */
export async function collectApproved(ctx: Context, head: number): Promise<void> {
  const { treasuryKey } = ctx.config.orders
  if (treasuryKey === null || !isCollector(ctx)) return
  const { chainId, confirmations } = ctx.config.payment
  const confirmed = Math.max(0, head - Math.max(1, confirmations) + 1)
  for (const running of await store.listRunning(ctx.db, chainId))
    await bringOn(ctx, treasuryKey, running, { head, confirmed })
  for (const { order, partWei } of await orderStore.listCollectable(ctx.db, chainId, ctx.clock.now())) {
    // A payment that is on its way may be all that is missing.
    if (order.txState === 'seen' || order.txState === 'confirming' || order.txState === 'reorganised') continue
    if (await store.isCollected(ctx.db, order.id)) continue
    try {
      await collect(ctx, treasuryKey, order, order.priceWei - partWei)
    } catch (error) {
      // One wallet's approval must not hold up the others.
      ctx.logger.warn({ err: error, order: order.id }, 'an approved payment could not be collected, trying again')
    }
  }
}

/** Ends a transaction that is settled for good, sends any other again that is in no block: nodes may have lost it, or want more for it. */
async function bringOn(
  ctx: Context,
  treasuryKey: Hex,
  running: store.CollectionRow,
  { head, confirmed }: { head: number; confirmed: number },
): Promise<void> {
  const [usedForGood, used] = await askPaymentChain(ctx, () =>
    Promise.all([confirmed, head].map((height) => countTransactions(ctx, height))),
  )
  if (usedForGood === undefined || used === undefined) return
  if (usedForGood > running.nonce) return end(ctx, running)
  if (used > running.nonce) return
  // Those behind it wait for this one alone.
  const isNext = used === running.nonce
  const isStuck = isNext && isImpatient(running.signedAt ?? running.createdAt, ctx.clock.now())
  await send(ctx, isStuck ? await raiseFee(ctx, treasuryKey, running) : running)
}

function countTransactions(ctx: Context, height: number): Promise<number> {
  const { treasury: address } = ctx.config.payment
  return ctx.paymentChain.getTransactionCount({ address, blockNumber: BigInt(height) })
}

/** Whichever of its transactions it was: they are the same but for the fee. */
async function end(ctx: Context, running: store.CollectionRow): Promise<void> {
  const hashes = [running.txHash, ...running.earlierHashes]
  const found = await askPaymentChain(ctx, () => Promise.all(hashes.map((hash) => readStatus(ctx, hash))))
  const status = found.find((each) => each !== null) ?? null
  const outcome = status === null ? 'overtaken' : status === 'success' ? 'collected' : 'failed'
  await store.endCollection(ctx.db, running.id, outcome, ctx.clock.now())
}

/** On record before it is sent, beside the one before: either may be the one that is mined. */
async function raiseFee(ctx: Context, treasuryKey: Hex, running: store.CollectionRow): Promise<store.CollectionRow> {
  const before = parseTransaction(running.signed)
  const { maxFeePerGas, maxPriorityFeePerGas = 0n } = before
  if (before.type !== 'eip1559' || maxFeePerGas === undefined) throw new Error('The collecting transaction has no fee')
  const market = await askPaymentChain(ctx, () => ctx.paymentChain.estimateFeesPerGas())
  const fees = raisedFees({ maxFeePerGas, maxPriorityFeePerGas }, market, ctx.config.orders.maxFeeGwei)
  if (fees === null) {
    ctx.logger.warn({ order: running.orderId }, 'a collecting transaction waits: a higher fee would be above the cap')
    return running
  }
  const { chainId, nonce, to, data, gas } = before
  const signed = await sign(treasuryKey, { chainId, nonce, to, data, gas, ...fees })
  const raised = await store.replaceSigned(ctx.db, running, { ...signed, signedAt: ctx.clock.now() })
  ctx.failpoint('collect: before send')
  return raised
}

async function sign(treasuryKey: Hex, transaction: TransactionSerializableEIP1559) {
  const signed = await privateKeyToAccount(treasuryKey).signTransaction({ ...transaction, type: 'eip1559' })
  return { signed, txHash: keccak256(signed) }
}

async function readStatus(ctx: Context, hash: Hex): Promise<'success' | 'reverted' | null> {
  try {
    return (await ctx.paymentChain.getTransactionReceipt({ hash })).status
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return null
    throw error
  }
}

async function collect(
  ctx: Context,
  treasuryKey: Hex,
  order: orderStore.OrderColumns,
  amountWei: bigint,
): Promise<void> {
  const { chainId, treasury } = ctx.config.payment
  if (amountWei <= 0n || !(await isApproved(ctx, order, amountWei))) return
  const args = [order.payer, treasury, amountWei] as const
  const call = { to: order.token, data: encodeFunctionData({ abi: tokenAbi, functionName: 'transferFrom', args }) }
  const prepared = await askPaymentChain(ctx, async () => ({
    next: await ctx.paymentChain.getTransactionCount({ address: treasury, blockTag: 'pending' }),
    // Fails here where it would fail on the chain: then nothing is sent.
    gas: await ctx.paymentChain.estimateGas({ account: treasury, ...call }),
    fees: await ctx.paymentChain.estimateFeesPerGas(),
  }))
  const fees = firstFees(prepared.fees, ctx.config.orders.maxFeeGwei)
  const highest = await store.findHighestNonce(ctx.db, chainId)
  const nonce = Math.max(prepared.next, highest === null ? 0 : highest + 1)
  const gas = (prepared.gas * 3n) / 2n
  const signed = await sign(treasuryKey, { ...call, chainId, nonce, gas, ...fees })
  const now = ctx.clock.now()
  ctx.failpoint('collect: before store')
  const made = await store.insertCollection(ctx.db, {
    ...{ orderId: order.id, chainId, amountWei, nonce, ...signed, createdAt: now, signedAt: now },
  })
  ctx.failpoint('collect: before send')
  await send(ctx, made)
  ctx.failpoint('collect: after send')
}

async function isApproved(ctx: Context, { token, payer }: orderStore.OrderColumns, amountWei: bigint) {
  const contract = { address: token, abi: tokenAbi } as const
  const [allowance, balance] = await askPaymentChain(ctx, () =>
    Promise.all([
      ctx.paymentChain.readContract({
        ...contract,
        functionName: 'allowance',
        args: [payer, ctx.config.payment.treasury],
      }),
      ctx.paymentChain.readContract({ ...contract, functionName: 'balanceOf', args: [payer] }),
    ]),
  )
  return allowance >= amountWei && balance >= amountWei
}

/** Whether it arrived shows on the chain; a node that has it already says no, and so does one of several. */
async function send(ctx: Context, { orderId, txHash, nonce, signed }: store.CollectionRow): Promise<void> {
  try {
    await ctx.paymentChain.sendRawTransaction({ serializedTransaction: signed })
  } catch (error) {
    ctx.logger.debug({ err: error, hash: txHash }, 'a node did not take a collecting transaction')
  }
  const sender = { address: ctx.config.payment.treasury, nonce }
  const note = { txHash, txState: 'seen', at: ctx.clock.now(), sender } as const
  await orderStore.noteUnlessKnown(ctx.db, orderId, note)
}
