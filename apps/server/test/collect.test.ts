import { readdir, readFile } from 'node:fs/promises'
import { itoTokenAbi } from '@tocsin/contracts/abi'
import { addressOfKey, hexToBytes } from '@tocsin/proof'
import type { Order } from '@tocsin/protocol'
import { HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { waitForReceipt } from '@tocsin/testkit'
import { eq, sql } from 'drizzle-orm'
import pino from 'pino'
import {
  BlockNotFoundError,
  parseEther,
  parseTransaction,
  parseUnits,
  TransactionNotFoundError,
  TransactionReceiptNotFoundError,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { accounts } from '../src/db/schema/accounts.ts'
import { collections, orders, unmatchedTransfers } from '../src/db/schema/payments.ts'
import { wallets } from '../src/db/schema/wallets.ts'
import { collectFailpoints, type Failpoint } from '../src/failpoint.ts'
import { CALLS_PER_MINUTE, createChainReads } from '../src/features/payments/chain-reads.ts'
import { collectApproved } from '../src/features/payments/collect.ts'
import {
  creditTransaction,
  paymentEffects,
  type SubscriptionOperations,
} from '../src/features/payments/credit-payment.ts'
import { checkPayments } from '../src/features/payments/watcher.ts'
import {
  assertLedger,
  cancelOrder,
  getTimeAfterDue,
  makeOrder,
  readOrder,
  reportHash,
  runWatcherRound,
  sendPendingPayment,
  withTerms,
} from './order-fixture.ts'
import { anna, bert, box, chain, clock, getWallet, payIto, readRefusal, setPaymentFixture } from './payment-fixture.ts'

/**
 * Tests payment by approval, which operators can enable: the wallet approves, and the treasury key
 * collects with transferFrom.
 */

setPaymentFixture()

const treasuryKey = `0x${'7e'.repeat(32)}` as const
const createCollectingCtx = () => withTerms({ orders: { treasuryKey } })
const getBalance = (address: `0x${string}`) =>
  chain.client.readContract({ address: chain.token, abi: itoTokenAbi, functionName: 'balanceOf', args: [address] })
const getPayer = () => chain.wallet(1).account.address

async function approve(order: Order, ito: string, wallet = 1) {
  const args = [order.spender as `0x${string}`, parseUnits(ito, 18)] as const
  const hash = await chain
    .wallet(wallet)
    .writeContract({ address: chain.token, abi: itoTokenAbi, functionName: 'approve', args })
  await waitForReceipt(chain.client, hash)
}

async function makeApprovedOrder(ito = '10') {
  await chain.control.setBalance({ address: chain.treasury, value: parseEther('1') })
  const ctx = createCollectingCtx()
  const order = await makeOrder('6h', { ctx })
  await approve(order, ito)
  return { ctx, order }
}

/**
 * Waits until the transactions of the watcher are in a block. With automatic mining, anvil mines a
 * transaction only after it has responded to the sender.
 */
async function waitUntilMined() {
  await expect.poll(async () => (await chain.control.getTxpoolStatus()).pending).toBe(0)
}

async function watchAndMine(ctx: ReturnType<typeof createCollectingCtx>, rounds: number) {
  for (let round = 0; round < rounds; round++) {
    await runWatcherRound(ctx)
    await waitUntilMined()
  }
}

async function watchUntilPaid(ctx: ReturnType<typeof createCollectingCtx>, order: Order) {
  await watchAndMine(ctx, 4)
  expect(await readOrder(order.id, { ctx })).toMatchObject({ status: 'paid', paidWei: parseUnits('10', 18).toString() })
  expect(await box.ctx.db.select().from(collections)).toMatchObject([{ outcome: 'collected', orderId: order.id }])
}

test('collect: asks wallets to approve only when the key belongs to the treasury', async () => {
  expect(addressOfKey(hexToBytes(treasuryKey))).toBe(chain.treasury)
  expect(await makeOrder('6h', { ctx: createCollectingCtx() })).toMatchObject({
    path: 'approve',
    spender: chain.treasury,
  })
  const other = withTerms({ orders: { treasuryKey: `0x${'7f'.repeat(32)}` } })
  expect(await makeOrder('24h', { ctx: other })).toMatchObject({ path: 'transfer', spender: null })
})

test('collect: collects the price once when more is approved, and credits it by its Transfer event', async () => {
  const { ctx, order } = await makeApprovedOrder('1000')
  const balanceBefore = await getBalance(getPayer())
  await watchUntilPaid(ctx, order)
  expect(balanceBefore - (await getBalance(getPayer()))).toBe(parseUnits('10', 18))
  await assertLedger()
})

test.each([
  ['less than the price is approved', '9.999999999999999999', async () => {}],
  ['the order is cancelled', '10', async (order: Order) => void (await cancelOrder(order.id))],
  ['its time limit has passed', '10', async () => clock.advance(HOUR_MS)],
  [
    'its account is suspended',
    '10',
    async () => void (await box.ctx.db.update(accounts).set({ suspendedAt: clock.now() })),
  ],
  [
    'the balance is too low',
    '10',
    async () => {
      await payIto(1, '995', { to: `0x${'5'.repeat(40)}` })
    },
  ],
])('collect: collects nothing when %s', async (_, approved, prepare) => {
  const { ctx, order } = await makeApprovedOrder(approved)
  await prepare(order)
  await runWatcherRound(ctx)
  await runWatcherRound(ctx)
  expect(await box.ctx.db.$count(collections)).toBe(0)
  expect((await readOrder(order.id, { ctx })).paidWei).toBe('0')
})

test.each([
  ['nothing is approved', '0', null],
  ['enough is approved and held', '10', null],
  ['less is approved', '4', 'Your wallet has approved 4 ITO, but 10 ITO are needed. Approve the full amount.'],
  [
    'enough is approved but the balance is too low',
    '1000',
    'Your wallet has approved the payment but holds only 5 ITO: 5 ITO are missing. The payment is collected as soon as the wallet holds enough.',
  ],
])('open order: has the expected message about a missing amount when %s', async (_, approved, message) => {
  const { ctx, order } = await makeApprovedOrder(approved)
  if (approved === '1000') await payIto(1, '995', { to: `0x${'5'.repeat(40)}` })
  expect(await readOrder(order.id, { ctx })).toMatchObject({ status: 'open', message })
  const silent = { ...ctx, paymentChain: { ...ctx.paymentChain, getChainId: async () => Promise.reject(new Error()) } }
  expect(await readOrder(order.id, { ctx: silent })).toMatchObject({ status: 'open', message: null })
})

test('open order: queries the node at most once a second, and refuses an account over its call limit', async () => {
  const { ctx, order } = await makeApprovedOrder('4')
  let calls = 0
  const readContract = ((call: never) => {
    calls += 1
    return ctx.paymentChain.readContract(call)
  }) as typeof ctx.paymentChain.readContract
  const countingCtx = { ...ctx, paymentChain: { ...ctx.paymentChain, readContract } }
  let nowMs = 0
  const reads = createChainReads(() => nowMs)
  const readTestOrder = () => readOrder(order.id, { ctx: countingCtx, reads })
  const answers = await Promise.all([readTestOrder(), readTestOrder(), readTestOrder()])
  expect(answers.map(({ message }) => message)).toEqual(Array(3).fill(expect.stringContaining('approved 4 ITO')))
  expect(calls).toBe(2)
  nowMs += 1_000
  await readTestOrder()
  expect(calls).toBe(4)
  nowMs += 1_000
  await reads.read(anna, 'others', CALLS_PER_MINUTE - 8, async () => null)
  expect((await readRefusal(readTestOrder())).code).toBe('too_many_requests')
  expect(calls).toBe(4)
  // The account can still read an order for which the server does not call the node.
  await cancelOrder(order.id, { ctx })
  expect(await readTestOrder()).toMatchObject({ status: 'cancelled' })
})

test('collect: bounds its reads and still collects every approval when strangers open many unpaid orders', async () => {
  const { ctx, order } = await makeApprovedOrder()
  const madeOrders = await box.ctx.db.select().from(orders)
  const strangers = await box.ctx.db
    .insert(accounts)
    .values(Array.from({ length: 250 }, (_, index) => ({ name: `stranger ${index}`, createdAt: clock.now() })))
    .returning()
  const payers = strangers.map((_, index) => `0x${(2 ** 24 + index).toString(16).padStart(40, '0')}` as const)
  const openedOrders = strangers.map(({ id: accountId }, index) => {
    const { id, ...terms } = madeOrders[0] as (typeof madeOrders)[number]
    const createdAt = new Date(clock.now().getTime() - 60_000)
    return { ...terms, accountId, payer: payers[index] as `0x${string}`, createdAt }
  })
  await box.ctx.db
    .insert(wallets)
    .values(openedOrders.map(({ payer, accountId }) => ({ address: payer, accountId, linkedAt: clock.now() })))
  await box.ctx.db.insert(orders).values(openedOrders)
  const allowanceReads: unknown[] = []
  const readContract: typeof ctx.paymentChain.readContract = (call) => {
    if (call.functionName === 'allowance') allowanceReads.push(call.args)
    return ctx.paymentChain.readContract(call)
  }
  const countingCtx = { ...ctx, paymentChain: { ...ctx.paymentChain, readContract } }
  for (let round = 0; round < 3; round++) {
    allowanceReads.length = 0
    await runWatcherRound(countingCtx)
    // The allowance for the approved order may be read once more before it is collected.
    expect([100, 101]).toContain(allowanceReads.length)
  }
  await waitUntilMined()
  await runWatcherRound(countingCtx)
  expect(await readOrder(order.id, { ctx })).toMatchObject({ status: 'paid' })
})

test('collect: does not collect an amount that was transferred directly, and collects only the rest of a partial payment', async () => {
  const { ctx, order } = await makeApprovedOrder()
  await payIto(1, '4')
  await runWatcherRound(ctx)
  const balanceBefore = await getBalance(getPayer())
  await watchAndMine(ctx, 2)
  expect(await readOrder(order.id, { ctx })).toMatchObject({ status: 'paid', flags: ['multiple', 'under'] })
  expect(balanceBefore - (await getBalance(getPayer()))).toBeLessThanOrEqual(parseUnits('6', 18))
  await assertLedger()
})

test('collect: skips a wallet whose transfer cannot be credited, and collects from the others', async () => {
  const { ctx, order } = await makeApprovedOrder()
  const otherOrder = await makeOrder('6h', { ctx, by: bert, wallet: 2 })
  await approve(otherOrder, '10', 2)
  await payIto(1, '10')
  const credit: SubscriptionOperations['credit'] = (...args) => {
    if (args[2].some(({ accountId }) => accountId === anna)) throw new Error('In the middle')
    return paymentEffects.credit(...args)
  }
  await expect(checkPayments(ctx, { ...paymentEffects, credit })).rejects.toThrow('In the middle')
  expect(await box.ctx.db.select().from(collections)).toMatchObject([{ orderId: otherOrder.id }])
  await watchAndMine(ctx, 4)
  expect(await readOrder(order.id, { ctx })).toMatchObject({ status: 'paid', paidWei: parseUnits('10', 18).toString() })
  await assertLedger()
})

test('collect: collects nothing after the time limit, and a direct transfer completes the payment', async () => {
  const { ctx, order } = await makeApprovedOrder('5')
  await payIto(1, '4')
  await runWatcherRound(ctx)
  expect(await readOrder(order.id, { ctx })).toMatchObject({ status: 'underpaid', path: 'approve' })
  clock.advance(HOUR_MS)
  await runWatcherRound(ctx)
  expect(await readOrder(order.id, { ctx })).toMatchObject({ status: 'underpaid', path: 'transfer', spender: null })
  await payIto(1, '6')
  await runWatcherRound(ctx)
  expect(await readOrder(order.id, { ctx })).toMatchObject({ status: 'paid', path: 'approve' })
  await assertLedger()
})

test.each(collectFailpoints)('collect: collects once when the process stops at "%s"', async (at) => {
  const { ctx, order } = await makeApprovedOrder('1000')
  const balanceBefore = await getBalance(getPayer())
  let stopsLeft = 1
  const failpoint = (passedStep: Failpoint) => {
    if (passedStep !== at || stopsLeft === 0) return
    stopsLeft -= 1
    // For the database and the chain, this error has the same effect as a crash.
    throw new Error('The process ends')
  }
  await runWatcherRound({ ...ctx, failpoint })
  await watchUntilPaid(ctx, order)
  expect(stopsLeft).toBe(0)
  expect(balanceBefore - (await getBalance(getPayer()))).toBe(parseUnits('10', 18))
  await assertLedger()
})

test('collect: pays an order with a reduced price when the transaction is mined after the time limit', async () => {
  const { ctx, order } = await makeApprovedOrder('1000')
  await box.ctx.db.update(orders).set({ priceWei: parseUnits('5', 18) })
  await chain.control.setAutomine(false)
  await runWatcherRound(ctx)
  clock.advance(HOUR_MS)
  const timestamp = BigInt(Math.floor(getTimeAfterDue(order, MINUTE_MS).getTime() / 1_000))
  await chain.control.setNextBlockTimestamp({ timestamp })
  await chain.mine()
  await chain.control.setAutomine(true)
  await runWatcherRound(ctx)
  expect(await readOrder(order.id, { ctx })).toMatchObject({ status: 'paid', flags: [] })
  await assertLedger()
})

/** Mines the pending collecting transaction after the wallet has revoked its approval. */
async function mineAfterRevocation() {
  const args = [chain.treasury, 0n] as const
  const tip = 50_000_000_000n
  const call = { address: chain.token, abi: itoTokenAbi, functionName: 'approve', gas: 100_000n } as const
  await chain.wallet(1).writeContract({ ...call, args, maxFeePerGas: 10n * tip, maxPriorityFeePerGas: tip })
  await chain.mine()
  await chain.control.setAutomine(true)
}

test('collect: keeps a transaction that the buyer has reported pending when the collecting transaction fails on chain', async () => {
  const { ctx, order } = await makeApprovedOrder()
  await chain.control.setAutomine(false)
  await runWatcherRound(ctx)
  const reportedHash = `0x${'77'.repeat(32)}`
  await reportHash(order.id, reportedHash, { ctx })
  await mineAfterRevocation()
  await runWatcherRound(ctx)
  expect(await box.ctx.db.select().from(collections)).toMatchObject([{ outcome: 'failed' }])
  const pendingPayment = { status: 'seen', transactionHash: reportedHash, isPending: true }
  expect(await readOrder(order.id, { ctx })).toMatchObject(pendingPayment)
})

test('collect: collects with a new transaction after the first failed on chain and the wallet approved again', async () => {
  const { ctx, order } = await makeApprovedOrder()
  await chain.control.setAutomine(false)
  await runWatcherRound(ctx)
  expect(await readOrder(order.id, { ctx })).toMatchObject({ status: 'seen' })
  await mineAfterRevocation()
  await runWatcherRound(ctx)
  await runWatcherRound(ctx)
  expect(await readOrder(order.id, { ctx })).toMatchObject({ status: 'failed', paidWei: '0' })
  await approve(order, '10')
  await watchAndMine(ctx, 4)
  expect(await readOrder(order.id, { ctx })).toMatchObject({ status: 'paid' })
  const made = await box.ctx.db.select().from(collections).orderBy(collections.nonce)
  expect(made.map(({ outcome }) => outcome)).toEqual(['failed', 'collected'])
  await assertLedger()
})

const readCollection = async () => {
  const [collection, ...others] = await box.ctx.db.select().from(collections)
  if (!collection || others.length > 0) throw new Error('Expected one collecting transaction')
  return collection
}

/**
 * Sends a collecting transaction that stays pending, because the base fee rises above its maximum
 * fee.
 */
async function createStuckCollection(maxFeeGwei = 500) {
  await chain.control.setBalance({ address: chain.treasury, value: parseEther('1') })
  const ctx = withTerms({ orders: { treasuryKey, maxFeeGwei } })
  const order = await makeOrder('6h', { ctx })
  await approve(order, '1000')
  const before = await getBalance(getPayer())
  await chain.control.setAutomine(false)
  await runWatcherRound(ctx)
  const sent = await readCollection()
  const offered = parseTransaction(sent.signed)
  const { maxFeePerGas = 0n } = offered
  await chain.control.setNextBlockBaseFeePerGas({ baseFeePerGas: maxFeePerGas + 1n })
  await chain.mine()
  expect(await chain.client.getTransactionReceipt({ hash: sent.txHash }).catch(() => null)).toBeNull()
  return { ctx, order, sent, offered, before }
}

async function mineAgain() {
  await chain.control.setNextBlockBaseFeePerGas({ baseFeePerGas: 1n })
  await chain.mine()
  await chain.control.setAutomine(true)
}

describe('collect: a pending transaction', () => {
  test('is resent with the same nonce and a higher fee after each minute', async () => {
    const { ctx, order, sent, offered, before } = await createStuckCollection()
    clock.advance(MINUTE_MS - 1)
    await runWatcherRound(ctx)
    expect(await readCollection()).toEqual(sent)
    let lastOffer = offered
    const hashes = [sent.txHash]
    for (const wait of [1, MINUTE_MS]) {
      clock.advance(wait)
      await runWatcherRound(ctx)
      const raisedCollection = await readCollection()
      const offer = parseTransaction(raisedCollection.signed)
      expect(offer).toMatchObject({
        nonce: lastOffer.nonce,
        to: lastOffer.to,
        data: lastOffer.data,
        gas: lastOffer.gas,
      })
      expect(8n * (offer.maxFeePerGas ?? 0n)).toBeGreaterThanOrEqual(9n * (lastOffer.maxFeePerGas ?? 0n))
      expect(8n * (offer.maxPriorityFeePerGas ?? 0n)).toBeGreaterThanOrEqual(
        9n * (lastOffer.maxPriorityFeePerGas ?? 0n),
      )
      expect(raisedCollection.earlierHashes).toEqual(hashes)
      // The node replaced the previous transaction.
      expect((await chain.client.getTransaction({ hash: raisedCollection.txHash })).nonce).toBe(offer.nonce)
      await expect(chain.client.getTransaction({ hash: hashes.at(-1) ?? '0x' })).rejects.toThrow(/could not be found/)
      hashes.push(raisedCollection.txHash)
      lastOffer = offer
    }
    expect(await readOrder(order.id, { ctx })).toMatchObject({
      status: 'seen',
      transactionHash: hashes.at(-1),
      replacedHashes: hashes.slice(0, -1),
    })
    await mineAgain()
    await watchUntilPaid(ctx, order)
    expect(before - (await getBalance(getPayer()))).toBe(parseUnits('10', 18))
    await assertLedger()
  })

  test('counts as collected when its earlier version with the lower fee is mined', async () => {
    const { ctx, order, sent, before } = await createStuckCollection()
    clock.advance(MINUTE_MS)
    let isOver = false
    const failpoint = (passedStep: Failpoint) => {
      if (passedStep !== 'collect: before send' || isOver) return
      isOver = true
      throw new Error('The process ends')
    }
    await expect(runWatcherRound({ ...ctx, failpoint })).rejects.toThrow('The process ends')
    expect((await readCollection()).earlierHashes).toEqual([sent.txHash])
    // Acts as another node that still has the first transaction.
    await chain.client.sendRawTransaction({ serializedTransaction: sent.signed })
    await mineAgain()
    expect((await chain.client.getTransactionReceipt({ hash: sent.txHash })).status).toBe('success')
    await watchUntilPaid(ctx, order)
    expect(await readOrder(order.id, { ctx })).toMatchObject({ transactionHash: sent.txHash })
    expect(before - (await getBalance(getPayer()))).toBe(parseUnits('10', 18))
    await assertLedger()
  })

  test('is not resent above the fee cap, which is logged once', async () => {
    const { ctx, order, sent, offered } = await createStuckCollection(3)
    expect(offered.maxFeePerGas).toBeLessThanOrEqual(3n * 10n ** 9n)
    const messages: string[] = []
    const logger = pino({ level: 'warn' }, { write: (line: string) => void messages.push(JSON.parse(line).msg) })
    for (let round = 0; round < 3; round++) {
      clock.advance(MINUTE_MS)
      await runWatcherRound({ ...ctx, logger })
      await runWatcherRound({ ...ctx, logger })
    }
    expect(messages).toEqual([expect.stringMatching(/cannot be replaced: the higher fee would exceed the cap$/)])
    const { signed, earlierHashes } = await readCollection()
    expect(parseTransaction(signed).maxFeePerGas).toBeLessThanOrEqual(3n * 10n ** 9n)
    expect(earlierHashes.length).toBeLessThan(3)
    expect([sent.txHash, ...earlierHashes]).toContain(sent.txHash)
    await mineAgain()
    await watchUntilPaid(ctx, order)
  })

  test('is not replaced once it is mined', async () => {
    const { ctx, order, sent } = await createStuckCollection()
    const patientCtx = { ...ctx, config: { ...ctx.config, payment: { ...ctx.config.payment, confirmations: 3 } } }
    await runWatcherRound(ctx)
    await mineAgain()
    clock.advance(2 * MINUTE_MS)
    await runWatcherRound(patientCtx)
    expect(await readCollection()).toEqual(sent)
    await chain.mine(2)
    await watchUntilPaid(patientCtx, order)
    await assertLedger()
  })
})

test('collect: cancels an expired collection, so that the next one follows, on a chain where transfers need more than 21,000 gas', async () => {
  const { ctx, order } = await createStuckCollection()
  const sendRawTransaction: typeof ctx.paymentChain.sendRawTransaction = (args) =>
    (parseTransaction(args.serializedTransaction).gas ?? 0n) > 21_000n
      ? ctx.paymentChain.sendRawTransaction(args)
      : Promise.reject(new Error('intrinsic gas too low'))
  const rollupCtx = { ...ctx, paymentChain: { ...ctx.paymentChain, sendRawTransaction } }
  await box.ctx.db.update(orders).set({ expiresAt: new Date(clock.now().getTime() - 1) })
  await runWatcherRound(rollupCtx)
  await mineAgain()
  const nextOrder = await makeOrder('6h', { ctx: rollupCtx, by: bert, wallet: 2 })
  await approve(nextOrder, '10', 2)
  await watchAndMine(rollupCtx, 4)
  expect(await readOrder(nextOrder.id, { ctx, by: bert })).toMatchObject({ status: 'paid' })
  expect(await readOrder(order.id, { ctx })).toMatchObject({ status: 'expired', paidWei: '0' })
  expect(await box.ctx.db.select().from(collections).orderBy(collections.nonce)).toMatchObject([
    { outcome: 'overtaken' },
    { outcome: 'collected' },
  ])
})

test('collect: keeps a direct payment as confirming while the collecting transaction is sent again', async () => {
  const { ctx, order, sent } = await createStuckCollection()
  const patientCtx = { ...ctx, config: { ...ctx.config, payment: { ...ctx.config.payment, confirmations: 3 } } }
  const hash = await sendPendingPayment(1, '10', { tip: 50_000_000_000n })
  await chain.mine()
  // The watcher has not read the block of the payment yet.
  for (let round = 0; round < 2; round++) {
    await reportHash(order.id, hash, { ctx: patientCtx })
    await collectApproved(patientCtx, Number(await chain.client.getBlockNumber()), new Set())
  }
  const directPayment = { status: 'confirming', transactionHash: hash, replacedHashes: [sent.txHash] }
  expect(await readOrder(order.id, { ctx: patientCtx })).toMatchObject(directPayment)
  await mineAgain()
})

test('collect: collects a payment when the node has no state of the block that has enough confirmations', async () => {
  await chain.mine(200)
  const { order } = await makeApprovedOrder()
  const ctx = withTerms({ orders: { treasuryKey }, payment: { confirmations: 200 } })
  const getTransactionCount: typeof ctx.paymentChain.getTransactionCount = async (args) => {
    const oldestBlock = (await chain.client.getBlockNumber()) - 127n
    if (args.blockNumber !== undefined && args.blockNumber < oldestBlock) throw new Error('missing trie node')
    return ctx.paymentChain.getTransactionCount(args)
  }
  const prunedCtx = { ...ctx, paymentChain: { ...ctx.paymentChain, getTransactionCount } }
  await watchAndMine(prunedCtx, 2)
  expect(await readOrder(order.id, { ctx: prunedCtx })).toMatchObject({ status: 'confirming' })
  await chain.mine(200)
  await watchUntilPaid(prunedCtx, order)
})

test('collect: sends the other transactions again when the fee of one cannot be raised', async () => {
  await chain.control.setBalance({ address: chain.treasury, value: parseEther('1') })
  const ctx = createCollectingCtx()
  const buyers = [
    [anna, 1],
    [bert, 2],
  ] as const
  for (const [by, wallet] of buyers) await approve(await makeOrder('6h', { ctx, by, wallet }), '10', wallet)
  await chain.control.setAutomine(false)
  await runWatcherRound(ctx)
  const [, second] = await box.ctx.db.select().from(collections).orderBy(collections.nonce)
  clock.advance(MINUTE_MS)
  const estimateFeesPerGas: typeof ctx.paymentChain.estimateFeesPerGas = () =>
    Promise.reject(new Error('The nodes disagree'))
  const resentTransactions: string[] = []
  const sendRawTransaction: typeof ctx.paymentChain.sendRawTransaction = (args) => {
    resentTransactions.push(args.serializedTransaction)
    return ctx.paymentChain.sendRawTransaction(args)
  }
  const failing = { ...ctx, paymentChain: { ...ctx.paymentChain, estimateFeesPerGas, sendRawTransaction } }
  expect((await readRefusal(runWatcherRound(failing))).code).toBe('unavailable')
  expect(resentTransactions).toEqual([second?.signed])
  await chain.mine()
  await chain.control.setAutomine(true)
  await runWatcherRound(ctx)
  expect(await box.ctx.db.select().from(collections)).toMatchObject([
    { outcome: 'collected' },
    { outcome: 'collected' },
  ])
  await assertLedger()
})

describe('collect: a mined transaction without a final receipt', () => {
  /**
   * Creates the context of a node that lags: it has no receipt of the transaction, and optionally
   * no Transfer log.
   */
  const createLaggingCtx = (ctx: ReturnType<typeof createCollectingCtx>, txHash: `0x${string}`, hidesLogs = true) => {
    const getTransactionReceipt: typeof ctx.paymentChain.getTransactionReceipt = (args) =>
      args.hash === txHash
        ? Promise.reject(new TransactionReceiptNotFoundError(args))
        : ctx.paymentChain.getTransactionReceipt(args)
    const getTransaction: typeof ctx.paymentChain.getTransaction = (args) =>
      args.hash === txHash
        ? Promise.reject(new TransactionNotFoundError({ hash: txHash }))
        : ctx.paymentChain.getTransaction(args)
    const getContractEvents = (async () => []) as unknown as typeof ctx.paymentChain.getContractEvents
    const hiddenMethods = { getTransactionReceipt, getTransaction, ...(hidesLogs ? { getContractEvents } : {}) }
    return { ...ctx, paymentChain: { ...ctx.paymentChain, ...hiddenMethods } }
  }
  const mineCollection = async () => {
    const { ctx, order } = await makeApprovedOrder('1000')
    const before = await getBalance(getPayer())
    await collectApproved(ctx, Number(await chain.client.getBlockNumber()), new Set())
    await waitUntilMined()
    const { txHash } = await readCollection()
    expect((await chain.client.getTransactionReceipt({ hash: txHash })).status).toBe('success')
    return { ctx, order, before, txHash }
  }

  test('is not collected a second time while the node lacks the receipt, and pays the order later', async () => {
    const { ctx, order, before, txHash } = await mineCollection()
    for (let round = 0; round < 6; round++) {
      await runWatcherRound(createLaggingCtx(ctx, txHash))
      await waitUntilMined()
      clock.advance(MINUTE_MS)
    }
    expect((await readCollection()).outcome).toBeNull()
    expect(await readOrder(order.id, { ctx: createLaggingCtx(ctx, txHash) })).toMatchObject({ status: 'seen' })
    await watchUntilPaid(ctx, order)
    expect(before - (await getBalance(getPayer()))).toBe(parseUnits('10', 18))
    await assertLedger()
  })

  test('counts as collected when the node has its Transfer log, but not its receipt', async () => {
    const { ctx, order, before, txHash } = await mineCollection()
    for (let read = 1; read < 10; read++) {
      await runWatcherRound(createLaggingCtx(ctx, txHash))
      expect((await readCollection()).outcome).toBeNull()
      clock.advance(MINUTE_MS)
    }
    // For the last read, the node has the logs.
    await collectApproved(createLaggingCtx(ctx, txHash, false), Number(await chain.client.getBlockNumber()), new Set())
    expect((await readCollection()).outcome).toBe('collected')
    await watchUntilPaid(ctx, order)
    expect(before - (await getBalance(getPayer()))).toBe(parseUnits('10', 18))
    await assertLedger()
  })

  const readHead = async () => Number(await chain.client.getBlockNumber())
  /** Reads ten times, a minute apart. */
  const collectTenTimes = async (ctx: ReturnType<typeof createCollectingCtx>) => {
    for (let read = 1; read <= 10; read++) {
      await collectApproved(ctx, await readHead(), new Set())
      clock.advance(MINUTE_MS)
    }
  }

  test('has no outcome when the node lacks blocks that may contain its transfer', async () => {
    await chain.mine(200)
    const { ctx, order, before, txHash } = await mineCollection()
    await chain.mine(200)
    const laggingCtx = createLaggingCtx(ctx, txHash)
    const oldestBlock = BigInt(await readHead()) - 150n
    const getBlock = (async (request: Parameters<typeof ctx.paymentChain.getBlock>[0]) => {
      const { blockNumber } = request ?? {}
      if (blockNumber !== undefined && blockNumber < oldestBlock) throw new BlockNotFoundError({ blockNumber })
      return ctx.paymentChain.getBlock(request)
    }) as typeof ctx.paymentChain.getBlock
    const prunedCtx = { ...laggingCtx, paymentChain: { ...laggingCtx.paymentChain, getBlock } }
    await expect(collectTenTimes(prunedCtx)).rejects.toThrow(/lacks blocks/)
    expect((await readCollection()).outcome).toBeNull()
    await watchUntilPaid(ctx, order)
    expect(before - (await getBalance(getPayer()))).toBe(parseUnits('10', 18))
  })

  test('has no outcome until the newest block of the first read without a receipt is confirmed', async () => {
    const { ctx, txHash } = await mineCollection()
    const patientCtx = { ...ctx, config: { ...ctx.config, payment: { ...ctx.config.payment, confirmations: 50 } } }
    await collectTenTimes(createLaggingCtx(patientCtx, txHash))
    await collectTenTimes(createLaggingCtx(patientCtx, txHash, false))
    expect((await readCollection()).outcome).toBeNull()
    await chain.mine(49)
    await collectApproved(createLaggingCtx(patientCtx, txHash, false), await readHead(), new Set())
    expect((await readCollection()).outcome).toBe('collected')
  })

  test('has no outcome while its transfer is in a block that is not confirmed', async () => {
    const { ctx } = await makeApprovedOrder('1000')
    await chain.control.setAutomine(false)
    await collectApproved(ctx, await readHead(), new Set())
    const { txHash, nonce } = await readCollection()
    const laggingCtx = createLaggingCtx(ctx, txHash, false)
    // As before a reorg, when another block contained the transaction.
    const getTransactionCount = async () => nonce + 1
    const reorgCtx = {
      ...laggingCtx,
      config: { ...ctx.config, payment: { ...ctx.config.payment, confirmations: 3 } },
      paymentChain: { ...laggingCtx.paymentChain, getTransactionCount },
    }
    await collectTenTimes(reorgCtx)
    await chain.mine(2)
    await collectApproved(reorgCtx, await readHead(), new Set())
    expect((await readCollection()).outcome).toBeNull()
    clock.advance(MINUTE_MS)
    await chain.mine(1)
    await chain.control.setAutomine(true)
    await collectApproved(reorgCtx, await readHead(), new Set())
    expect((await readCollection()).outcome).toBe('collected')
  })

  test('has no outcome when the node returns the receipt between the reads without it', async () => {
    const { ctx, txHash } = await mineCollection()
    const patientCtx = { ...ctx, config: { ...ctx.config, payment: { ...ctx.config.payment, confirmations: 3 } } }
    const laggingCtx = createLaggingCtx(patientCtx, txHash)
    for (let read = 1; read <= 12; read++) {
      // The receipt is not final at the sixth read.
      await collectApproved(read === 6 ? patientCtx : laggingCtx, await readHead(), new Set())
      if (read === 6) await chain.mine(10)
      clock.advance(MINUTE_MS)
    }
    expect((await readCollection()).outcome).toBeNull()
  })

  test('has no outcome when the receipt names a block outside the canonical chain', async () => {
    const { ctx, txHash } = await mineCollection()
    const getTransactionReceipt: typeof ctx.paymentChain.getTransactionReceipt = async (args) => ({
      ...(await ctx.paymentChain.getTransactionReceipt(args)),
      ...(args.hash === txHash ? { blockHash: `0x${'ab'.repeat(32)}` as const } : {}),
    })
    const forkCtx = { ...ctx, paymentChain: { ...ctx.paymentChain, getTransactionReceipt } }
    await collectApproved(forkCtx, Number(await chain.client.getBlockNumber()), new Set())
    expect((await readCollection()).outcome).toBeNull()
  })
})

test('collect: collects again after another transaction of the treasury has used the nonce', async () => {
  const { ctx, order } = await makeApprovedOrder('1000')
  const balanceBefore = await getBalance(getPayer())
  await chain.control.setAutomine(false)
  await runWatcherRound(ctx)
  const sent = await readCollection()
  const tip = 50_000_000_000n
  const otherTransaction = {
    type: 'eip1559' as const,
    chainId: sent.chainId,
    nonce: sent.nonce,
    to: getPayer(),
    gas: 21_000n,
  }
  const fees = { maxFeePerGas: 10n * tip, maxPriorityFeePerGas: tip }
  const serializedTransaction = await privateKeyToAccount(treasuryKey).signTransaction({ ...otherTransaction, ...fees })
  await chain.client.sendRawTransaction({ serializedTransaction })
  await chain.mine()
  await chain.control.setAutomine(true)
  for (let read = 1; read < 10; read++) {
    await runWatcherRound(ctx)
    await runWatcherRound(ctx)
    expect((await readCollection()).outcome).toBeNull()
    clock.advance(MINUTE_MS)
  }
  await runWatcherRound(ctx)
  await watchAndMine(ctx, 4)
  expect(await readOrder(order.id, { ctx })).toMatchObject({ status: 'paid' })
  const made = await box.ctx.db.select().from(collections).orderBy(collections.createdAt)
  expect(made.map(({ outcome }) => outcome)).toEqual(['overtaken', 'collected'])
  expect(balanceBefore - (await getBalance(getPayer()))).toBe(parseUnits('10', 18))
  await assertLedger()
})

describe('collect: after a change of the treasury settings, a transaction', () => {
  /** Index of a second wallet of the buyer's account. */
  const SECOND_WALLET = 3
  const newKey = `0x${'7f'.repeat(32)}` as const
  const newTreasury = addressOfKey(hexToBytes(newKey))
  const createChangedCtx = () => withTerms({ payment: { treasury: newTreasury }, orders: { treasuryKey: newKey } })
  const send = (serializedTransaction: `0x${string}`) => chain.client.sendRawTransaction({ serializedTransaction })

  /** Collects an order and removes the transaction from the node's pool. */
  async function dropCollection() {
    const { ctx, order } = await makeApprovedOrder('1000')
    const before = await getBalance(getPayer())
    await chain.control.setAutomine(false)
    await runWatcherRound(ctx)
    const sent = await readCollection()
    await chain.control.dropTransaction({ hash: sent.txHash })
    await chain.control.setAutomine(true)
    return { ctx, order, before, sent }
  }

  test('counts as collected and pays its order when it is mined after the key was removed', async () => {
    const { order, sent } = await dropCollection()
    await runWatcherRound(box.ctx)
    expect(await readCollection()).toEqual(sent)
    await send(sent.signed)
    await waitUntilMined()
    await runWatcherRound(box.ctx)
    expect(await readCollection()).toMatchObject({ outcome: 'collected' })
    expect(await readOrder(order.id)).toMatchObject({ status: 'paid' })
    await assertLedger()
  })

  test('blocks other orders only until the watch period of its order ends, and is unmatched if mined later', async () => {
    const { order, before, sent } = await dropCollection()
    await box.ctx.db
      .insert(wallets)
      .values({ address: getWallet(SECOND_WALLET), accountId: anna, linkedAt: clock.now() })
    expect((await readRefusal(makeOrder('24h', { wallet: SECOND_WALLET }))).code).toBe('payment_under_way')
    const pastTime = new Date(clock.now().getTime() - 1)
    await box.ctx.db.update(orders).set({ expiresAt: pastTime, watchedUntil: pastTime })
    await runWatcherRound(box.ctx)
    expect(await readCollection()).toEqual(sent)
    expect(await readOrder(order.id)).toMatchObject({ status: 'expired' })
    expect(await makeOrder('24h', { wallet: SECOND_WALLET })).toMatchObject({ status: 'open', path: 'transfer' })
    await send(sent.signed)
    await waitUntilMined()
    await runWatcherRound(box.ctx)
    expect(await readCollection()).toMatchObject({ outcome: 'collected' })
    expect(await box.ctx.db.select().from(unmatchedTransfers)).toMatchObject([{ reason: 'late', orderId: order.id }])
    expect(before - (await getBalance(getPayer()))).toBe(parseUnits('10', 18))
    await assertLedger()
  })

  test('of the old treasury does not block the new treasury or its nonces, and pays its order when mined', async () => {
    await chain.control.setNonce({ address: chain.treasury, nonce: 500 })
    const { order, before, sent } = await dropCollection()
    expect(sent.nonce).toBe(500)
    await chain.control.setBalance({ address: newTreasury, value: parseEther('1') })
    const ctx = createChangedCtx()
    const nextOrder = await makeOrder('6h', { ctx, by: bert, wallet: 2 })
    await approve(nextOrder, '10', 2)
    await watchAndMine(ctx, 4)
    expect(await readOrder(nextOrder.id, { ctx, by: bert })).toMatchObject({ status: 'paid' })
    clock.advance(HOUR_MS)
    await watchAndMine(ctx, 2)
    expect(await box.ctx.db.select().from(collections).orderBy(collections.nonce)).toMatchObject([
      { outcome: 'collected', nonce: 0 },
      sent,
    ])
    await send(sent.signed)
    await waitUntilMined()
    await runWatcherRound(ctx)
    expect(await readOrder(order.id, { ctx })).toMatchObject({ status: 'paid', transactionHash: sent.txHash })
    expect(await box.ctx.db.$count(collections, eq(collections.outcome, 'collected'))).toBe(2)
    expect(before - (await getBalance(getPayer()))).toBe(parseUnits('10', 18))
  })

  test('stays pending until its transfer to the former treasury is credited', async () => {
    const { order, sent } = await dropCollection()
    const ctx = createChangedCtx()
    clock.advance(HOUR_MS)
    await runWatcherRound(ctx)
    await send(sent.signed)
    await waitUntilMined()
    let readCount = 0
    // The collection reads the receipt first. The node then fails while the transfer is credited.
    const getTransactionReceipt: typeof ctx.paymentChain.getTransactionReceipt = (args) => {
      if (args.hash === sent.txHash) readCount += 1
      return readCount > 1 ? Promise.reject(new Error('The node fails')) : ctx.paymentChain.getTransactionReceipt(args)
    }
    await checkPayments({ ...ctx, paymentChain: { ...ctx.paymentChain, getTransactionReceipt } })
    expect(readCount).toBeGreaterThan(1)
    expect(await readCollection()).toEqual(sent)
    await runWatcherRound(ctx)
    expect(await readCollection()).toMatchObject({ outcome: 'collected' })
    expect(await readOrder(order.id, { ctx })).toMatchObject({ status: 'paid' })
  })

  test('counts as collected when its transfer is recorded but the node no longer has its receipt', async () => {
    const { ctx: formerCtx, order, sent } = await dropCollection()
    await send(sent.signed)
    await waitUntilMined()
    await creditTransaction(formerCtx, paymentEffects, sent.txHash)
    expect(await readOrder(order.id, { ctx: formerCtx })).toMatchObject({ status: 'paid' })
    const ctx = createChangedCtx()
    const getTransactionReceipt: typeof ctx.paymentChain.getTransactionReceipt = (args) =>
      Promise.reject(new TransactionReceiptNotFoundError(args))
    const prunedCtx = { ...ctx, paymentChain: { ...ctx.paymentChain, getTransactionReceipt } }
    await collectApproved(prunedCtx, Number(await chain.client.getBlockNumber()), new Set())
    expect(await readCollection()).toMatchObject({ outcome: 'collected' })
  })

  test('is not created for an order of the former treasury, even when the wallet approved both treasuries', async () => {
    const { order } = await makeApprovedOrder('1000')
    await approve({ ...order, spender: newTreasury }, '1000')
    await chain.control.setBalance({ address: newTreasury, value: parseEther('1') })
    await watchAndMine(createChangedCtx(), 2)
    expect(await box.ctx.db.$count(collections)).toBe(0)
  })
})

describe('one approval and several orders', () => {
  const UNLIMITED_ITO = '1000'
  /** Index of a second wallet of the buyer's account. */
  const SECOND_WALLET = 3
  const prepareCtx = async () => {
    await chain.control.setBalance({ address: chain.treasury, value: parseEther('1') })
    await box.ctx.db
      .insert(wallets)
      .values({ address: getWallet(SECOND_WALLET), accountId: anna, linkedAt: clock.now() })
      .onConflictDoNothing()
    return createCollectingCtx()
  }
  const readIto = async (wallet: number) => (await getBalance(chain.wallet(wallet).account.address)) / 10n ** 18n
  const watchRounds = (ctx: ReturnType<typeof createCollectingCtx>, count = 5) => watchAndMine(ctx, count)
  const listOutcomes = async () => (await box.ctx.db.select().from(collections)).map(({ outcome }) => outcome)

  test.each([
    ['a more expensive plan', '6h', '24h', UNLIMITED_ITO, 30n],
    ['a cheaper plan, the former price approved', '24h', '6h', '30', 10n],
    ['the same plan after another', '24h', '6h', UNLIMITED_ITO, 10n],
    ['a more expensive plan, the former price approved', '6h', '24h', '10', 0n],
  ] as const)(
    'collect: charges only for the newest order, not the former one, when the buyer picks %s',
    async (_, first, second, ito, price) => {
      const ctx = await prepareCtx()
      const abandonedOrder = await makeOrder(first, { ctx })
      await approve(abandonedOrder, ito)
      clock.advance(1_000)
      const chosenOrder = await makeOrder(second, { ctx })
      await watchRounds(ctx)
      expect(await readOrder(abandonedOrder.id, { ctx })).toMatchObject({
        status: 'cancelled',
        paidWei: '0',
        message: expect.stringMatching(/^A newer purchase has replaced it\./),
      })
      expect(await readOrder(chosenOrder.id, { ctx })).toMatchObject({ status: price > 0n ? 'paid' : 'open' })
      expect(1_000n - (await readIto(1))).toBe(price)
      clock.advance(7 * HOUR_MS)
      await watchRounds(ctx)
      expect(1_000n - (await readIto(1))).toBe(price)
      await assertLedger()
    },
  )

  test('collect: charges one plan when tabs, wallets and instances order and collect concurrently', async () => {
    const ctx = await prepareCtx()
    const orderResults = await Promise.all(
      (['6h', '24h', '3d'] as const).flatMap((plan) =>
        [1, SECOND_WALLET].map((wallet) => makeOrder(plan, { ctx, wallet }).catch(() => null)),
      ),
    )
    const openOrders = (
      await Promise.all(orderResults.flatMap((order) => order ?? []).map(({ id }) => readOrder(id, { ctx })))
    ).filter(({ status }) => status === 'open')
    expect(openOrders).toHaveLength(1)
    for (const wallet of [1, SECOND_WALLET]) await approve(openOrders[0] as Order, UNLIMITED_ITO, wallet)
    for (let round = 0; round < 3; round++)
      await Promise.allSettled([runWatcherRound(ctx), runWatcherRound(createCollectingCtx()), runWatcherRound(ctx)])
    await watchRounds(ctx)
    expect((await listOutcomes()).filter((outcome) => outcome === 'collected')).toHaveLength(1)
    const price = BigInt(openOrders[0]?.priceWei ?? 0) / 10n ** 18n
    expect(2_000n - (await readIto(1)) - (await readIto(SECOND_WALLET))).toBe(price)
    await assertLedger()
  })

  test('collect: refuses another plan and a cancellation while the payment is being collected', async () => {
    const { ctx, order } = await makeApprovedOrder(UNLIMITED_ITO)
    await chain.control.setAutomine(false)
    await runWatcherRound(ctx)
    for (const wallet of [1, SECOND_WALLET]) {
      await prepareCtx()
      const refusal = await readRefusal(makeOrder('24h', { ctx, wallet }))
      expect(refusal).toMatchObject({ code: 'payment_under_way', message: expect.stringMatching(/being collected/) })
    }
    expect((await makeOrder('6h', { ctx })).id).toBe(order.id)
    expect((await readRefusal(cancelOrder(order.id, { ctx }))).code).toBe('order_paid')
    await chain.mine()
    await chain.control.setAutomine(true)
    await watchUntilPaid(ctx, order)
    expect(await readIto(1)).toBe(990n)
  })

  test('collect: charges only the new plan when it is chosen just before the transaction is stored', async () => {
    const { ctx, order } = await makeApprovedOrder(UNLIMITED_ITO)
    let chosenOrder: Promise<Order> | null = null
    const tokenAddress = chain.token.toLowerCase()
    const estimateGas: typeof ctx.paymentChain.estimateGas = async (call) => {
      if (!chosenOrder && String(call.to).toLowerCase() === tokenAddress) {
        chosenOrder = makeOrder('24h', { ctx })
        await chosenOrder
      }
      return ctx.paymentChain.estimateGas(call)
    }
    await runWatcherRound({ ...ctx, paymentChain: { ...ctx.paymentChain, estimateGas } })
    expect(await box.ctx.db.$count(collections)).toBe(0)
    await watchRounds(ctx)
    expect(await readOrder(order.id, { ctx })).toMatchObject({ status: 'cancelled', paidWei: '0' })
    expect(await readIto(1)).toBe(970n)
  })

  test('collect: withdraws a transaction in flight when another payment pays for a plan first', async () => {
    const { ctx, order } = await createStuckCollection()
    await prepareCtx()
    await sendPendingPayment(SECOND_WALLET, '30', { tip: 50_000_000_000n })
    await chain.mine()
    await runWatcherRound(ctx)
    await runWatcherRound(ctx)
    await mineAgain()
    await watchRounds(ctx)
    expect(await listOutcomes()).toEqual(['overtaken'])
    expect([await readIto(1), await readIto(SECOND_WALLET)]).toEqual([1_000n, 970n])
    expect(await readOrder(order.id, { ctx })).toMatchObject({ paidWei: '0' })
    await assertLedger()
  })

  test('collect: withdraws a transaction in flight while a direct transfer of the price awaits confirmations', async () => {
    const { ctx, order } = await createStuckCollection()
    const patientCtx = { ...ctx, config: { ...ctx.config, payment: { ...ctx.config.payment, confirmations: 3 } } }
    await sendPendingPayment(1, '10', { tip: 50_000_000_000n })
    await chain.mine()
    await runWatcherRound(patientCtx)
    await mineAgain()
    await chain.mine(3)
    await watchRounds(patientCtx)
    expect(await listOutcomes()).toEqual(['overtaken'])
    expect(await readIto(1)).toBe(990n)
    expect(await readOrder(order.id, { ctx: patientCtx })).toMatchObject({ status: 'paid', flags: [] })
    await assertLedger()
  })

  test('collect: replaces a transaction in flight and collects only the rest when a direct transfer pays a part of the price', async () => {
    const { ctx, order } = await createStuckCollection()
    await sendPendingPayment(1, '4', { tip: 50_000_000_000n })
    await chain.mine()
    await runWatcherRound(ctx)
    await mineAgain()
    await watchRounds(ctx)
    expect((await listOutcomes()).sort()).toEqual(['collected', 'overtaken'])
    expect(await readIto(1)).toBe(990n)
    expect(await readOrder(order.id, { ctx })).toMatchObject({ status: 'paid', flags: ['multiple', 'under'] })
    await assertLedger()
  })

  test('collect: collects nothing while a payment from another wallet of the account awaits confirmations', async () => {
    const { ctx, order } = await makeApprovedOrder(UNLIMITED_ITO)
    await prepareCtx()
    const patientCtx = { ...ctx, config: { ...ctx.config, payment: { ...ctx.config.payment, confirmations: 3 } } }
    await payIto(SECOND_WALLET, '30')
    await watchRounds(patientCtx, 2)
    expect(await box.ctx.db.$count(collections)).toBe(0)
    await chain.mine(3)
    await watchRounds(patientCtx)
    expect(await readOrder(order.id, { ctx })).toMatchObject({ paidWei: '0' })
    expect([await readIto(1), await readIto(SECOND_WALLET)]).toEqual([1_000n, 970n])
  })

  test('collect: ignores an order whose wallet now belongs to another account', async () => {
    const { ctx, order } = await makeApprovedOrder(UNLIMITED_ITO)
    await box.ctx.db
      .update(wallets)
      .set({ accountId: bert })
      .where(eq(wallets.address, getWallet(1)))
    await watchRounds(ctx, 2)
    expect(await box.ctx.db.$count(collections)).toBe(0)
    const bertsOrder = await makeOrder('24h', { ctx, by: bert, wallet: 1 })
    expect(await readOrder(order.id, { ctx })).toMatchObject({ status: 'cancelled' })
    await watchRounds(ctx)
    expect(await readOrder(bertsOrder.id, { ctx, by: bert })).toMatchObject({ status: 'paid' })
    expect(await readIto(1)).toBe(970n)
  })

  test('orders: the database rejects a second open order, and the migration closes all but the newest', async () => {
    const ctx = await prepareCtx()
    const { id } = await makeOrder('6h', { ctx })
    const [row] = await box.ctx.db.select().from(orders)
    if (!row) throw new Error('No order')
    const { id: _id, ...duplicateOrder } = { ...row, createdAt: new Date(row.createdAt.getTime() + 1_000) }
    await expect(box.ctx.db.insert(orders).values(duplicateOrder)).rejects.toMatchObject({
      cause: { constraint: 'orders_approving' },
    })
    await box.ctx.db.execute('drop index orders_approving')
    const expired = { ...duplicateOrder, expiresAt: new Date(0), createdAt: new Date(row.createdAt.getTime() - 1_000) }
    const [newestOrder] = await box.ctx.db.insert(orders).values([duplicateOrder, expired]).returning()
    const folder = new URL('../drizzle/', import.meta.url)
    const fileName = (await readdir(folder)).find((file) => file.endsWith('_one_open_approval.sql')) ?? ''
    const migration = await readFile(new URL(fileName, folder), 'utf8')
    const statements = migration
      .split('--> statement-breakpoint')
      .filter((part) => !/ADD COLUMN|"orders_hints"/.test(part))
    await box.ctx.db.execute(sql`update orders set expires_at = now() + interval '1 hour' where expires_at > 'epoch'`)
    await box.ctx.db.transaction(async (tx) => {
      for (const statement of statements) await tx.execute(statement)
    })
    const rows = await box.ctx.db.select().from(orders).orderBy(orders.createdAt)
    const states = rows.map((order) => [order.id, order.closedAt !== null, order.cancelledAt !== null])
    expect(states).toEqual([
      [expect.any(String), true, false],
      [id, true, true],
      [newestOrder?.id, false, false],
    ])
  })
})
