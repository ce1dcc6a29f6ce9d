import type { Hex } from '@tocsin/proof'
import { getPlan } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { isDatabaseBusy, isDatabaseUnavailable } from '../../db/unavailable.ts'
import { mapLimit } from '../../map-limit.ts'
import { Refusal } from '../../refusal.ts'
import { lockAccount, tryLockAccounts } from '../sessions/account-store.ts'
import { type Credit, revokePayment, startPeriods } from '../subscriptions/service.ts'
import {
  addOrders,
  allocateIncomingTransfers,
  type IncomingTransfers,
  listIncoming,
  type OwnedTransfers,
  type PayerTransfers,
  removeRecorded,
} from './allocation.ts'
import type { OrderTerms } from './order.ts'
import * as orderStore from './order-store.ts'
import { isConfirmed } from './payment.ts'
import * as store from './store.ts'
import { type ChainTransaction, readTransaction, readTransactions } from './transaction.ts'

/**
 * Operations on subscriptions. They are a parameter so that tests can replace them with failing
 * ones.
 */
export interface SubscriptionOperations {
  /**
   * Starts the periods of these payments, in order. Callers must hold the locks of the accounts.
   */
  credit(ctx: Context, tx: Tx, credits: readonly Credit[]): Promise<unknown>
  /** Revokes the period that the payment started. */
  revokePayment(ctx: Context, tx: Tx, paymentId: string): Promise<void>
}

export const paymentEffects: SubscriptionOperations = { credit: startPeriods, revokePayment }

/**
 * Maximum number of concurrent transactions: half of the connection pool, so that requests still
 * get connections.
 */
const MAX_CONCURRENT_TRANSACTIONS = 8
/** Maximum number of owners per database transaction. Each statement covers all of them. */
const OWNERS_PER_TRANSACTION = 50

/**
 * Credits the treasury's incoming transfers of a confirmed transaction: to the payer's orders, to a
 * plan whose price equals the amount, or to the unmatched list. The beneficiary is the payer of the
 * Transfer log, regardless of who reported the transaction. Idempotent.
 */
export async function creditTransaction(ctx: Context, effects: SubscriptionOperations, txHash: Hex): Promise<void> {
  const transaction = await readTransaction(ctx, txHash)
  ctx.failpoint('payment: after receipt')
  await creditLoadedTransaction(ctx, transaction, effects)
}

/** Like `creditTransaction`, for a transaction that has already been read. */
export async function creditLoadedTransaction(
  ctx: Context,
  transaction: ChainTransaction,
  effects = paymentEffects,
): Promise<void> {
  const transfersByPayer = listIncoming(transaction, ctx.config.payment)
  for (const transfers of transfersByPayer) await creditPayer(ctx, effects, transfers)
}

/** A transaction that could not be credited. */
interface CreditFailure {
  txHash: Hex
  error: unknown
}

/**
 * Credits many transactions. Transfers of one owner are credited in chain order, even across
 * wallets. Different owners share database transactions. If an owner cannot be credited in a batch,
 * because the account is locked or the batch fails, that owner is credited separately at the end. A
 * transaction that cannot be credited delays only later ones of its owner. A transaction that
 * cannot be read delays no others: later ones of its owner are credited first.
 * @returns the transactions that have to be credited again
 * @throws the error of an outage of the chain or the database
 */
export async function creditTransactions(
  ctx: Context,
  effects: SubscriptionOperations,
  txHashes: readonly Hex[],
): Promise<CreditFailure[]> {
  const failures: CreditFailure[] = []
  const loadedTransactions = await readTransactions(ctx, txHashes, (txHash, error) => failures.push({ txHash, error }))
  const transactions = txHashes.flatMap((txHash) => loadedTransactions.get(txHash) ?? [])
  for (const _read of transactions) ctx.failpoint('payment: after receipt')
  let queues = await queueByOwner(
    ctx,
    transactions.flatMap((transaction) => listIncoming(transaction, ctx.config.payment)),
  )
  const separateQueues: Queue[] = []
  while (queues.length > 0) {
    const groups = Array.from({ length: Math.ceil(queues.length / OWNERS_PER_TRANSACTION) }, (_, index) =>
      queues.slice(index * OWNERS_PER_TRANSACTION, (index + 1) * OWNERS_PER_TRANSACTION),
    )
    const uncreditedQueues = new Set<Queue>()
    await mapLimit(MAX_CONCURRENT_TRANSACTIONS, groups, async (group) => {
      for (const queue of await creditFirstOfQueues(ctx, effects, group)) uncreditedQueues.add(queue)
    })
    separateQueues.push(...uncreditedQueues)
    queues = queues
      .filter((queue) => !uncreditedQueues.has(queue))
      .flatMap(([, next, ...rest]) => (next ? [[next, ...rest]] : []))
  }
  await mapLimit(MAX_CONCURRENT_TRANSACTIONS, separateQueues, async (queue) => {
    for (const transfers of queue) {
      try {
        await creditPayer(ctx, effects, transfers)
      } catch (error) {
        if (isOutage(error)) throw error
        failures.push({ txHash: transfers[0].txHash, error })
        return
      }
    }
  })
  const [failure] = failures
  if (failure) logUncredited(ctx, failure, failures.length)
  return [...failures, ...listUnconfirmed(ctx, loadedTransactions)]
}

