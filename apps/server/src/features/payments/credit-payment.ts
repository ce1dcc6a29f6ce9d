import type { Hex } from '@tocsin/proof'
import { getPlan, type PlanId } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import type { Queryable, Tx } from '../../db/database.ts'
import { mapLimit } from '../../map-limit.ts'
import { allocateIncomingTransfers, type IncomingTransfers, type PayerTransfers } from './allocation.ts'
import type { OrderTerms } from './order.ts'
import * as orderStore from './order-store.ts'
import { isIncoming } from './payment.ts'
import * as store from './store.ts'
import { type ChainTransaction, readTransaction, readTransactions } from './transaction.ts'

export type CountedTransfer = store.NewPayment['transfer']

/** A payment that is counted now, and that a period is to hang on. */
export interface Credit {
  accountId: string
  planId: PlanId
  transfer: CountedTransfer
  paymentId: string
}

/** What payments do to subscriptions. */
export interface PaymentEffects {
  /** Before anything else of the account is locked, as everywhere. Null when there is no such account any more. */
  lockAccount(tx: Tx, accountId: string): Promise<object | null>
  /** The same of several, without waiting for anybody: those that are locked now. */
  lockFreeAccounts(tx: Tx, accountIds: readonly string[]): Promise<ReadonlySet<string>>
  /** Starts the periods that these pay for, in their order. Their accounts are locked. */
  credit(ctx: Context, tx: Tx, credits: readonly Credit[]): Promise<unknown>
  /** Takes away what the payment had given. */
  revokePayment(ctx: Context, tx: Tx, paymentId: string): Promise<void>
  /** Whether a period of the account runs: then nothing more is collected from it. */
  isSubscribed(tx: Queryable, accountId: string, now: Date): Promise<boolean>
  /** Gives it again. */
  restorePayment(ctx: Context, tx: Tx, paymentId: string): Promise<void>
}

const HOUR_MS = 3_600_000
/** Half of the database's connections: whoever uses the site meanwhile needs some too. */
const SETTLED_AT_ONCE = 8
/** Owners whose transfers share a transaction: each statement of it is one for all of them. */
const OWNERS_TOGETHER = 50

/**
 * Counts what a confirmed transaction has brought to the treasury: for orders of the wallet's owner, for a plan whose price it is exactly, or as
 * unmatched. Whoever asks, it is the log's payer who gets it. Does nothing the second time.
 */
export async function creditTransaction(ctx: Context, effects: PaymentEffects, txHash: Hex): Promise<void> {
  const transaction = await readTransaction(ctx, txHash)
  ctx.failpoint('payment: after receipt')
  await creditMined(ctx, effects, transaction)
}

/** The same of a transaction that has just been read. */
export async function creditMined(ctx: Context, effects: PaymentEffects, transaction: ChainTransaction): Promise<void> {
  for (const transfers of listArrived(ctx, transaction)) await settleAlone(ctx, effects, transfers)
}

/**
 * The same of many, in the order of the chain: what one person has paid is counted one after the other, whatever the wallet, and what several have
 * paid together. Whoever can't be counted with others, because the account is locked or because something fails, is counted alone and last.
 * @returns whether all of them were confirmed
 */
export async function creditTransactions(
  ctx: Context,
  effects: PaymentEffects,
  txHashes: readonly Hex[],
): Promise<boolean> {
  const transactions = await readTransactions(ctx, txHashes)
  for (const _read of transactions) ctx.failpoint('payment: after receipt')
  let queues = await queueByOwner(
    ctx,
    transactions.flatMap((transaction) => listArrived(ctx, transaction)),
  )
  const alone: Queue[] = []
  while (queues.length > 0) {
    const groups = Array.from({ length: Math.ceil(queues.length / OWNERS_TOGETHER) }, (_, at) =>
      queues.slice(at * OWNERS_TOGETHER, (at + 1) * OWNERS_TOGETHER),
    )
    const left = new Set<Queue>()
    await mapLimit(SETTLED_AT_ONCE, groups, async (group) => {
      for (const queue of await settleFirsts(ctx, effects, group)) left.add(queue)
    })
    alone.push(...left)
    queues = queues.filter((queue) => !left.has(queue)).flatMap(([, next, ...rest]) => (next ? [[next, ...rest]] : []))
  }
  await mapLimit(SETTLED_AT_ONCE, alone, async (queue) => {
    for (const transfers of queue) await settleAlone(ctx, effects, transfers)
  })
  return transactions.every((transaction) => isConfirmed(ctx, transaction))
}

