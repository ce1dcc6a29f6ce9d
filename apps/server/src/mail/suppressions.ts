import { createHash } from 'node:crypto'
import { eq, inArray } from 'drizzle-orm'
import type { Queryable } from '../db/database.ts'
import { mailSuppressions } from '../db/schema/outreach.ts'

/** Hashes an address, so that the list can outlive accounts without storing their addresses. */
export const hashEmail = (email: string) => createHash('sha256').update(email).digest('hex')

/** A mailbox, and the account that sends codes to it, to confirm it as a destination. */
interface CodeRecipient {
  accountId: string
  /** The result of `toMailbox`. */
  mailbox: string
}

/**
 * The hashed text contains spaces, which no normalized address does, so its hash differs from every
 * hash for news.
 */
const hashCodes = ({ accountId, mailbox }: CodeRecipient) => hashEmail(`codes ${accountId} ${mailbox}`)

/**
 * Unsubscribes an address from news.
 * @param email normalized address
 */
export async function suppressNews(tx: Queryable, email: string, at: Date): Promise<void> {
  await insertSuppression(tx, hashEmail(email), at)
}

/** Unsubscribes a mailbox from the codes of one account. Other accounts can still send codes. */
export async function suppressCodes(tx: Queryable, codes: CodeRecipient, at: Date): Promise<void> {
  await insertSuppression(tx, hashCodes(codes), at)
}

export async function areCodesSuppressed(tx: Queryable, codes: CodeRecipient): Promise<boolean> {
  return (await tx.$count(mailSuppressions, eq(mailSuppressions.emailHash, hashCodes(codes)))) > 0
}

/** Like `suppressNews`, for the hash of an address. */
export async function insertSuppression(tx: Queryable, emailHash: string, at: Date): Promise<void> {
  await tx.insert(mailSuppressions).values({ emailHash, at }).onConflictDoNothing()
}

/**
 * Returns the addresses that have unsubscribed from news.
 * @param emails normalized addresses
 */
export async function findSuppressed(tx: Queryable, emails: readonly string[]): Promise<Set<string>> {
  if (emails.length === 0) return new Set()
  const byHash = new Map(emails.map((email) => [hashEmail(email), email]))
  const rows = await tx
    .select({ emailHash: mailSuppressions.emailHash })
    .from(mailSuppressions)
    .where(inArray(mailSuppressions.emailHash, [...byHash.keys()]))
  return new Set(rows.flatMap(({ emailHash }) => byHash.get(emailHash) ?? []))
}