/**
 * Returns the transactions that have a log but no confirmed receipt, because of a lagging node or a
 * reorganisation.
 */
function listUnconfirmed(ctx: Context, transactionsByHash: ReadonlyMap<Hex, ChainTransaction>): CreditFailure[] {
  return [...transactionsByHash].flatMap(([txHash, transaction]) => {
    if (isConfirmed(transaction, ctx.config.payment)) return []
    return [{ txHash, error: new Error(`The payment chain returned inconsistent logs: ${txHash} is not confirmed`) }]
  })
}

/**
 * True if crediting other transactions would fail too, because the node or the database is
 * unavailable.
 */
export function isOutage(error: unknown): boolean {
  if (error instanceof Refusal) return error.code === 'unavailable'
  return isDatabaseUnavailable(error) && !isDatabaseBusy(error)
}

export function logUncredited(ctx: Context, { txHash, error }: CreditFailure, transactions = 1): void {
  const { chainId } = ctx.config.payment
  ctx.logger.error({ err: error, hash: txHash, transactions, chainId }, 'payments could not be credited, trying again')
}

/** Transfers of one owner, across wallets, in chain order. */
type Queue = [IncomingTransfers, ...IncomingTransfers[]]

async function queueByOwner(ctx: Context, incoming: readonly IncomingTransfers[]): Promise<Queue[]> {
  const owners = await store.listWalletOwners(
    ctx.db,
    incoming.map(([{ payer }]) => payer),
    ctx.config.payment.chainId,
  )
  const queues = new Map<string, Queue>()
  for (const transfers of incoming) {
    const [{ payer }] = transfers
    const ownerKey = owners.get(payer) ?? payer
    const ownerQueue = queues.get(ownerKey)
    if (ownerQueue) ownerQueue.push(transfers)
    else queues.set(ownerKey, [transfers])
  }
  return [...queues.values()]
}

/**
 * Credits the first transfers of each queue in one transaction.
 * @returns the queues that were not credited
 */
async function creditFirstOfQueues(ctx: Context, effects: SubscriptionOperations, queues: Queue[]): Promise<Queue[]> {
  let creditedCount = 0
  try {
    const uncreditedQueues = await ctx.db.transaction(async (tx) => {
      const payers = queues.map(([[{ payer }]]) => payer)
      const owners = await store.listWalletOwners(tx, payers, ctx.config.payment.chainId)
      const lockedAccountIds = await tryLockAccounts(tx, [...new Set(owners.values())])
      const batch: OwnedTransfers[] = []
      const uncreditedInBatch: Queue[] = []
      for (const queue of queues) {
        const [transfers] = queue
        const accountId = owners.get(transfers[0].payer) ?? null
        // Credits at most one entry per account: `delete` returns true only the first time. Two of
        // the paying wallets may just have been linked to the same account.
        if (accountId === null || lockedAccountIds.delete(accountId)) batch.push({ accountId, transfers })
        else uncreditedInBatch.push(queue)
      }
      creditedCount = await creditPayment(ctx, tx, effects, batch)
      return uncreditedInBatch
    })
    ctx.failpoint('payment: after commit')
    logCredited(ctx, creditedCount)
    return uncreditedQueues
  } catch (error) {
    ctx.logger.warn({ err: error }, 'crediting payments in a batch failed, crediting them one by one')
    return queues
  }
}

