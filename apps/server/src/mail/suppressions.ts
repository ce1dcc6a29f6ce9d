import { createHash } from 'node:crypto'
import { inArray } from 'drizzle-orm'
import type { Queryable } from '../db/database.ts'
import { mailSuppressions } from '../db/schema/outreach.ts'

/** Hashes an address, so that the list can outlive accounts without storing their addresses. */
const hashEmail = (email: string) => createHash('sha256').update(email).digest('hex')

/**
 * Unsubscribes an address from news.
 * @param email normalized address
 */
export async function suppressNews(tx: Queryable, email: string, at: Date): Promise<void> {
  await tx
    .insert(mailSuppressions)
    .values({ emailHash: hashEmail(email), at })
    .onConflictDoNothing()
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
