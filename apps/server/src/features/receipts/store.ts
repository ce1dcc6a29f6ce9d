import { and, asc, eq, gt, isNotNull, isNull, lte, notExists, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Queryable } from '../../db/database.ts'
import { accounts } from '../../db/schema/accounts.ts'
import { orders, payments } from '../../db/schema/payments.ts'
import { receipts, subscriptionMails, subscriptions } from '../../db/schema/subscriptions.ts'
import type { PaidPeriod } from './receipt.ts'

export type ReceiptRow = typeof receipts.$inferSelect

export async function findPaidPeriod(tx: Queryable, subscriptionId: string): Promise<PaidPeriod | null> {
  const [row] = await tx
    .select({ subscription: subscriptions, payment: payments, orderTreasury: orders.treasury })
    .from(subscriptions)
    .innerJoin(payments, eq(payments.id, subscriptions.paymentId))
    .leftJoin(orders, eq(orders.id, payments.orderId))
    .where(eq(subscriptions.id, subscriptionId))
  if (!row) return null
  const { subscription, payment, orderTreasury } = row
  const treasury = payment.treasury ?? orderTreasury
  const { id, accountId, planId, startsAt, endsAt, revokedAt } = subscription
  const countedPayments = await tx
    .select()
    .from(payments)
    .where(
      and(
        payment.orderId === null ? eq(payments.id, payment.id) : eq(payments.orderId, payment.orderId),
        isNull(payments.revertedAt),
      ),
    )
    // The log index is relative to the transaction, so payments of a block can have the same one.
    .orderBy(asc(payments.blockNumber), asc(payments.logIndex), asc(payments.txHash))
  return { id, accountId, planId, startsAt, endsAt, revokedAt, treasury, payments: countedPayments }
}

/** Finds the receipt for the period's current times. New times lead to a new receipt. */
export async function findReceipt(tx: Queryable, period: PaidPeriod): Promise<ReceiptRow | null> {
  const rows = await tx
    .select()
    .from(receipts)
    .where(
      and(
        eq(receipts.subscriptionId, period.id),
        eq(receipts.startsAt, period.startsAt),
        eq(receipts.endsAt, period.endsAt),
      ),
    )
  return rows[0] ?? null
}

/**
 * Stores a receipt. Does nothing if another one for the same times was stored concurrently.
 * @param former bytes of the stored receipt for the same times that this one replaces
 */
export async function saveReceipt(tx: Queryable, receipt: typeof receipts.$inferInsert, former = ''): Promise<void> {
  const { bytes, signature, issuedAt } = receipt
  await tx
    .insert(receipts)
    .values(receipt)
    .onConflictDoUpdate({
      target: [receipts.subscriptionId, receipts.startsAt, receipts.endsAt],
      set: { bytes, signature, issuedAt },
      setWhere: eq(receipts.bytes, former),
    })
}

export interface DueMail {
  subscriptionId: string
  accountId: string
  email: string
  endsAt: Date
}

const dueColumns = {
  subscriptionId: subscriptions.id,
  accountId: subscriptions.accountId,
  email: sql<string>`${accounts.email}`,
  endsAt: subscriptions.endsAt,
}

/** Accounts with a verified address; only these get email. */
const hasAddress = sql`${accounts.email} is not null and ${accounts.emailVerifiedAt} is not null`

/** Returns the periods granted after `grantedAfter` whose receipt was not emailed, oldest first. */
export async function listReceiptsDue(tx: Queryable, grantedAfter: Date, limit: number): Promise<DueMail[]> {
  const receiptMails = tx
    .select({ one: sql`1` })
    .from(subscriptionMails)
    .where(
      and(
        eq(subscriptionMails.subscriptionId, subscriptions.id),
        eq(subscriptionMails.kind, 'receipt'),
        // Receipts are emailed after the grant, so emails before `grantedAfter` need not be
        // searched.
        gt(subscriptionMails.at, grantedAfter),
      ),
    )
  return tx
    .select(dueColumns)
    .from(subscriptions)
    .innerJoin(accounts, eq(accounts.id, subscriptions.accountId))
    .where(
      and(
        gt(subscriptions.createdAt, grantedAfter),
        isNotNull(subscriptions.paymentId),
        isNull(subscriptions.revokedAt),
        hasAddress,
        notExists(receiptMails),
      ),
    )
    .orderBy(asc(subscriptions.createdAt))
    .limit(limit)
}

/**
 * Returns the periods that end in (after, until], are not followed by another period, and have no
 * reminder yet.
 */
export async function listEndsDue(tx: Queryable, after: Date, until: Date, limit: number): Promise<DueMail[]> {
  const nextPeriods = alias(subscriptions, 'next')
  const followingPeriod = tx
    .select({ one: sql`1` })
    .from(nextPeriods)
    .where(
      and(
        eq(nextPeriods.accountId, subscriptions.accountId),
        lte(nextPeriods.startsAt, subscriptions.endsAt),
        gt(nextPeriods.endsAt, subscriptions.endsAt),
        isNull(nextPeriods.cancelledAt),
        isNull(nextPeriods.revokedAt),
      ),
    )
  const reminderMails = tx
    .select({ one: sql`1` })
    .from(subscriptionMails)
    .where(
      and(
        eq(subscriptionMails.subscriptionId, subscriptions.id),
        eq(subscriptionMails.kind, 'ending'),
        eq(subscriptionMails.endsAt, subscriptions.endsAt),
      ),
    )
  return tx
    .select(dueColumns)
    .from(subscriptions)
    .innerJoin(accounts, eq(accounts.id, subscriptions.accountId))
    .where(
      and(
        gt(subscriptions.endsAt, after),
        lte(subscriptions.endsAt, until),
        lte(subscriptions.startsAt, after),
        isNull(subscriptions.cancelledAt),
        isNull(subscriptions.revokedAt),
        hasAddress,
        notExists(followingPeriod),
        notExists(reminderMails),
      ),
    )
    .orderBy(asc(subscriptions.endsAt))
    .limit(limit)
}

/**
 * Records an email. Returns false if it was already recorded. Callers must send the email only if
 * this returns true, in the same transaction.
 */
export async function recordMail(
  tx: Queryable,
  mail: { subscriptionId: string; kind: 'receipt' | 'ending'; endsAt: Date; at: Date },
): Promise<boolean> {
  const rows = await tx
    .insert(subscriptionMails)
    .values(mail)
    .onConflictDoNothing()
    .returning({ id: subscriptionMails.subscriptionId })
  return rows.length > 0
}
