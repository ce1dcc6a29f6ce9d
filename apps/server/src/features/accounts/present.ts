import type { Activity, SessionUser } from '@tocsin/protocol'
import { activity as activitySchema } from '@tocsin/protocol'
import type { Account, ActivityRow } from './store.ts'

/** @param wallets all that the account has proved; @param provedWallets those of them proved in this session. */
export function presentSessionUser(account: Account, wallets: string[], provedWallets: string[]): SessionUser {
  return {
    id: account.id,
    email: account.email,
    name: account.name,
    isAdmin: account.role === 'admin',
    wallets,
    provedWallets,
    createdAt: account.createdAt.toISOString(),
  }
}

export function presentActivity(row: ActivityRow): Activity {
  return {
    id: String(row.id),
    at: row.at.toISOString(),
    kind: activitySchema.shape.kind.parse(row.kind),
    detail: row.detail,
    reference: row.reference,
  }
}
