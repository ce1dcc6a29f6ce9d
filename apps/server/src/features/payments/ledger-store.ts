import type { Hex } from '@tocsin/proof'
import { and, asc, between, desc, eq, isNotNull, isNull, min, not, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Queryable } from '../../db/database.ts'
import { accounts } from '../../db/schema/accounts.ts'
import { orders, payments, unmatchedTransfers } from '../../db/schema/payments.ts'
import { wallets } from '../../db/schema/wallets.ts'
import { orderSums } from './order-store.ts'
import type { PaymentTerms } from './payment.ts'
import { isCredited, isOfPayment, selectTreasury, unmatchedColumns } from './store.ts'

export type Resolution = 'credit' | 'refund_noted' | 'ignore'
export type ListedUnmatchedTransfer = Awaited<ReturnType<typeof listUnmatchedTransfers>>[number]

const resolvers = alias(accounts, 'resolvers')
const creditedAccounts = alias(accounts, 'credited_accounts')
/**
 * Matches the payer's wallet on the transfer's chain: the contract wallet if there is one,
 * otherwise the key wallet or the wallet of unknown type.
 */
const isPayersWallet = and(
  eq(wallets.address, unmatchedTransfers.payer),
  sql`${wallets.chainId} = (select max(w.chain_id) from wallets w where w.address = ${unmatchedTransfers.payer}
    and (w.chain_id <= 0 or w.chain_id = ${unmatchedTransfers.chainId}))`,
)

/**
 * Returns unmatched transfers, newest block first, with the current owner of the payer's wallet,
 * the admin who resolved the transfer, and the credited account.
 */
export function listUnmatchedTransfers(
  tx: Queryable,
  state: 'open' | 'resolved',
  page: { afterId?: string | undefined; limit: number },
) {
  const { blockAt, id, resolvedAt } = unmatchedTransfers
  const lastRowPosition = tx
    .select({ blockAt, id })
    .from(unmatchedTransfers)
    .where(eq(id, page.afterId ?? ''))
  return tx
    .select({
      transfer: unmatchedTransfers,
      owner: { id: accounts.id, name: accounts.name, email: accounts.email },
      resolverName: resolvers.name,
      payment: payments,
      order: orders,
      creditedWei: orderSums.creditedWei,
      partialPaymentsWei: orderSums.partialPaymentsWei,
      receiver: { id: creditedAccounts.id, name: creditedAccounts.name, email: creditedAccounts.email },
    })
    .from(unmatchedTransfers)
    .leftJoin(wallets, isPayersWallet)
    .leftJoin(accounts, eq(accounts.id, wallets.accountId))
    .leftJoin(resolvers, eq(resolvers.id, unmatchedTransfers.resolvedBy))
    .leftJoin(payments, isOfPayment)
    .leftJoin(orders, eq(orders.id, payments.orderId))
    .leftJoin(creditedAccounts, eq(creditedAccounts.id, payments.accountId))
    .where(
      and(
        state === 'open' ? isOpen() : isNotNull(resolvedAt),
        page.afterId ? sql`(${blockAt}, ${id}) < ${lastRowPosition}` : undefined,
      ),
    )
    .orderBy(desc(blockAt), desc(id))
    .limit(page.limit)
}

export function countOpenTransfers(tx: Queryable): Promise<number> {
  return tx.$count(unmatchedTransfers, isOpen())
}

/** Matches transfers that are neither resolved nor reverted. */
const isOpen = () => and(isNull(unmatchedTransfers.resolvedAt), isNull(unmatchedTransfers.revertedAt))

const selectUnmatched = (tx: Queryable, id: string) =>
  tx.select(unmatchedColumns).from(unmatchedTransfers).where(eq(unmatchedTransfers.id, id))

export async function findUnmatched(tx: Queryable, id: string) {
  const [row] = await selectUnmatched(tx, id)
  return row ?? null
}

export async function lockUnmatched(tx: Queryable, id: string) {
  const [row] = await selectUnmatched(tx, id).for('update')
  return row ?? null
}

export async function saveResolution(
  tx: Queryable,
  id: string,
  change: { resolution: Resolution; resolutionReason: string; resolvedAt: Date; resolvedBy: string | null },
): Promise<void> {
  await tx.update(unmatchedTransfers).set(change).where(eq(unmatchedTransfers.id, id))
}

// ── Reconciliation with the chain ────────────────────────────────────────────────────────────────

/** A recorded transfer of one token to one treasury on one chain that has not been reverted. */
export interface LedgerEntry {
  txHash: Hex
  logIndex: number
  amountWei: bigint
}

/**
 * Matches transfers to this treasury. A transfer whose treasury was not recorded counts as a
 * transfer to any treasury.
 */
const isToTreasury = (table: typeof payments | typeof unmatchedTransfers, treasury: string) =>
  sql`lower(coalesce(${selectTreasury(table)}, ${treasury})) = ${treasury.toLowerCase()}`

/**
 * Returns the recorded transfers of these blocks, each once: an unmatched transfer that was
 * credited later is listed as its payment only.
 */
export async function listLedgerEntries(
  tx: Queryable,
  { chainId, token, treasury }: Pick<PaymentTerms, 'chainId' | 'token' | 'treasury'>,
  blocks: { from: number; to: number },
): Promise<LedgerEntry[]> {
  const entries = await Promise.all([
    tx
      .select({ txHash: payments.txHash, logIndex: payments.logIndex, amountWei: payments.amountWei })
      .from(payments)
      .where(
        and(
          eq(payments.chainId, chainId),
          eq(sql`lower(${payments.token})`, token.toLowerCase()),
          isToTreasury(payments, treasury),
          isNull(payments.revertedAt),
          between(payments.blockNumber, blocks.from, blocks.to),
        ),
      )
      .orderBy(asc(payments.blockNumber)),
    tx
      .select({
        txHash: unmatchedTransfers.txHash,
        logIndex: unmatchedTransfers.logIndex,
        amountWei: unmatchedTransfers.amountWei,
      })
      .from(unmatchedTransfers)
      .where(
        and(
          eq(unmatchedTransfers.chainId, chainId),
          eq(sql`lower(${unmatchedTransfers.token})`, token.toLowerCase()),
          isToTreasury(unmatchedTransfers, treasury),
          isNull(unmatchedTransfers.revertedAt),
          not(isCredited),
          between(unmatchedTransfers.blockNumber, blocks.from, blocks.to),
        ),
      ),
  ])
  return entries.flat()
}

/**
 * Returns the first block with a recorded transfer to the treasury, or null if there are no
 * transfers.
 */
export async function findFirstBlock(
  tx: Queryable,
  { chainId, treasury }: Pick<PaymentTerms, 'chainId' | 'treasury'>,
): Promise<number | null> {
  const firsts = await Promise.all(
    [payments, unmatchedTransfers].map((table) =>
      tx
        .select({ block: min(table.blockNumber) })
        .from(table)
        .where(and(eq(table.chainId, chainId), isToTreasury(table, treasury))),
    ),
  )
  const blocks = firsts.flat().flatMap(({ block }) => (block === null ? [] : [block]))
  return blocks.length === 0 ? null : Math.min(...blocks)
}
