import { and, eq, lt, sql } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { identities, providerTrips } from '../../db/schema/accounts.ts'

export type Identity = typeof identities.$inferSelect
export type ProviderFlow = typeof providerTrips.$inferSelect

// ── provider flows ─────────────────────────────────────────────────────────────────────────

/** Stores a flow. Also deletes flows that expired before `forgetBefore`. */
export async function insertFlow(tx: Queryable, flow: ProviderFlow, forgetBefore: Date): Promise<void> {
  await tx.delete(providerTrips).where(lt(providerTrips.expiresAt, forgetBefore))
  await tx.insert(providerTrips).values(flow)
}

/** Deletes and returns the flow of this browser. Only one of several concurrent calls gets it. */
export async function consumeFlow(
  tx: Queryable,
  key: Pick<ProviderFlow, 'stateHash' | 'browserHash'>,
): Promise<ProviderFlow | undefined> {
  const [flow] = await tx
    .delete(providerTrips)
    .where(and(eq(providerTrips.stateHash, key.stateHash), eq(providerTrips.browserHash, key.browserHash)))
    .returning()
  return flow
}

// ── identities ────────────────────────────────────────────────────────────────────────────

/**
 * Namespace of two-key advisory locks. They do not collide with the one-key locks of leader
 * election.
 */
const IDENTITY_LOCK_NAMESPACE = 1

/**
 * Serializes sign-ins with this identity until the transaction ends, so that two concurrent
 * sign-ins cannot create two accounts.
 */
export async function lockIdentity(tx: Queryable, { issuer, subject }: Pick<Identity, 'issuer' | 'subject'>) {
  await tx.execute(
    sql`select pg_advisory_xact_lock(${IDENTITY_LOCK_NAMESPACE}::int, hashtext(${`${issuer}\n${subject}`}))`,
  )
}

export async function findIdentity(
  tx: Queryable,
  { issuer, subject }: Pick<Identity, 'issuer' | 'subject'>,
): Promise<Identity | undefined> {
  const [identity] = await tx
    .select()
    .from(identities)
    .where(and(eq(identities.issuer, issuer), eq(identities.subject, subject)))
  return identity
}

/** Returns the identities of the account, oldest first. */
export async function listIdentities(tx: Queryable, accountId: string): Promise<Identity[]> {
  return tx.select().from(identities).where(eq(identities.accountId, accountId)).orderBy(identities.linkedAt)
}

export async function insertIdentity(tx: Queryable, identity: Identity): Promise<void> {
  await tx.insert(identities).values(identity)
}

export async function updateIdentityEmail(tx: Queryable, identity: Identity, email: string | null): Promise<void> {
  await tx
    .update(identities)
    .set({ email })
    .where(and(eq(identities.issuer, identity.issuer), eq(identities.subject, identity.subject)))
}

/** Returns false if the account has no identity of this provider. */
export async function deleteIdentity(
  tx: Queryable,
  accountId: string,
  provider: Identity['provider'],
): Promise<boolean> {
  const deletedRows = await tx
    .delete(identities)
    .where(and(eq(identities.accountId, accountId), eq(identities.provider, provider)))
    .returning({ subject: identities.subject })
  return deletedRows.length > 0
}
