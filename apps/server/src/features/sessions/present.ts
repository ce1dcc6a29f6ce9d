import type { SessionUser } from '@tocsin/protocol'
import type { Account } from './account-store.ts'

/**
 * @param wallets wallets linked to the account
 * @param provedWallets wallets proved in this session
 */
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
