import type { Address, Hex } from '@tocsin/proof'
import { getPlan, type PlanId } from '@tocsin/protocol'
import {
  and,
  type Column,
  count,
  eq,
  exists,
  getTableColumns,
  gt,
  inArray,
  isNotNull,
  isNull,
  lte,
  or,
  sql,
} from 'drizzle-orm'
import { alias, union } from 'drizzle-orm/pg-core'
import { getAddress } from 'viem'
import type { Transfer } from '../../chain/transfer.ts'
import type { Queryable } from '../../db/database.ts'
import { isAnyOf } from '../../db/is-any-of.ts'
import { payments, unmatchedTransfers } from '../../db/schema/payments.ts'
import { settings } from '../../db/schema/server.ts'
import { wallets } from '../../db/schema/wallets.ts'
import { findSetting, type Setting, saveSetting } from '../../db/setting.ts'
import type { PaymentTerms, UnmatchedReason } from './payment.ts'

export type PaymentRow = typeof payments.$inferSelect
export type UnmatchedRow = typeof unmatchedTransfers.$inferSelect

export interface NewPayment {
  transfer: Omit<Transfer, 'recipient'> & ({ recipient: Address } | { treasury: Address | null })
  accountId: string
  planId: PlanId
  /** The order that the transfer pays, possibly with other payments. */
  orderId: string | null
  now: Date
}

/**
 * Number of rows per INSERT. One transaction can contain tens of thousands of transfers, but a
 * statement at most 65,535 parameters.
 */
const ROWS_PER_INSERT = 1_000

type TransferKey = Pick<Transfer, 'chainId' | 'txHash' | 'logIndex'>

/** The treasury that a recorded transfer went to, or null if that was not recorded. */
export const selectTreasury = (table: typeof payments | typeof unmatchedTransfers) =>
  sql<Address | null>`coalesce(${table.treasury}, (select o.treasury from orders o where o.id = ${table.orderId}))`

const paymentColumns = { ...getTableColumns(payments), treasury: selectTreasury(payments) }
export const unmatchedColumns = { ...getTableColumns(unmatchedTransfers), treasury: selectTreasury(unmatchedTransfers) }

/**
 * Matches the payment of an unmatched transfer. A reverted payment with another payer or amount
 * does not match, because a reorganisation has replaced it by the transfer.
 */
export const isOfPayment = and(
  eq(payments.chainId, unmatchedTransfers.chainId),
  eq(payments.txHash, unmatchedTransfers.txHash),
  eq(payments.logIndex, unmatchedTransfers.logIndex),
  or(
    isNull(payments.revertedAt),
    and(eq(payments.payer, unmatchedTransfers.payer), eq(payments.amountWei, unmatchedTransfers.amountWei)),
  ),
)

/** Matches unmatched transfers that were credited later. */
export const isCredited = sql`exists (select from ${payments} where ${isOfPayment})`

/** Returns the unique key of a transfer within one chain. */
export function formatTransferKey({ txHash, logIndex }: Pick<TransferKey, 'txHash' | 'logIndex'>): string {
  return `${txHash}:${logIndex}`
}

/**
 * Records a transfer as a payment. Returns the payment's id, or null if the transfer was already
 * recorded or refunded.
 */
export async function recordPayment(tx: Queryable, payment: NewPayment): Promise<string | null> {
  return (await recordPayments(tx, [payment])).get(formatTransferKey(payment.transfer)) ?? null
}

/**
 * Records several transfers of one chain. The transfers must be distinct.
 * @returns payment ids by transfer key, without transfers that were already recorded or refunded
 */
export async function recordPayments(tx: Queryable, newPayments: readonly NewPayment[]): Promise<Map<string, string>> {
  const [first] = newPayments
  if (!first) return new Map()
  const txHashes = [...new Set(newPayments.map(({ transfer }) => transfer.txHash))]
  const unmatchedRows = await lockUnmatchedOf(tx, first.transfer.chainId, txHashes)
  const refunded = new Set(
    unmatchedRows.filter(({ resolution }) => resolution === 'refund_noted').map(formatTransferKey),
  )
  const insertedPayments = await insertPayments(
    tx,
    newPayments.filter(({ transfer }) => !refunded.has(formatTransferKey(transfer))),
  )
  const resolvedIds = unmatchedRows.filter((row) => insertedPayments.has(formatTransferKey(row))).map(({ id }) => id)
  if (resolvedIds.length > 0) {
    // Crediting the transfer replaces a decision to ignore it. If the transfer was reverted, it is
    // back on the chain.
    const decision = { resolution: null, resolvedBy: null, resolutionReason: null }
    const change = { resolvedAt: first.now, revertedAt: null, ...decision }
    await tx.update(unmatchedTransfers).set(change).where(isAnyOf(unmatchedTransfers.id, resolvedIds))
  }
  return insertedPayments
}