async function creditPayer(ctx: Context, effects: SubscriptionOperations, transfers: IncomingTransfers): Promise<void> {
  const [{ payer }] = transfers
  const creditedCount = await ctx.db.transaction(async (tx) => {
    const ownerId = (await store.listWalletOwners(tx, [payer], ctx.config.payment.chainId)).get(payer) ?? null
    const accountId = ownerId !== null && (await lockAccount(tx, ownerId)) ? ownerId : null
    return creditPayment(ctx, tx, effects, [{ accountId, transfers }])
  })
  ctx.failpoint('payment: after commit')
  logCredited(ctx, creditedCount)
}

/**
 * Records transfers and starts the periods that they pay for. Callers must hold the locks of the
 * accounts, and the entries must have different payers.
 * @returns the number of periods started
 */
async function creditPayment(
  ctx: Context,
  tx: Tx,
  effects: SubscriptionOperations,
  incoming: readonly OwnedTransfers[],
): Promise<number> {
  const { chainId } = ctx.config.payment
  const txHashes = incoming.map(({ transfers: [{ txHash }] }) => txHash)
  // An admin may be resolving one of the transfers. Lock the rows to wait for the admin's
  // transaction, so that `listUsedTransfers` sees its result.
  await store.lockUnmatchedOf(tx, chainId, txHashes)
  const recordedKeys = new Set((await store.listUsedTransfers(tx, chainId, txHashes)).map(store.formatTransferKey))
  const unrecordedTransfers = removeRecorded(incoming, recordedKeys)
  if (unrecordedTransfers.length === 0) return 0
  const now = ctx.clock.now()
  const terms = { order: createOrderTerms(ctx), payment: ctx.config.payment }
  const results = (await lockOrders(tx, unrecordedTransfers)).map((payerTransfers) =>
    allocateIncomingTransfers(payerTransfers, now, terms),
  )

  const payments = results.flatMap((result) => result.payments)
  const ids = await store.recordPayments(tx, payments)
  const credits = payments.flatMap(({ startsPeriod, accountId, planId, orderId, transfer }) => {
    const paymentId = ids.get(store.formatTransferKey(transfer))
    if (!startsPeriod || !paymentId) return []
    const amountsWei = payments.flatMap((otherPayment) =>
      otherPayment.orderId === orderId ? otherPayment.transfer.amountWei : [],
    )
    const paidWei = orderId === null ? transfer.amountWei : amountsWei.reduce((sum, amountWei) => sum + amountWei, 0n)
    return [{ accountId, planId, transfer, paymentId, paidWei }]
  })
  if (credits.length > 0) await effects.credit(ctx, tx, credits)
  await store.saveUnmatched(
    tx,
    results.flatMap(({ unmatched }) => unmatched),
  )
  const orderUpdates = results.flatMap((result) => result.orderUpdates)
  for (const { id, ...order } of orderUpdates) await orderStore.recordOrderPayment(tx, id, order)
  await orderStore.clearUnusedHints(
    tx,
    unrecordedTransfers.flatMap(({ accountId, transfers: [{ txHash }] }) =>
      accountId === null ? [] : [{ accountId, txHash }],
    ),
    orderUpdates.map(({ id }) => id),
  )
  ctx.failpoint('payment: before commit')
  return credits.length
}

function logCredited(ctx: Context, payments: number): void {
  if (payments > 0) ctx.logger.info({ payments, chainId: ctx.config.payment.chainId }, 'payments credited')
}

export function createOrderTerms({ config }: Context): OrderTerms {
  return {
    toleranceBps: config.orders.toleranceBps,
    priceOf: (planId) => getPlan(planId).priceWei,
    maxAgeMs: config.payment.maxAgeHours * HOUR_MS,
  }
}

/**
 * Locks each payer's unpaid orders and their earlier partial payments, excluding the transfers that
 * are being credited now.
 */
async function lockOrders(tx: Tx, unrecordedTransfers: readonly OwnedTransfers[]): Promise<PayerTransfers[]> {
  const ownedTransfers = unrecordedTransfers.flatMap(({ accountId, transfers: [first] }) =>
    accountId === null ? [] : [{ accountId, first }],
  )
  const [firstOwned] = ownedTransfers
  const unpaidOrders = firstOwned
    ? await orderStore.lockUnpaid(tx, {
        accountIds: ownedTransfers.map(({ accountId }) => accountId),
        payers: ownedTransfers.map(({ first }) => first.payer),
        chainId: firstOwned.first.chainId,
        token: firstOwned.first.token,
      })
    : []
  const recordedParts = await orderStore.lockParts(
    tx,
    unpaidOrders.map(({ id }) => id),
  )
  return addOrders(unrecordedTransfers, unpaidOrders, recordedParts)
}
