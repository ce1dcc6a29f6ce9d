import type { Context } from '@tocsin/server/context.ts'
import { findFirstOwner } from '@tocsin/server/features/sessions/account-store.ts'

export interface DemoAdmin {
  email: string
  /** Null if the password was changed and is therefore unknown. */
  password: string | null
}

/**
 * Finds the admin that the first start of the demo created. ADMIN_EMAIL and ADMIN_PASSWORD of a
 * later start have no effect, so the address comes from the database.
 * @param passwords passwords, of which one may be the admin's current password
 * @returns null if there is no owner with an email address
 */
export async function findDemoAdmin(ctx: Context, passwords: Iterable<string>): Promise<DemoAdmin | null> {
  const owner = await findFirstOwner(ctx.db, ctx.config.adminFactor.exemptEmail)
  if (!owner?.email) return null
  for (const password of passwords) {
    if (await ctx.passwords.verify(owner.passwordHash, password)) return { email: owner.email, password }
  }
  return { email: owner.email, password: null }
}
