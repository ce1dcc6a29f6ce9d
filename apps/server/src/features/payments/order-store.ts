import type { Address, Hex } from '@tocsin/proof'
import type { OrderFlag, OrderPath, PlanId } from '@tocsin/protocol'
import {
  and,
  arrayContains,
  asc,
  type Column,
  desc,
  eq,
  getTableColumns,
  gt,
  inArray,
  isNotNull,
  isNull,
  lte,
  ne,
  notInArray,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { getAddress } from 'viem'
import type { Queryable, Tx } from '../../db/database.ts'
import { isAnyOf } from '../../db/is-any-of.ts'
import { accounts } from '../../db/schema/accounts.ts'
import { collections, orderKeys, orders, payments, unmatchedTransfers } from '../../db/schema/payments.ts'
import { wallets } from '../../db/schema/wallets.ts'
import { toTimestamp } from '../../db/to-timestamp.ts'
import { pendingStates } from './order.ts'
import type { PaymentTerms } from './payment.ts'

export type OrderColumns = typeof orders.$inferSelect
export type TxState = NonNullable<OrderColumns['txState']>

/** An order with the sums of its transfers. */
export type OrderRow = Awaited<ReturnType<typeof selectOrders>>[number]

export interface NewOrder {
  accountId: string
  planId: PlanId
  priceWei: bigint
  couponId: string | null
  listPriceWei: bigint | null
  chainId: number
  token: Address
  treasury: Address
  payer: Address
  path: OrderPath
  createdAt: Date
  expiresAt: Date
  watchedUntil: Date
}

/** Matches an unmatched transfer that was credited later. */
const selectCreditedPayment = sql`select 1 from payments p where p.chain_id = ${unmatchedTransfers.chainId}
  and p.tx_hash = ${unmatchedTransfers.txHash} and p.log_index = ${unmatchedTransfers.logIndex}`

/** Matches a partial payment that counts: not reverted, not refunded and not credited. */
const isCountedPart = and(
  eq(unmatchedTransfers.reason, 'partial'),
  isNull(unmatchedTransfers.revertedAt),
  or(isNull(unmatchedTransfers.resolvedAt), eq(unmatchedTransfers.resolution, 'ignore')),
  sql`not exists (${selectCreditedPayment})`,
)

// The query builder omits the outer table's name in subqueries, so these subqueries name the table.
const createWeiSql = (text: SQL) => sql<bigint>`${text}`.mapWith(BigInt)
export const orderSums = {
  /** Sum of the credited payments that are on the chain now. */
  creditedWei: createWeiSql(sql`(select coalesce(sum(p.amount_wei), 0) from payments p
    where p.order_id = orders.id and p.reverted_at is null)`),
  /** Sum of the credited payments, including reverted ones. */
  everCreditedWei: createWeiSql(
    sql`(select coalesce(sum(p.amount_wei), 0) from payments p where p.order_id = orders.id)`,
  ),
  partialPaymentsWei: createWeiSql(sql`(select coalesce(sum(amount_wei), 0) from unmatched_transfers
    where order_id = orders.id and ${isCountedPart})`),
  /** Sum of the unresolved transfers that arrived too late to be credited automatically. */
  lateWei: createWeiSql(sql`(select coalesce(sum(u.amount_wei), 0) from unmatched_transfers u
    where u.order_id = orders.id and u.reason = 'late' and u.reverted_at is null and u.resolved_at is null)`),
  /** True if a reorg removed an uncredited transfer, which may be mined again. */
  hasRevertedTransfer: sql<boolean>`exists (select 1 from unmatched_transfers u
    where u.order_id = orders.id and u.reverted_at is not null and u.resolved_at is null)`,
  couponCode: sql<string | null>`(select c.code from coupons c where c.id = orders.coupon_id)`,
  /** The payment that the subscription references. */
  subscriptionPaymentId: sql<
    string | null
  >`(select s.payment_id from subscriptions s join payments p on p.id = s.payment_id
    where p.order_id = orders.id order by s.created_at limit 1)`,
}

const resolvers = alias(accounts, 'resolvers')
const owner = { id: accounts.id, name: accounts.name, email: accounts.email }

function selectOrders(tx: Queryable, where: SQL | undefined, limit: number) {
  return tx
    .select({ order: orders, owner, resolverName: resolvers.name, ...orderSums })
    .from(orders)
    .leftJoin(accounts, eq(accounts.id, orders.accountId))
    .leftJoin(resolvers, eq(resolvers.id, orders.resolvedBy))
    .where(where)
    .orderBy(desc(orders.createdAt), desc(orders.id))
    .limit(limit)
}

export async function findOrder(tx: Queryable, id: string): Promise<OrderRow | null> {
  const [row] = await selectOrders(tx, eq(orders.id, id), 1)
  return row ?? null
}

export interface PageCursor {
  at: Date
  id: string
}

const isBefore = (
  cursor: PageCursor | undefined,
  { createdAt, id }: Pick<typeof orders, 'createdAt' | 'id'> | Pick<typeof payments, 'createdAt' | 'id'> = orders,
) => (cursor ? sql`(${createdAt}, ${id}) < (${toTimestamp(cursor.at)}, ${cursor.id}::uuid)` : undefined)

/** Returns a page of the account's orders, newest first, starting after the cursor `before`. */
export function listOrdersOf(tx: Queryable, accountId: string, before: PageCursor | undefined, limit: number) {
  return selectOrders(tx, and(eq(orders.accountId, accountId), isBefore(before)), limit)
}

export interface OrderSelection {
  flag: OrderFlag | undefined
  state: 'open' | 'resolved' | undefined
}

export function listAllOrders(
  tx: Queryable,
  { flag, state }: OrderSelection,
  before: PageCursor | undefined,
  limit: number,
) {
  const flagCondition = flag ? arrayContains(orders.flags, [flag]) : undefined
  return selectOrders(tx, and(flagCondition, isInState(orders.resolvedAt, state), isBefore(before)), limit)
}

function isInState(resolvedAt: Column, state: OrderSelection['state']): SQL | undefined {
  if (state === undefined) return undefined
  return state === 'open' ? isNull(resolvedAt) : isNotNull(resolvedAt)
}

export type PaymentWithoutOrderRow = Awaited<ReturnType<typeof listAllPaymentsWithoutOrder>>[number]

/**
 * Returns the payments without an order, of all accounts. The only flag that they can have is
 * `over`.
 */
export async function listAllPaymentsWithoutOrder(
  tx: Queryable,
  { flag, state }: OrderSelection,
  before: PageCursor | undefined,
  limit: number,
) {
  const isFlagged =
    flag === undefined ? undefined : flag === 'over' ? gt(payments.amountWei, payments.priceWei) : sql`false`
  return tx
    .select({ payment: payments, owner, resolverName: resolvers.name })
    .from(payments)
    .leftJoin(accounts, eq(accounts.id, payments.accountId))
    .leftJoin(resolvers, eq(resolvers.id, payments.resolvedBy))
    .where(and(isNull(payments.orderId), isFlagged, isInState(payments.resolvedAt, state), isBefore(before, payments)))
    .orderBy(desc(payments.createdAt), desc(payments.id))
    .limit(limit)
}

export type OrderTransfer = Awaited<ReturnType<typeof listTransfersOf>>[number]

/** Returns all transfers of these orders in chain order, both credited and unmatched. */
export async function listTransfersOf(tx: Queryable, orderIds: string[]) {
  if (orderIds.length === 0) return []
  const creditedPayments = await tx.select().from(payments).where(inArray(payments.orderId, orderIds))
  const uncreditedTransfers = await tx
    .select()
    .from(unmatchedTransfers)
    .where(and(inArray(unmatchedTransfers.orderId, orderIds), sql`not exists (${selectCreditedPayment})`))
  return [
    ...creditedPayments.map((row) => ({ ...row, isCounted: true })),
    ...uncreditedTransfers.map((row) => ({ ...row, isCounted: false })),
  ].sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
}

export async function lockOrder(tx: Tx, id: string): Promise<OrderColumns | null> {
  const [row] = await tx.select().from(orders).where(eq(orders.id, id)).for('no key update')
  return row ?? null
}

export type ResolutionColumns = Required<
  Pick<OrderColumns, 'resolution' | 'resolutionReason' | 'resolvedAt' | 'resolvedBy'>
>

export async function saveResolution(tx: Tx, id: string, change: ResolutionColumns): Promise<void> {
  await tx.update(orders).set(change).where(eq(orders.id, id))
}

export async function lockPaymentWithoutOrder(tx: Tx, id: string) {
  const isWithoutOrder = and(eq(payments.id, id), isNull(payments.orderId))
  const [row] = await tx.select().from(payments).where(isWithoutOrder).for('no key update')
  return row ?? null
}

export async function savePaymentResolution(tx: Tx, id: string, change: ResolutionColumns): Promise<void> {
  await tx.update(payments).set(change).where(eq(payments.id, id))
}

/** Returns the account's payments without an order, newest first. */
export function listPaymentsWithoutOrder(
  tx: Queryable,
  accountId: string,
  before: PageCursor | undefined,
  limit: number,
) {
  return tx
    .select()
    .from(payments)
    .where(and(eq(payments.accountId, accountId), isNull(payments.orderId), isBefore(before, payments)))
    .orderBy(desc(payments.createdAt), desc(payments.id))
    .limit(limit)
}

export async function findPaymentWithoutOrder(tx: Queryable, id: string) {
  const [row] = await tx
    .select()
    .from(payments)
    .where(and(eq(payments.id, id), isNull(payments.orderId)))
  return row ?? null
}

// ── Creation ─────────────────────────────────────────────────────────────────────────────────────

export async function insertOrder(tx: Tx, order: NewOrder): Promise<string> {
  const [row] = await tx.insert(orders).values(order).returning({ id: orders.id })
  if (!row) throw new Error('The order was not stored')
  return row.id
}

export async function findByKey(tx: Queryable, accountId: string, key: string): Promise<OrderColumns | null> {
  const [row] = await tx
    .select({ order: orders })
    .from(orderKeys)
    .innerJoin(orders, eq(orders.id, orderKeys.orderId))
    .where(and(eq(orderKeys.accountId, accountId), eq(orderKeys.key, key)))
  return row?.order ?? null
}

export async function saveKey(tx: Queryable, accountId: string, key: string, orderId: string): Promise<void> {
  await tx.insert(orderKeys).values({ accountId, key, orderId }).onConflictDoNothing()
}

/**
 * Returns the account's orders that can still be paid or whose payment is pending, newest first.
 */
export function listOpen(tx: Queryable, accountId: string, now: Date): Promise<OrderColumns[]> {
  return tx
    .select()
    .from(orders)
    .where(
      and(
        eq(orders.accountId, accountId),
        isNull(orders.paidAt),
        isNull(orders.cancelledAt),
        or(gt(orders.expiresAt, now), and(isPending, gt(orders.watchedUntil, now))),
      ),
    )
    .orderBy(desc(orders.createdAt), desc(orders.id))
}

/**
 * Returns true if the wallet has an order of another plan at the same price that was open after
 * `since`. The amount of a payment would not show which of the two orders it pays.
 */
export async function hasAmbiguousOrder(
  tx: Queryable,
  { accountId, payer, chainId, priceWei, planId }: NewOrder,
  since: Date,
): Promise<boolean> {
  const endedAt = sql`least(${orders.expiresAt}, coalesce(${orders.cancelledAt}, ${orders.expiresAt}))`
  const isAmbiguous = and(
    eq(orders.accountId, accountId),
    eq(orders.payer, payer),
    eq(orders.chainId, chainId),
    eq(orders.priceWei, priceWei),
    ne(orders.planId, planId),
    isNull(orders.paidAt),
    or(sql`${endedAt} > ${toTimestamp(since)}`, isPending),
  )
  return (await tx.$count(orders, isAmbiguous)) > 0
}

/** Namespaces of two-key advisory locks: orders per paying wallet, and reports per network. */
const PAYER_LOCK_NAMESPACE = 11
const NETWORK_LOCK_NAMESPACE = 12

/**
 * Serializes order creation and payment collection for a wallet on a chain. Callers must lock the
 * account first.
 */
export async function lockPayer(tx: Tx, { chainId, payer }: Pick<OrderColumns, 'chainId' | 'payer'>): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${PAYER_LOCK_NAMESPACE}::int, hashtext(${`${chainId}:${payer}`}))`)
}

/**
 * Closes the orders that wait for an approval and belong to the account, or to the wallet on this
 * chain under any account.
 */
export async function closeApprovableOrders(
  tx: Tx,
  { accountId, chainId, payer }: Pick<NewOrder, 'accountId' | 'chainId' | 'payer'>,
  now: Date,
): Promise<void> {
  const at = toTimestamp(now)
  await tx
    .update(orders)
    .set({ closedAt: now, cancelledAt: sql`case when ${orders.expiresAt} > ${at} then ${at} end` })
    .where(
      and(
        isAwaitingApproval,
        or(eq(orders.accountId, accountId), and(eq(orders.chainId, chainId), eq(orders.payer, payer))),
      ),
    )
}

/**
 * Matches orders that wait for an approval. A unique index with the same condition allows one such
 * order per wallet and chain.
 */
const isAwaitingApproval = and(
  eq(orders.path, 'approve'),
  isNull(orders.paidAt),
  isNull(orders.cancelledAt),
  isNull(orders.closedAt),
)

/** Returns false if the order is already paid or cancelled. */
export async function markCancelled(tx: Queryable, id: string, now: Date): Promise<boolean> {
  const rows = await tx
    .update(orders)
    .set({ cancelledAt: now })
    .where(and(eq(orders.id, id), isNull(orders.paidAt), isNull(orders.cancelledAt)))
    .returning({ id: orders.id })
  return rows.length > 0
}

// ── Payments ─────────────────────────────────────────────────────────────────────────────────────

/** Hashes of the transactions by which this server collects an order. */
const collectionHashes = sql<Hex[]>`array(
  select unnest(array_prepend(c.tx_hash, c.earlier_hashes)) from collections c where c.order_id = orders.id)`

export interface PayerFilter {
  accountIds: string[]
  payers: Address[]
  chainId: number
  token: Address
}

/** Locks the unpaid orders of these accounts that transfers from these wallets may pay. */
export async function lockUnpaid(tx: Tx, { accountIds, payers, chainId, token }: PayerFilter) {
  if (accountIds.length === 0) return []
  return tx
    .select({ ...getTableColumns(orders), collectionHashes })
    .from(orders)
    .where(
      and(
        inArray(orders.accountId, accountIds),
        inArray(orders.payer, payers),
        eq(orders.chainId, chainId),
        eq(orders.token, token),
        isNull(orders.paidAt),
      ),
    )
    .orderBy(asc(orders.createdAt), asc(orders.id))
    .for('update')
}

/** Locks the partial payments of these orders that count, so that none is refunded concurrently. */
export async function lockParts(tx: Tx, orderIds: string[]) {
  if (orderIds.length === 0) return []
  return tx
    .select()
    .from(unmatchedTransfers)
    .where(and(inArray(unmatchedTransfers.orderId, orderIds), isCountedPart))
    .orderBy(asc(unmatchedTransfers.blockNumber), asc(unmatchedTransfers.logIndex))
    .for('update')
}

interface OrderPayment {
  txHash: Hex
  blockNumber: number
  flags: readonly OrderFlag[]
}

/** Records a credited transfer; `paidAt` is set if it completes the order. */
export async function recordOrderPayment(
  tx: Queryable,
  id: string,
  payment: OrderPayment & { paidAt?: Date },
): Promise<void> {
  const { txHash, blockNumber, flags, paidAt } = payment
  await tx
    .update(orders)
    .set({
      ...createTxChange(txHash),
      txState: null,
      blockNumber,
      flags: withFlags(flags),
      ...(paidAt ? { paidAt } : {}),
      // A new transfer reopens an order that an admin has resolved.
      resolvedAt: null,
      resolvedBy: null,
      resolution: null,
      resolutionReason: null,
    })
    .where(eq(orders.id, id))
}

/** Adds flags to the stored ones. Flags are never removed. */
const withFlags = (flags: readonly OrderFlag[]) =>
  sql`array(select distinct f from unnest(${orders.flags} || array[${sql.join(
    flags.map((flag) => sql`${flag}`),
    sql`, `,
  )}]::text[]) f order by f)`

/**
 * Sets the hash. A different previous hash is added once to `replacedHashes` if its transaction is
 * in the state `seen`, `dropped` or `reorganised`.
 */
const createTxChange = (txHash: Hex) => ({
  txHash,
  replacedHashes: sql`case when ${orders.txHash} <> ${txHash} and ${orders.txState} in ('seen', 'dropped', 'reorganised')
      and ${orders.txHash} <> all(${orders.replacedHashes})
    then array_append(${orders.replacedHashes}, ${orders.txHash}) else ${orders.replacedHashes} end`,
  // A stored sender and nonce belong to the previous transaction, so a new hash clears them.
  txSender: sql`case when ${orders.txHash} = ${txHash} then ${orders.txSender} end`,
  txNonce: sql`case when ${orders.txHash} = ${txHash} then ${orders.txNonce} end`,
})

/**
 * Clears the reported transaction (hint) of unpaid orders if that transaction paid other orders.
 * @param paidOrderIds orders that the transactions pay, which keep their hint
 */
export async function clearUnusedHints(
  tx: Tx,
  hints: readonly { accountId: string; txHash: Hex }[],
  paidOrderIds: readonly string[],
): Promise<void> {
  if (hints.length === 0) return
  const hintConditions = hints.map((hint) => and(eq(orders.accountId, hint.accountId), eq(orders.txHash, hint.txHash)))
  await tx
    .update(orders)
    .set({ txHash: null, txState: null, blockNumber: null, confirmations: 0 })
    .where(
      and(
        or(...hintConditions),
        isNotNull(orders.txState),
        isNull(orders.paidAt),
        paidOrderIds.length > 0 ? notInArray(orders.id, [...paidOrderIds]) : undefined,
      ),
    )
}

// ── The transaction before it is credited ────────────────────────────────────────────────────────

export interface TxUpdate {
  txHash: Hex
  txState: TxState
  at: Date
  sender?: { address: Address; nonce: number } | undefined
  blockNumber?: number | null
  confirmations?: number
  /** Hash of the reporter's IP network. Set only for a transaction that is not in a block. */
  hintNetwork?: string
}

/**
 * Updates what is known about an order's transaction.
 * @param expectedHash the hash that the update is about: nothing changes if another hash has
 *   replaced it
 */
export async function recordTransaction(
  tx: Queryable,
  id: string,
  txUpdate: TxUpdate,
  expectedHash?: Hex | null,
): Promise<void> {
  const { txHash, txState, at, sender, blockNumber = null, confirmations = 0, hintNetwork } = txUpdate
  const isKnown = txState === 'seen' || txState === 'confirming'
  const isStateChange = sql`${orders.txHash} is distinct from ${txHash} or ${orders.txState} is distinct from ${txState}`
  await tx
    .update(orders)
    .set({
      ...createTxChange(txHash),
      txState,
      blockNumber,
      confirmations,
      hintReads: sql`case when ${isStateChange} then 0 else ${orders.hintReads} end`,
      hintDueAt: sql`case when ${isStateChange} then null else ${orders.hintDueAt} end`,
      ...(hintNetwork === undefined ? {} : { hintNetwork, hintCount: sql`${orders.hintCount} + 1` }),
      ...(sender ? { txSender: sender.address, txNonce: sender.nonce } : {}),
      ...(isKnown ? { txSeenAt: at } : {}),
    })
    .where(
      and(
        eq(orders.id, id),
        isNull(orders.paidAt),
        expectedHash === undefined ? undefined : sql`${orders.txHash} is not distinct from ${expectedHash}`,
      ),
    )
}

/**
 * Like `recordTransaction`, but keeps the stored state if the hash is unchanged, or if the stored
 * transaction is in a block.
 */
export async function recordTransactionUnlessKnown(tx: Queryable, id: string, txUpdate: TxUpdate): Promise<void> {
  const { txHash, txState } = orders
  const [row] = await tx.select({ txHash, txState }).from(orders).where(eq(orders.id, id))
  if (!row || row.txHash === txUpdate.txHash || row.txState === 'confirming') return
  await recordTransaction(tx, id, txUpdate, row.txHash)
}

/** Clears a transaction that turned out not to pay this order. */
export async function clearTransaction(tx: Queryable, id: string, txHash: Hex): Promise<void> {
  await tx
    .update(orders)
    .set({ txHash: null, txState: null, txSender: null, txNonce: null, blockNumber: null, confirmations: 0 })
    .where(and(eq(orders.id, id), eq(orders.txHash, txHash), isNull(orders.paidAt)))
}

const isPending = and(isNull(orders.paidAt), inArray(orders.txState, pendingStates))

/** Selects a row if an order of the chain has a transaction that is followed. */
export const selectFollowedOrder = (chainId: number) =>
  sql`select from ${orders} where ${eq(orders.chainId, chainId)} and ${isPending}`

/**
 * Claims orders of a chain whose transaction is due for a read, least-read first. Schedules their
 * next read: 2 s after the first read, then doubling up to 60 s. Mined transactions are always due,
 * because they cost their sender a real transfer.
 * @param id restricts the claim to this order
 */
export function claimReportedTransactions(
  tx: Queryable,
  chainId: number,
  now: Date,
  limit: number,
  id?: string,
): Promise<OrderColumns[]> {
  const dueOrders = tx
    .select({ id: orders.id })
    .from(orders)
    .where(
      and(
        eq(orders.chainId, chainId),
        isPending,
        or(eq(orders.txState, 'confirming'), isNull(orders.hintDueAt), lte(orders.hintDueAt, now)),
        id === undefined ? undefined : eq(orders.id, id),
      ),
    )
    .orderBy(asc(orders.hintReads), asc(orders.createdAt), asc(orders.id))
    .limit(limit)
    .for('no key update', { skipLocked: true })
  const pauseSeconds = sql`least(60, 2 * power(2, least(${orders.hintReads}, 5)))`
  return tx
    .update(orders)
    .set({
      hintReads: sql`${orders.hintReads} + 1`,
      hintDueAt: sql`${toTimestamp(now)} + make_interval(secs => ${pauseSeconds})`,
    })
    .where(inArray(orders.id, dueOrders))
    .returning()
}

/**
 * Stops following pending transactions of cancelled, closed and expired orders. While the server
 * itself collects an order's payment, its transaction is followed until the order's watch period
 * ends. If a dropped transaction is mined anyway, the payment is found by its Transfer log or when
 * the collection ends.
 */
export async function dropTransactionsOfEndedOrders(tx: Queryable, chainId: number, now: Date): Promise<void> {
  await tx
    .update(orders)
    .set({ txState: 'dropped' })
    .where(
      and(
        eq(orders.chainId, chainId),
        eq(orders.txState, 'seen'),
        isNull(orders.paidAt),
        or(isNotNull(orders.cancelledAt), isNotNull(orders.closedAt), lte(orders.expiresAt, now)),
        or(
          lte(orders.watchedUntil, now),
          sql`not exists (select 1 from ${collections} c where c.order_id = orders.id and c.ended_at is null)`,
        ),
      ),
    )
}

/**
 * Counts the pending reported transactions of an account and of a network. Also serializes the
 * reports of the network.
 */
export async function countReportedTransactions(
  tx: Tx,
  { accountId, network }: { accountId: string; network: string },
): Promise<{ ofAccount: number; ofNetwork: number }> {
  await tx.execute(sql`select pg_advisory_xact_lock(${NETWORK_LOCK_NAMESPACE}::int, hashtext(${network}))`)
  const isHint = and(eq(orders.txState, 'seen'), isNull(orders.paidAt))
  const [ofAccount, ofNetwork] = await Promise.all([
    tx.$count(orders, and(isHint, eq(orders.accountId, accountId))),
    tx.$count(orders, and(isHint, eq(orders.hintNetwork, network))),
  ])
  return { ofAccount, ofNetwork }
}

/** Returns unpaid orders of these payers that are still watched, with their partial payments. */
export async function listUnpaidWatchedOrders(tx: Queryable, chainId: number, payers: Address[], now: Date) {
  if (payers.length === 0) return []
  return tx
    .select({
      order: { ...getTableColumns(orders), collectionHashes },
      partialPaymentsWei: orderSums.partialPaymentsWei,
    })
    .from(orders)
    .where(
      and(
        eq(orders.chainId, chainId),
        isAnyOf(orders.payer, payers),
        isNull(orders.paidAt),
        isNotNull(orders.accountId),
        gt(orders.watchedUntil, now),
      ),
    )
    .orderBy(asc(orders.createdAt), asc(orders.id))
}

/**
 * Matches orders with these terms that the treasury key may collect now. The wallet must still
 * belong to the order's account. A suspended account is excluded: it could neither use what it pays
 * for nor cancel.
 */
const isCollectable = ({ chainId, token, treasury }: PaymentTerms, now: Date) =>
  and(
    isAwaitingApproval,
    sql`exists (select 1 from ${wallets} w where w.address = orders.payer and w.account_id = orders.account_id
      and (w.chain_id <= 0 or w.chain_id = orders.chain_id))`,
    sql`exists (select 1 from ${accounts} a where a.id = orders.account_id and a.suspended_at is null)`,
    eq(orders.chainId, chainId),
    eq(orders.token, getAddress(token)),
    eq(orders.treasury, getAddress(treasury)),
    gt(orders.expiresAt, now),
    lte(orders.createdAt, now),
  )

/** Returns the order with its partial payments if it can be collected now. */
export async function findCollectable(tx: Queryable, terms: PaymentTerms, now: Date, id: string) {
  const [collectable] = await tx
    .select({ order: orders, partialPaymentsWei: orderSums.partialPaymentsWei })
    .from(orders)
    .where(and(isCollectable(terms, now), eq(orders.id, id)))
  return collectable
}

/**
 * Claims orders whose approvals are to be read, least-claimed first. Orders cost nothing to open,
 * so the number that a round reads is limited.
 */
export async function claimCollectable(tx: Queryable, terms: PaymentTerms, now: Date, limit: number) {
  const leastOftenClaimed = tx
    .select({ id: orders.id })
    .from(orders)
    .where(isCollectable(terms, now))
    .orderBy(asc(orders.hintReads), asc(orders.createdAt), asc(orders.id))
    .limit(limit)
  const claimedRows = await tx
    .update(orders)
    .set({ hintReads: sql`${orders.hintReads} + 1` })
    .where(inArray(orders.id, leastOftenClaimed))
    .returning({ id: orders.id })
  if (claimedRows.length === 0) return []
  const ids = claimedRows.map(({ id }) => id)
  return tx
    .select({ order: orders, partialPaymentsWei: orderSums.partialPaymentsWei })
    .from(orders)
    .where(inArray(orders.id, ids))
    .orderBy(asc(orders.createdAt))
}

/**
 * True if a payment for one of the account's watched orders is pending or confirming. Other orders
 * are ignored, because a payment on a chain that was removed from the settings would stay pending
 * forever.
 */
export async function isPaymentUnderWay(tx: Queryable, accountId: string, now: Date): Promise<boolean> {
  const isOfAccount = and(eq(orders.accountId, accountId), gt(orders.watchedUntil, now))
  return (await tx.$count(orders, and(isOfAccount, isPending))) > 0
}

// ── Reorganisations ──────────────────────────────────────────────────────────────────────────────

/** Returns all payments of the payment's order, or only the payment if it has no order. */
export function listRelatedPayments(tx: Queryable, payment: { id: string; orderId: string | null }) {
  return tx
    .select({ amountWei: payments.amountWei, revertedAt: payments.revertedAt })
    .from(payments)
    .where(payment.orderId ? eq(payments.orderId, payment.orderId) : eq(payments.id, payment.id))
}

export async function findSubscriptionPayment(tx: Queryable, orderId: string): Promise<string | null> {
  const [row] = await tx
    .select({ subscriptionPaymentId: orderSums.subscriptionPaymentId })
    .from(orders)
    .where(eq(orders.id, orderId))
  return row?.subscriptionPaymentId ?? null
}

export async function listOrdersForExport(tx: Queryable, accountId: string): Promise<OrderColumns[]> {
  return tx.select().from(orders).where(eq(orders.accountId, accountId)).orderBy(asc(orders.createdAt))
}

/** Returns true if this transaction contains a payment of the order. */
export async function isPaidBy(tx: Queryable, orderId: string, chainId: number, txHash: Hex): Promise<boolean> {
  const isOf = and(eq(payments.orderId, orderId), eq(payments.chainId, chainId), eq(payments.txHash, txHash))
  return (await tx.$count(payments, isOf)) > 0
}

/** Returns the price that was fixed when the order was created. */
export async function findPrice(tx: Queryable, orderId: string): Promise<bigint | null> {
  const [row] = await tx.select({ priceWei: orders.priceWei }).from(orders).where(eq(orders.id, orderId))
  return row?.priceWei ?? null
}
