import { type Permission, rolesWith } from '@tocsin/protocol'
import { and, inArray, isNotNull, isNull } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { accounts } from '../../db/schema/accounts.ts'

export type Account = Pick<typeof accounts.$inferSelect, 'id' | 'name' | 'role' | 'suspendedAt'>

export async function findAccounts(tx: Queryable, ids: readonly (string | null)[]): Promise<Map<string, Account>> {
  const knownIds = ids.filter((id) => id !== null)
  if (knownIds.length === 0) return new Map()
  const { id, name, role, suspendedAt } = accounts
  const rows = await tx.select({ id, name, role, suspendedAt }).from(accounts).where(inArray(id, knownIds))
  return new Map(rows.map((row) => [row.id, row]))
}

/** True if the account still exists, is not suspended, and has a role with the permission. */
export function isStillPermitted(account: Account | undefined, permission: Permission): boolean {
  return account !== undefined && account.suspendedAt === null && rolesWith(permission).includes(account.role)
}

/** Returns the verified addresses of the owners and admins who are not suspended. */
export async function listAdminAddresses(tx: Queryable): Promise<string[]> {
  const rows = await tx
    .select({ email: accounts.email })
    .from(accounts)
    .where(
      and(
        inArray(accounts.role, [...rolesWith('settings.change')]),
        isNull(accounts.suspendedAt),
        isNotNull(accounts.emailVerifiedAt),
      ),
    )
  return rows.flatMap(({ email }) => email ?? [])
}