/**
 * Inserts payments and skips recorded ones. Waits for a concurrent transaction that is recording
 * the same payment.
 */
async function insertPayments(tx: Queryable, newPayments: readonly NewPayment[]): Promise<Map<string, string>> {
  const insertedIds = new Map<string, string>()
  for (let start = 0; start < newPayments.length; start += ROWS_PER_INSERT) {
    const rows = await tx
      .insert(payments)
      .values(
        newPayments
          .slice(start, start + ROWS_PER_INSERT)
          .map(({ transfer, accountId, planId, orderId, now: createdAt }) => ({
            ...toColumns(transfer),
            accountId,
            planId,
            orderId,
            priceWei: orderId === null ? getPlan(planId).priceWei : null,
            createdAt,
          })),
      )
      .onConflictDoNothing()
      .returning({ id: payments.id, txHash: payments.txHash, logIndex: payments.logIndex })
    for (const row of rows) insertedIds.set(formatTransferKey(row), row.id)
  }
  return insertedIds
}

export interface NewUnmatched {
  transfer: Transfer
  reason: UnmatchedReason
  orderId: string | null
  now: Date
}

/**
 * Records transfers that were not credited. A recorded transfer that is still unresolved gets the
 * new reason, and the new values if a reorganisation has changed it. A transfer that was matched is
 * unresolved again if it has changed.
 */
export async function saveUnmatched(tx: Queryable, unmatchedTransfersToSave: readonly NewUnmatched[]): Promise<void> {
  const { payer, amountWei, resolvedAt, resolution } = unmatchedTransfers
  const isChanged = sql`(${payer} <> excluded.payer or ${amountWei} <> excluded.amount_wei)`
  for (let index = 0; index < unmatchedTransfersToSave.length; index += ROWS_PER_INSERT) {
    await tx
      .insert(unmatchedTransfers)
      .values(
        unmatchedTransfersToSave
          .slice(index, index + ROWS_PER_INSERT)
          .map(({ transfer, reason, orderId, now: seenAt }) => ({
            ...toColumns(transfer),
            reason,
            orderId,
            seenAt,
          })),
      )
      .onConflictDoUpdate({
        target: [unmatchedTransfers.chainId, unmatchedTransfers.txHash, unmatchedTransfers.logIndex],
        set: {
          blockNumber: sql`excluded.block_number`,
          blockHash: sql`excluded.block_hash`,
          blockAt: sql`excluded.block_at`,
          payer: sql`excluded.payer`,
          treasury: sql`excluded.treasury`,
          amountWei: sql`excluded.amount_wei`,
          reason: sql`excluded.reason`,
          orderId: sql`excluded.order_id`,
          revertedAt: null,
          resolvedAt: null,
        },
        setWhere: sql`${resolvedAt} is null or (${resolution} is null and ${isChanged})`,
      })
  }
}

export async function findUnmatched(tx: Queryable, transfer: NewPayment['transfer']): Promise<UnmatchedRow | null> {
  const [row] = await tx.select().from(unmatchedTransfers).where(isTransfer(transfer))
  return row ?? null
}

/** Locks the unmatched transfers of these transactions against concurrent resolution. */
export function lockUnmatchedOf(tx: Queryable, chainId: number, txHashes: readonly Hex[]) {
  const { id, txHash, logIndex, resolution } = unmatchedTransfers
  return tx
    .select({ id, txHash, logIndex, resolution })
    .from(unmatchedTransfers)
    .where(and(eq(unmatchedTransfers.chainId, chainId), isAnyOf(txHash, txHashes)))
    .orderBy(id)
    .for('update')
}

const isTransfer = ({ chainId, txHash, logIndex }: TransferKey) =>
  and(
    eq(unmatchedTransfers.chainId, chainId),
    eq(unmatchedTransfers.txHash, txHash),
    eq(unmatchedTransfers.logIndex, logIndex),
  )

/**
 * Returns transaction, wallet, token and treasury of unresolved transfers whose wallet had no owner
 * when they were recorded and has one now.
 */
