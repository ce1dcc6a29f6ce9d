import { once } from 'node:events'
import { createServer } from 'node:http'
import { BlockNotFoundError, RpcRequestError, TransactionReceiptNotFoundError } from 'viem'
import { describe, expect, test } from 'vitest'
import { createChainClient } from '../src/chain/chain-client.ts'
import { payments, unmatchedTransfers } from '../src/db/schema/payments.ts'
import { subscriptions } from '../src/db/schema/subscriptions.ts'
import { wallets } from '../src/db/schema/wallets.ts'
import type { Failpoint } from '../src/failpoint.ts'
import {
  creditLoadedTransaction,
  paymentEffects,
  type SubscriptionOperations,
} from '../src/features/payments/credit-payment.ts'
import { findWatcherCursor } from '../src/features/payments/store.ts'
import { checkPayments } from '../src/features/payments/watcher.ts'
import { lockAccount } from '../src/features/sessions/account-store.ts'
import { checkLedger } from './check-ledger.ts'
import { makeOrder, readOrder, sendPendingPayment, withTerms } from './order-fixture.ts'
import {
  anna,
  bert,
  box,
  chain,
  clock,
  countStoredRows,
  getWallet,
  payIto,
  readRefusal,
  setPaymentFixture,
} from './payment-fixture.ts'

/**
 * Tests that the watcher credits many payments per round: payments of different accounts in one
 * transaction, payments of one account in order.
 */

setPaymentFixture()

const runCheck = (change: Partial<SubscriptionOperations> = {}) =>
  checkPayments(box.ctx, { ...paymentEffects, ...change })
const readCursor = async () => (await findWatcherCursor(box.ctx.db, box.ctx.config.payment))?.blockNumber
const readHead = async () => Number(await chain.client.getBlockNumber())
/** Number of rows of a credited payment: one each in payments, periods and activities. */
const ROWS_PER_PAYMENT = 3

async function readPlans(accountId: string) {
  const rows = await box.ctx.db.select().from(subscriptions).orderBy(subscriptions.startsAt)
  return rows.filter((row) => row.accountId === accountId).map(({ planId }) => planId)
}

test('payment watcher: credits other accounts while one is locked, and keeps the order of payments per account', async () => {
  await box.ctx.db.insert(wallets).values({ address: getWallet(3), accountId: anna, linkedAt: clock.now() })
  for (const ito of ['75', '10', '30']) {
    await payIto(1, ito)
    await payIto(3, ito)
    await payIto(2, ito)
  }
  let tellBertIsThere = () => {}
  const bertIsThere = new Promise<void>((resolve) => {
    tellBertIsThere = resolve
  })
  // Another transaction holds the lock on Anna's account until all of Bert's payments are credited.
  const lockTransaction = box.ctx.db.transaction(async (tx) => {
    await lockAccount(tx, anna)
    await bertIsThere
  })
  let creditedCount = 0
  await runCheck({
    async credit(ctx, tx, credits) {
      await paymentEffects.credit(ctx, tx, credits)
      creditedCount += credits.filter(({ accountId }) => accountId === bert).length
      if (creditedCount === 3) tellBertIsThere()
    },
  })
  await lockTransaction
  expect(await readPlans(anna)).toEqual(['3d', '3d', '6h', '6h', '24h', '24h'])
  expect(await readPlans(bert)).toEqual(['3d', '6h', '24h'])
  await checkLedger(box.ctx)
})

test('payment watcher: credits payments of several accounts in one transaction', async () => {
  await payIto(1, '10')
  await payIto(2, '30')
  await payIto(9, '10')
  let transactions = 0
  await runCheck({
    async credit(...args) {
      transactions += 1
      expect(await countStoredRows()).toBe(0)
      return paymentEffects.credit(...args)
    },
  })
  expect([transactions, await readPlans(anna), await readPlans(bert)]).toEqual([1, ['6h'], ['24h']])
  expect(await countStoredRows()).toBe(2 * ROWS_PER_PAYMENT + 1)
  await checkLedger(box.ctx)
})

test('payment watcher: keeps its cursor after a failure, and credits the rest once in the next run', async () => {
  await runCheck()
  const cursorBefore = await readCursor()
  const failsFor = new Set<string>()
  for (const ito of ['10', '30', '75']) {
    const { transactionHash } = await payIto(1, ito)
    if (ito === '30') failsFor.add(transactionHash)
    await payIto(2, ito)
  }
  const failingCheck = runCheck({
    async credit(ctx, tx, credits) {
      if (credits.some(({ transfer }) => failsFor.has(transfer.txHash))) throw new Error('In the middle')
      return paymentEffects.credit(ctx, tx, credits)
    },
  })
  await expect(failingCheck).rejects.toThrow('In the middle')
  const stored = await countStoredRows()
  expect([stored > 0, stored < 6 * ROWS_PER_PAYMENT, await readCursor()]).toEqual([true, true, cursorBefore])
  // A failure of Anna's payment must not affect Bert's payments.
  expect([await readPlans(anna), await readPlans(bert)]).toEqual([['6h'], ['6h', '24h', '3d']])

  await runCheck()
  await runCheck()
  expect([await countStoredRows(), await readCursor()]).toEqual([6 * ROWS_PER_PAYMENT, await readHead()])
  expect([await readPlans(anna), await readPlans(bert)]).toEqual([
    ['6h', '24h', '3d'],
    ['6h', '24h', '3d'],
  ])
  await checkLedger(box.ctx)
})

