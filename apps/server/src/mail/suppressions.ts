import { createHash } from 'node:crypto'
import { inArray } from 'drizzle-orm'
import type { Queryable } from '../db/database.ts'
import { mailSuppressions } from '../db/schema/outreach.ts'

/** Addresses are hashed, so that the list outlives accounts without storing who they were. */
const hashOf = (email: string) => createHash('sha256').update(email).digest('hex')

/** @param email normalized address that gets no news any more */
export async function suppressNews(tx: Queryable, email: string, at: Date): Promise<void> {
  await tx
    .insert(mailSuppressions)
    .values({ emailHash: hashOf(email), at })
    .onConflictDoNothing()
}

/** Those of the normalized addresses that get no news. */
export async function findSuppressed(tx: Queryable, emails: readonly string[]): Promise<Set<string>> {
  if (emails.length === 0) return new Set()
  const byHash = new Map(emails.map((email) => [hashOf(email), email]))
  const rows = await tx
    .select({ emailHash: mailSuppressions.emailHash })
    .from(mailSuppressions)
    .where(inArray(mailSuppressions.emailHash, [...byHash.keys()]))
  return new Set(rows.flatMap(({ emailHash }) => byHash.get(emailHash) ?? []))
}