export function listTransactionsWithNewOwner(tx: Queryable, chainId: number, notBefore: Date) {
  const { txHash, payer, token } = unmatchedTransfers
  return tx
    .selectDistinct({ txHash, payer, token, treasury: selectTreasury(unmatchedTransfers) })
    .from(unmatchedTransfers)
    .innerJoin(wallets, and(eq(wallets.address, unmatchedTransfers.payer), isWalletValidOn(unmatchedTransfers.chainId)))
    .where(
      and(
        eq(unmatchedTransfers.chainId, chainId),
        eq(unmatchedTransfers.reason, 'unknown_wallet'),
        isNull(unmatchedTransfers.resolvedAt),
        gt(unmatchedTransfers.blockAt, notBefore),
      ),
    )
}

const treasurySettings = alias(settings, 'treasury_settings')

/**
 * Returns the watcher's position, and whether there are rows for each of three checks: transfers in
 * blocks that a reorg can still replace, reverted transfers, and unmatched transfers whose wallet
 * has an owner now. `position` is null after a change of treasury, because earlier blocks were read
 * for the former treasury only.
 */
export async function findWatcherState(
  tx: Queryable,
  terms: PaymentTerms,
  { afterBlock, notBefore }: { afterBlock: number; notBefore: Date },
) {
  const { chainId } = terms
  const page = { afterId: FIRST_ID, limit: 1, notBefore }
  const revertedConditions = [listRevertedPayments, listRevertedUnmatched].map((list) =>
    exists(list(tx, chainId, page)),
  )
  const { ofPayments, ofUnmatched } = selectReversible(tx, chainId, afterBlock)
  const [row] = await tx
    .select({
      isReversible: sql<boolean>`${or(exists(ofPayments), exists(ofUnmatched))}`,
      hasRevertedTransfers: sql<boolean>`${or(...revertedConditions)}`,
      hasNewlyOwnedTransfers: sql<boolean>`${exists(listTransactionsWithNewOwner(tx, chainId, notBefore))}`,
      cursor: settings,
      treasury: treasurySettings.value,
    })
    .from(sql`(select) always`)
    .leftJoin(settings, eq(settings.name, formatCursorName(terms)))
    .leftJoin(treasurySettings, eq(treasurySettings.name, formatTreasuryName(terms)))
  if (!row) throw new Error('The left join returned no row')
  const { treasury } = row
  const hasTreasuryChanged = typeof treasury === 'string' && treasury !== getAddress(terms.treasury)
  return { ...row, position: hasTreasuryChanged ? null : toCursor(row.cursor) }
}

/** Returns the log indexes of a transaction's transfers that are credited or refunded. */
export async function listUsedLogIndexes(tx: Queryable, chainId: number, txHash: Hex): Promise<Set<number>> {
  return new Set((await listUsedTransfers(tx, chainId, [txHash])).map(({ logIndex }) => logIndex))
}

/**
 * Returns the keys of the credited or refunded transfers of several transactions, including credits
 * that were reverted.
 */
export function listUsedTransfers(tx: Queryable, chainId: number, txHashes: readonly Hex[]) {
  const countedPayments = tx
    .select({ txHash: payments.txHash, logIndex: payments.logIndex })
    .from(payments)
    .where(and(eq(payments.chainId, chainId), isAnyOf(payments.txHash, txHashes)))
  const { txHash, logIndex, resolution } = unmatchedTransfers
  const refunded = tx
    .select({ txHash, logIndex })
    .from(unmatchedTransfers)
    .where(
      and(
        eq(unmatchedTransfers.chainId, chainId),
        isAnyOf(unmatchedTransfers.txHash, txHashes),
        eq(resolution, 'refund_noted'),
      ),
    )
  return countedPayments.union(refunded)
}

/**
 * Counts the recorded transfers of each transaction, both payments and unmatched transfers.
 * Reverted ones do not count: a reorganisation may have changed their amount or index. A credited
 * unmatched transfer counts only by its payment, because only the payment is marked as reverted.
 */