test.each([
  ['payment: after receipt', 0],
  ['payment: before commit', 0],
  ['payment: after commit', 2 * ROWS_PER_PAYMENT],
] as const)(
  'payment watcher: credits all payments or none when the process ends at "%s", and each once after the next run',
  async (stopStep, expectedRows) => {
    await payIto(1, '10')
    await payIto(2, '30')
    // For the database and the chain, this error has the same effect as a crash.
    const failpoint = (passedStep: Failpoint) => {
      if (passedStep === stopStep) throw new Error('The process ends')
    }
    const endingCheck = checkPayments({ ...box.ctx, failpoint })
    await expect(endingCheck).rejects.toThrow(/The process ends|can’t be reached/)
    expect(await countStoredRows()).toBe(expectedRows)
    await runCheck()
    await runCheck()
    expect([await countStoredRows(), await readPlans(anna), await readPlans(bert)]).toEqual([
      2 * ROWS_PER_PAYMENT,
      ['6h'],
      ['24h'],
    ])
    await checkLedger(box.ctx)
  },
)

interface BatchMember {
  id: number
  result?: unknown
  error?: object
}

/**
 * Starts a proxy of the node. `change` modifies its batch responses. With 'none', it rejects
 * batches. It closes the connection of a request that contains one of the `unreadable` hashes.
 */