/** What one person has paid, whatever the wallet. */
type Queue = [IncomingTransfers, ...IncomingTransfers[]]

async function queueByOwner(ctx: Context, arrived: readonly IncomingTransfers[]): Promise<Queue[]> {
  const owners = await store.listWalletOwners(
    ctx.db,
    arrived.map(([{ payer }]) => payer),
    ctx.config.payment.chainId,
  )
  const queues = new Map<string, Queue>()
  for (const transfers of arrived) {
    const [{ payer }] = transfers
    const whose = owners.get(payer) ?? payer
    const before = queues.get(whose)
    if (before) before.push(transfers)
    else queues.set(whose, [transfers])
  }
  return [...queues.values()]
}

function isConfirmed(ctx: Context, transaction: ChainTransaction) {
  return transaction.state === 'mined' && transaction.confirmations >= ctx.config.payment.confirmations
}

/** What a confirmed transaction has brought, by payer. */
function listArrived(ctx: Context, transaction: ChainTransaction): IncomingTransfers[] {
  const terms = ctx.config.payment
  if (transaction.state !== 'mined' || transaction.confirmations < terms.confirmations) return []
  const byPayer = new Map<string, IncomingTransfers>()
  for (const transfer of transaction.transfers) {
    if (!isIncoming(transfer, terms)) continue
    const before = byPayer.get(transfer.payer)
    byPayer.set(transfer.payer, before ? [...before, transfer] : [transfer])
  }
  return [...byPayer.values()]
}

/** The first of each queue, in one transaction. @returns the queues of which nothing was settled */
async function settleFirsts(ctx: Context, effects: PaymentEffects, queues: Queue[]): Promise<Queue[]> {
  let credited = 0
  try {
    const left = await ctx.db.transaction(async (tx) => {
      const payers = queues.map(([[{ payer }]]) => payer)
      const owners = await store.listWalletOwners(tx, payers, ctx.config.payment.chainId)
      const free = new Set(await effects.lockFreeAccounts(tx, [...new Set(owners.values())]))
      const taken: { accountId: string | null; transfers: IncomingTransfers }[] = []
      const others: Queue[] = []
      for (const queue of queues) {
        const [transfers] = queue
        const accountId = owners.get(transfers[0].payer) ?? null
        // Once: two wallets may have come to one owner just now.
        if (accountId === null || free.delete(accountId)) taken.push({ accountId, transfers })
        else others.push(queue)
      }
      credited = await settleArrived(ctx, tx, effects, taken)
      return others
    })
    ctx.failpoint('payment: after commit')
    logCredited(ctx, credited)
    return left
  } catch (error) {
    ctx.logger.warn({ err: error }, 'payments could not be counted together, counting one after the other')
    return queues
  }
}

async function settleAlone(ctx: Context, effects: PaymentEffects, transfers: IncomingTransfers): Promise<void> {
  const [{ payer }] = transfers
  const credited = await ctx.db.transaction(async (tx) => {
    const ownerId = (await store.listWalletOwners(tx, [payer], ctx.config.payment.chainId)).get(payer) ?? null
    const accountId = ownerId !== null && (await effects.lockAccount(tx, ownerId)) ? ownerId : null
    return settleArrived(ctx, tx, effects, [{ accountId, transfers }])
  })
  ctx.failpoint('payment: after commit')
  logCredited(ctx, credited)
}