export async function countRecordedTransfers(
  tx: Queryable,
  chainId: number,
  txHashes: readonly Hex[],
): Promise<Map<Hex, number>> {
  const isOnChain = (table: typeof payments | typeof unmatchedTransfers) =>
    and(eq(table.chainId, chainId), isAnyOf(table.txHash, txHashes), isNull(table.revertedAt))
  const { txHash, logIndex, resolvedAt, resolution } = unmatchedTransfers
  const isUncredited = or(isNull(resolvedAt), inArray(resolution, ['refund_noted', 'ignore']))
  const recordedTransfers = union(
    tx.select({ txHash: payments.txHash, logIndex: payments.logIndex }).from(payments).where(isOnChain(payments)),
    tx
      .select({ txHash, logIndex })
      .from(unmatchedTransfers)
      .where(and(isOnChain(unmatchedTransfers), isUncredited)),
  ).as('recorded')
  const rows = await tx
    .select({ txHash: recordedTransfers.txHash, transfers: count() })
    .from(recordedTransfers)
    .groupBy(recordedTransfers.txHash)
  return new Map(rows.map((row) => [row.txHash, row.transfers]))
}

/**
 * Matches wallets that are valid on the chain. Contract wallets (chain id > 0) are valid on their
 * own chain only; key wallets and wallets of unknown type are valid on every chain.
 */
export const isWalletValidOn = (chainId: number | Column) => or(lte(wallets.chainId, 0), eq(wallets.chainId, chainId))

/** Returns account ids by wallet address, for one chain. */
export async function listWalletOwners(
  tx: Queryable,
  addresses: readonly string[],
  chainId: number,
): Promise<Map<string, string>> {
  const rows = await tx
    .select()
    .from(wallets)
    .where(and(isAnyOf(wallets.address, addresses), isWalletValidOn(chainId)))
    // A contract wallet has the highest chain id, so it comes last and replaces other wallets of
    // the same address in the map.
    .orderBy(wallets.chainId)
  return new Map(rows.map(({ address, accountId }) => [address, accountId]))
}

/**
 * Returns the blocks above a height that contain recorded transfers. A reorganisation may still
 * remove these blocks.
 */
export function listReversibleBlocks(tx: Queryable, chainId: number, afterBlock: number) {
  const { ofPayments, ofUnmatched } = selectReversible(tx, chainId, afterBlock)
  return union(ofPayments, ofUnmatched)
}

function selectReversible(tx: Queryable, chainId: number, afterBlock: number) {
  const hasReversibleBlocks = (table: typeof payments | typeof unmatchedTransfers) =>
    and(eq(table.chainId, chainId), isNull(table.revertedAt), gt(table.blockNumber, afterBlock))
  const { blockNumber, blockHash, resolvedAt } = unmatchedTransfers
  return {
    ofPayments: tx
      .select({ number: payments.blockNumber, hash: payments.blockHash })
      .from(payments)
      .where(hasReversibleBlocks(payments)),
    ofUnmatched: tx
      .select({ number: blockNumber, hash: blockHash })
      .from(unmatchedTransfers)
      .where(and(hasReversibleBlocks(unmatchedTransfers), isNull(resolvedAt))),
  }
}

/** Returns payments of these blocks, lowest block first. */
export async function listPaymentsIn(tx: Queryable, chainId: number, blockHashes: Hex[], limit: number) {
  return tx
    .select(paymentColumns)
    .from(payments)
    .where(and(eq(payments.chainId, chainId), isNull(payments.revertedAt), inArray(payments.blockHash, blockHashes)))
    .orderBy(payments.blockNumber)
    .limit(limit)
}

/** Returns unresolved unmatched transfers of these blocks, lowest block first. */
export async function listUnmatchedIn(tx: Queryable, chainId: number, blockHashes: Hex[], limit: number) {
  const { blockNumber, blockHash, resolvedAt, revertedAt } = unmatchedTransfers
  return tx
    .select(unmatchedColumns)
    .from(unmatchedTransfers)
    .where(
      and(
        eq(unmatchedTransfers.chainId, chainId),
        isNull(resolvedAt),
        isNull(revertedAt),
        inArray(blockHash, blockHashes),
      ),
    )
    .orderBy(blockNumber)
    .limit(limit)
}

/** An id that is lower than the id of every row. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** Selects a page of transfers that were reverted and may come back, in a fixed order. */
export interface RevertedPage {
  afterId: string
  limit: number
  /** Only transfers in blocks after this time are listed. */
  notBefore: Date
}

export function listRevertedPayments(tx: Queryable, chainId: number, page: RevertedPage) {
  const { id, blockAt, revertedAt } = payments
  return tx
    .select(paymentColumns)
    .from(payments)
    .where(and(eq(payments.chainId, chainId), isNotNull(revertedAt), gt(blockAt, page.notBefore), gt(id, page.afterId)))
    .orderBy(id)
    .limit(page.limit)
}