async function startNode(
  change: ((members: BatchMember[]) => BatchMember[]) | 'none',
  unreadable: readonly string[] = [],
) {
  const batches: number[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    if (unreadable.some((hash) => body.includes(hash))) return void request.socket.destroy()
    const isBatch = body.startsWith('[')
    if (isBatch) batches.push(JSON.parse(body).length)
    if (isBatch && change === 'none') return response.writeHead(400).end('batches are not supported')
    const headers = { 'content-type': 'application/json' }
    const answer = await (await fetch(chain.url, { method: 'POST', headers, body })).text()
    response.writeHead(200, headers)
    response.end(isBatch && change !== 'none' ? JSON.stringify(change(JSON.parse(answer))) : answer)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The node has no port')
  const paymentChain = createChainClient([`http://127.0.0.1:${address.port}`])
  return { ctx: { ...box.ctx, paymentChain }, batches, stop: () => server.closeAllConnections() }
}

const failedResult = { code: -32005, message: 'too many at once' }

describe('payments are credited exactly once with a node', () => {
  test.each([
    ['that rejects batches', 'none'],
    ['that responds in a different order', (members: BatchMember[]) => [...members].reverse()],
    ['that returns only a part', (members: BatchMember[]) => members.slice(2)],
    [
      'that fails for a part',
      (members: BatchMember[]) =>
        members.map(({ id }, index) => (index % 2 ? { id, error: failedResult } : (members[index] ?? { id }))),
    ],
  ] as const)('%s', async (_, change) => {
    for (const ito of ['10', '30', '75']) {
      await payIto(1, ito)
      await payIto(2, ito)
    }
    const { ctx, batches, stop } = await startNode(change)
    await checkPayments(ctx)
    stop()
    expect(batches[0]).toBe(6)
    expect([await readPlans(anna), await readPlans(bert), await readCursor()]).toEqual([
      ['6h', '24h', '3d'],
      ['6h', '24h', '3d'],
      await readHead(),
    ])
    expect(await countStoredRows()).toBe(6 * ROWS_PER_PAYMENT)
    await checkLedger(box.ctx)
  })

  test('that returns receipts of other transactions, but only when a later run reads from a correct node', async () => {
    await payIto(1, '10')
    await payIto(2, '75')
    const { ctx, stop } = await startNode((members) =>
      members.map(({ id }, index) => ({ id, result: members[(index + 1) % members.length]?.result })),
    )
    expect((await readRefusal(checkPayments(ctx))).code).toBe('unavailable')
    stop()
    expect([await countStoredRows(), await readCursor()]).toEqual([0, undefined])
    await runCheck()
    expect([await readPlans(anna), await readPlans(bert)]).toEqual([['6h'], ['3d']])
  })
})

test('payment watcher: credits the payments of a block when a node refuses its logs because there are too many', async () => {
  await payIto(1, '10')
  await payIto(2, '10')
  const blockNumber = await chain.client.getBlockNumber()
  const { paymentChain } = box.ctx
  const errorOptions = { body: {}, url: 'http://node', error: { code: -32005, message: 'more than 10000 results' } }
  const getContractEvents = (async (request: unknown) => {
    const { fromBlock, toBlock, args } = request as { fromBlock: bigint; toBlock: bigint; args: object }
    const isRefused = fromBlock <= blockNumber && blockNumber <= toBlock && !('from' in args)
    if (isRefused) throw new RpcRequestError(errorOptions)
    return paymentChain.getContractEvents(request as never)
  }) as unknown as typeof paymentChain.getContractEvents
  await checkPayments({ ...box.ctx, paymentChain: { ...paymentChain, getContractEvents } })
  expect([await readPlans(anna), await readPlans(bert), await readCursor()]).toEqual([['6h'], ['6h'], await readHead()])
})

test('payment watcher: credits payments when a node has only the newest 1,000 blocks', async () => {
  await chain.mine(1_100)
  await payIto(1, '10')
  const { paymentChain } = box.ctx
  const oldestBlock = (await chain.client.getBlockNumber()) - 1_000n
  const getBlock = (async (request: Parameters<typeof paymentChain.getBlock>[0]) => {
    const { blockNumber } = request ?? {}
    if (blockNumber !== undefined && blockNumber < oldestBlock) throw new BlockNotFoundError({ blockNumber })
    return paymentChain.getBlock(request)
  }) as typeof paymentChain.getBlock
  const getContractEvents = (async (request: Parameters<typeof paymentChain.getContractEvents>[0]) => {
    if (Number(request.fromBlock) < oldestBlock) throw new Error('The history is not available')
    return paymentChain.getContractEvents(request)
  }) as typeof paymentChain.getContractEvents
  await checkPayments({ ...box.ctx, paymentChain: { ...paymentChain, getBlock, getContractEvents } })
  expect([await readPlans(anna), await readCursor()]).toEqual([['6h'], await readHead()])
})

test('payment watcher: keeps its cursor while a node lacks the receipt of a log, and credits that payment in the next run', async () => {
  await runCheck()
  const cursorBefore = await readCursor()
  const { transactionHash: missingHash } = await payIto(1, '10')
  await payIto(2, '10')
  await chain.mine(100)
  const { paymentChain } = box.ctx
  const laggingCtx = {
    ...paymentChain,
    getTransactionReceipt: async (args: { hash: `0x${string}` }) => {
      if (args.hash === missingHash) throw new TransactionReceiptNotFoundError(args)
      return paymentChain.getTransactionReceipt(args)
    },
  }
  await expect(checkPayments({ ...box.ctx, paymentChain: laggingCtx })).rejects.toThrow(/inconsistent logs/)
  expect([await readPlans(anna), await readPlans(bert), await readCursor()]).toEqual([[], ['6h'], cursorBefore])
  await runCheck()
  expect([await readPlans(anna), await readPlans(bert), await readCursor()]).toEqual([['6h'], ['6h'], await readHead()])
  await checkLedger(box.ctx)
})

test('payment watcher: credits all payments of a block in the same run when the first read of the block fails', async () => {
  await chain.control.setAutomine(false)
  await sendPendingPayment(1, '10')
  await sendPendingPayment(2, '10')
  await chain.mine()
  await chain.control.setAutomine(true)
  const { paymentChain } = box.ctx
  let hasFailed = false
  const getBlock = (async (request: Parameters<typeof paymentChain.getBlock>[0]) => {
    const isFirstRead = !hasFailed && request?.blockHash !== undefined
    if (isFirstRead) hasFailed = true
    return isFirstRead ? Promise.reject(new Error('The node timed out')) : paymentChain.getBlock(request)
  }) as typeof paymentChain.getBlock
  await checkPayments({ ...box.ctx, paymentChain: { ...paymentChain, getBlock } })
  expect([hasFailed, await readPlans(anna), await readPlans(bert)]).toEqual([true, ['6h'], ['6h']])
  await checkLedger(box.ctx)
})

test('payment watcher: records and credits a transaction with more transfers than one statement can contain', async () => {
  const order = await makeOrder('6h')
  const createCredit = (hash: string, amounts: readonly bigint[]) => {
    const txHash = `0x${hash.repeat(32)}` as const
    const { chainId } = box.ctx.config.payment
    const block = { chainId, txHash, blockNumber: 1, blockHash: txHash, blockAt: clock.now() }
    const transferFields = { token: chain.token, payer: getWallet(1), recipient: chain.treasury }
    const transfers = amounts.map((amountWei, logIndex) => ({ ...block, ...transferFields, logIndex, amountWei }))
    return creditLoadedTransaction(box.ctx, { state: 'mined', confirmations: 1, blockAt: clock.now(), transfers })
  }
  const dustAmounts = Array.from({ length: 6_000 }, () => 1n)
  await createCredit('aa', dustAmounts)
  expect(await box.ctx.db.$count(unmatchedTransfers)).toBe(6_000)
  await createCredit('bb', [10n ** 19n - 6_000n])
  expect(await box.ctx.db.$count(payments)).toBe(6_001)
  expect(await readOrder(order.id)).toMatchObject({ status: 'paid', paidWei: (10n ** 19n).toString() })
})

describe('payment watcher: while one transaction keeps failing,', () => {
  /** Returns a `credit` function that fails for the transaction with this hash. */
  const createFailingCredit = (hash: string): SubscriptionOperations['credit'] => {
    return async (ctx, tx, credits) => {
      if (credits.some(({ transfer }) => transfer.txHash === hash)) throw new Error('In the middle')
      return paymentEffects.credit(ctx, tx, credits)
    }
  }

  test('keeps its cursor and credits payments of later blocks', async () => {
    await runCheck()
    const cursorBefore = await readCursor()
    const { transactionHash } = await payIto(1, '10')
    await chain.mine(1_000)
    await payIto(2, '10')
    for (let round = 0; round < 2; round++) {
      await expect(runCheck({ credit: createFailingCredit(transactionHash) })).rejects.toThrow('In the middle')
      expect([await readPlans(anna), await readPlans(bert), await readCursor()]).toEqual([[], ['6h'], cursorBefore])
    }
    await runCheck()
    expect([await readPlans(anna), await readPlans(bert), await readCursor()]).toEqual([
      ['6h'],
      ['6h'],
      await readHead(),
    ])
    await checkLedger(box.ctx)
  })

  test('shows the order of a payment with too few confirmations as confirming', async () => {
    const ctx = withTerms({ payment: { confirmations: 2 } })
    const order = await makeOrder('6h', { ctx, by: bert, wallet: 2 })
    const { transactionHash } = await payIto(1, '10')
    await payIto(2, '10')
    const failing = checkPayments(ctx, { ...paymentEffects, credit: createFailingCredit(transactionHash) })
    await expect(failing).rejects.toThrow('In the middle')
    expect(await readOrder(order.id, { ctx, by: bert })).toMatchObject({ status: 'confirming' })
  })

  test('credits payments of wallets that were proved later', async () => {
    for (const wallet of [8, 9]) await payIto(wallet, '10')
    await runCheck()
    await box.ctx.db.insert(wallets).values([
      { address: getWallet(8), accountId: anna, linkedAt: clock.now() },
      { address: getWallet(9), accountId: bert, linkedAt: clock.now() },
    ])
    let first: SubscriptionOperations['credit'] | undefined
    const failFirst: SubscriptionOperations['credit'] = (ctx, tx, credits) => {
      first ??= createFailingCredit(credits[0]?.transfer.txHash ?? '')
      return first(ctx, tx, credits)
    }
    await expect(runCheck({ credit: failFirst })).rejects.toThrow('In the middle')
    expect([...(await readPlans(anna)), ...(await readPlans(bert))]).toEqual(['6h'])
  })

  test('keeps its cursor and credits other payments when the receipt of the transaction cannot be read', async () => {
    await runCheck()
    const cursorBefore = await readCursor()
    const { transactionHash } = await payIto(1, '10')
    await payIto(2, '10')
    const { ctx, stop } = await startNode((members) => members, [transactionHash])
    expect((await readRefusal(checkPayments(ctx))).code).toBe('unavailable')
    stop()
    expect([await readPlans(anna), await readPlans(bert), await readCursor()]).toEqual([[], ['6h'], cursorBefore])
  })
})

test('payment watcher: finds payments to a new treasury in blocks that it has read for the former one', async () => {
  const changedCtx = withTerms({ payment: { treasury: getWallet(8) } })
  await runCheck()
  await payIto(1, '10', { to: getWallet(8) })
  await chain.mine(100)
  await runCheck()
  expect(await readPlans(anna)).toEqual([])
  await checkPayments(changedCtx)
  expect(await readPlans(anna)).toEqual(['6h'])
  expect(await readCursor()).toBe(await readHead())
  await checkLedger(changedCtx)
})

test('payment watcher: stores the time of its last read every ten seconds while the chain has no new block', async () => {
  const findReadAt = async () => (await findWatcherCursor(box.ctx.db, box.ctx.config.payment))?.readAt
  await runCheck()
  const firstReadAt = await findReadAt()
  clock.advance(9_000)
  await runCheck()
  expect(await findReadAt()).toEqual(firstReadAt)
  clock.advance(1_000)
  await runCheck()
  expect(await findReadAt()).toEqual(clock.now())
})