/** With the periods that they start. Each is of another payer; the accounts are locked. */
async function settleArrived(
  ctx: Context,
  tx: Tx,
  effects: PaymentEffects,
  arrived: readonly { accountId: string | null; transfers: IncomingTransfers }[],
): Promise<number> {
  const txHashes = arrived.map(({ transfers: [{ txHash }] }) => txHash)
  const used = new Set((await store.listUsed(tx, ctx.config.payment.chainId, txHashes)).map(store.keyOf))
  const unused = arrived.flatMap(({ accountId, transfers }) => {
    const [first, ...rest] = transfers.filter((transfer) => !used.has(store.keyOf(transfer)))
    return first ? [{ accountId, transfers: [first, ...rest] satisfies IncomingTransfers }] : []
  })
  if (unused.length === 0) return 0
  const now = ctx.clock.now()
  const terms = { order: orderTerms(ctx), payment: ctx.config.payment }
  const settlements = (await lockOrders(tx, unused)).map((arrival) => allocateIncomingTransfers(arrival, now, terms))

  const counted = settlements.flatMap((settlement) => settlement.counted)
  const ids = await store.recordPayments(tx, counted)
  const credits = counted.flatMap(({ startsPeriod, accountId, planId, transfer }) => {
    const paymentId = ids.get(store.keyOf(transfer))
    return startsPeriod && paymentId ? [{ accountId, planId, transfer, paymentId }] : []
  })
  if (credits.length > 0) await effects.credit(ctx, tx, credits)
  await store.saveUnmatched(
    tx,
    settlements.flatMap(({ unmatched }) => unmatched),
  )
  const settled = settlements.flatMap((settlement) => settlement.settled)
  for (const { id, ...order } of settled) await orderStore.recordOrderPayment(tx, id, order)
  await orderStore.clearUnusedHints(
    tx,
    unused.flatMap(({ accountId, transfers: [{ txHash }] }) => (accountId === null ? [] : [{ accountId, txHash }])),
    settled.map(({ id }) => id),
  )
  ctx.failpoint('payment: before commit')
  return credits.length
}

function logCredited(ctx: Context, payments: number): void {
  if (payments > 0) ctx.logger.info({ payments, chainId: ctx.config.payment.chainId }, 'payments credited')
}

export function orderTerms({ config }: Context): OrderTerms {
  return {
    toleranceBps: config.orders.toleranceBps,
    priceOf: (planId) => getPlan(planId).priceWei,
    maxAgeMs: config.payment.maxAgeHours * HOUR_MS,
  }
}

/** Each with the payer's unpaid orders and the parts that they have, without those that are settled now. */
async function lockOrders(
  tx: Tx,
  unused: readonly { accountId: string | null; transfers: IncomingTransfers }[],
): Promise<PayerTransfers[]> {
  const owned = unused.flatMap(({ accountId, transfers: [first] }) =>
    accountId === null ? [] : [{ accountId, first }],
  )
  const [one] = owned
  const unpaid = one
    ? await orderStore.lockUnpaid(tx, {
        accountIds: owned.map(({ accountId }) => accountId),
        payers: owned.map(({ first }) => first.payer),
        chainId: one.first.chainId,
        token: one.first.token,
      })
    : []
  const settling = new Set(unused.flatMap(({ transfers }) => transfers.map(store.keyOf)))
  const counted = await orderStore.lockParts(
    tx,
    unpaid.map(({ id }) => id),
  )
  const parts = counted.filter((part) => !settling.has(store.keyOf(part)))
  return unused.map(({ accountId, transfers }) => {
    const [{ payer, recipient }] = transfers
    const orders = unpaid.filter(
      (order) => order.accountId === accountId && order.payer === payer && order.treasury === recipient,
    )
    return { accountId, transfers, orders, parts }
  })
}