/** Returns only unresolved transfers. */
export function listRevertedUnmatched(tx: Queryable, chainId: number, page: RevertedPage) {
  const { id, blockAt, resolvedAt, revertedAt } = unmatchedTransfers
  const isComingBack = and(isNull(resolvedAt), isNotNull(revertedAt), gt(blockAt, page.notBefore))
  return tx
    .select(unmatchedColumns)
    .from(unmatchedTransfers)
    .where(and(eq(unmatchedTransfers.chainId, chainId), isComingBack, gt(id, page.afterId)))
    .orderBy(id)
    .limit(page.limit)
}

/** Records the new block of an unmatched transfer; null means that it left the chain. */
export async function moveUnmatched(tx: Queryable, id: string, newTransfer: Transfer | null, now: Date): Promise<void> {
  const change = newTransfer
    ? {
        blockNumber: newTransfer.blockNumber,
        blockHash: newTransfer.blockHash,
        blockAt: newTransfer.blockAt,
        revertedAt: null,
      }
    : { revertedAt: now }
  await tx.update(unmatchedTransfers).set(change).where(eq(unmatchedTransfers.id, id))
}

export async function markReverted(tx: Queryable, id: string, now: Date): Promise<void> {
  const isNotReverted = and(eq(payments.id, id), isNull(payments.revertedAt))
  await tx.update(payments).set({ revertedAt: now }).where(isNotReverted)
}

/** Records the block of the payment. */
export async function markMined(tx: Queryable, id: string, transfer: Transfer): Promise<void> {
  const { blockNumber, blockHash, blockAt } = transfer
  await tx.update(payments).set({ blockNumber, blockHash, blockAt, revertedAt: null }).where(eq(payments.id, id))
}

export async function listPaymentsOf(tx: Queryable, accountId: string): Promise<PaymentRow[]> {
  return tx.select().from(payments).where(eq(payments.accountId, accountId)).orderBy(payments.createdAt)
}

/**
 * Returns the name of the setting with the cursor. Uses the checksummed token address, so that
 * another spelling in the configuration does not restart the scan.
 */
const formatCursorName = ({ chainId, token }: PaymentTerms) => `payments.cursor.${chainId}.${getAddress(token)}`

/** Returns the name of the setting with the treasury that the cursor is for. */
const formatTreasuryName = (terms: PaymentTerms) => `${formatCursorName(terms)}.treasury`

/** The last block the watcher has read, and when it was saved. */
export interface Cursor {
  blockNumber: number
  readAt: Date
}

/**
 * Returns null before the first round. After a change of treasury, returns the cursor of the former
 * treasury until the watcher saves a new one.
 */
export async function findWatcherCursor(tx: Queryable, terms: PaymentTerms): Promise<Cursor | null> {
  return toCursor(await findSetting(tx, formatCursorName(terms)))
}

const toCursor = (cursorSetting: Setting | null) =>
  typeof cursorSetting?.value === 'number'
    ? { blockNumber: cursorSetting.value, readAt: cursorSetting.updatedAt }
    : null

/**
 * Returns the block that the watcher started from. Null if it started in an earlier version, which
 * did not record the block.
 */
export async function findFirstWatchedBlock(tx: Queryable, terms: PaymentTerms): Promise<number | null> {
  const fromSetting = await findSetting(tx, `${formatCursorName(terms)}.from`)
  return typeof fromSetting?.value === 'number' ? fromSetting.value : null
}

export async function saveWatchedFrom(
  tx: Queryable,
  terms: PaymentTerms,
  blockNumber: number,
  now: Date,
): Promise<void> {
  await saveSetting(tx, `${formatCursorName(terms)}.from`, blockNumber, now)
}

export async function saveCursor(tx: Queryable, terms: PaymentTerms, blockNumber: number, now: Date): Promise<void> {
  await tx
    .insert(settings)
    .values([
      { name: formatCursorName(terms), value: blockNumber, updatedAt: now },
      { name: formatTreasuryName(terms), value: getAddress(terms.treasury), updatedAt: now },
    ])
    .onConflictDoUpdate({
      target: settings.name,
      set: { value: sql`excluded.value`, updatedAt: sql`excluded.updated_at` },
    })
}

function toColumns({
  chainId,
  txHash,
  logIndex,
  blockNumber,
  blockHash,
  blockAt,
  token,
  payer,
  amountWei,
  ...received
}: NewPayment['transfer']) {
  const treasury = 'recipient' in received ? received.recipient : received.treasury
  return { chainId, txHash, logIndex, blockNumber, blockHash, blockAt, token, payer, treasury, amountWei }
}
