import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { Refusal } from '../../refusal.ts'
import { endReset } from '../factors/reset.ts'
import { deleteAllFactors } from '../factors/store.ts'
import type { Account } from '../sessions/account-store.ts'
import { countUsableWallets, listAddresses } from '../sessions/linked-wallets.ts'
import { listFactorMethods, mustEnrol } from '../sessions/second-factor.ts'
import { removeWallet } from '../wallets/service.ts'
import { endAccess } from './end-access.ts'
import { listIdentities } from './identity-store.ts'
import { providerNames, removeIdentity } from './unlink-identity.ts'

/**
 * Ends the access that an intruder may have to an account that gets a staff role: sessions, emailed
 * links, shared links, API keys and the private feed. A user who becomes staff also loses all
 * second factors, so that enrolling the first one needs the enrolment code. Wallets and providers
 * stay, because they do not give access to staff rights without a second factor. If staff need no
 * factor, wallets and providers are removed instead.
 * Callers must have locked the account.
 * @param account the account after the change, but with its former role
 * @returns the sign-in methods that stay besides the password
 * @throws Refusal last_way_in if staff need no factor and the account has no password, or if a
 *   passkey, which would be deleted, is its only way to sign in; the transaction must roll back
 */
export async function secureNewStaff(ctx: Context, tx: Tx, account: Account, to: Account['role']): Promise<string[]> {
  const { id, email } = account
  await endAccess(ctx, tx, id, 'new role')
  const losesFactors = account.role === 'user' && (await listFactorMethods(tx, id)).length > 0
  if (losesFactors) {
    await deleteAllFactors(tx, id)
    await endReset(ctx, tx, id, 'applied')
    const detail = 'All, because the account became staff'
    await recordActivity(tx, { accountId: id, kind: 'factor_removed', detail, at: ctx.clock.now() })
  }
  const [addresses, identities] = await Promise.all([listAddresses(tx, id), listIdentities(tx, id)])
  const otherSignInMethods = [
    ...addresses.map((address) => `wallet ${address}`),
    ...identities.map(({ provider }) => providerNames[provider]),
  ]
  const canSignIn =
    (await countUsableWallets(ctx, tx, id)) > 0 ||
    identities.some(({ provider }) => ctx.config.providers[provider] !== null)
  if (losesFactors && account.emailVerifiedAt === null && !canSignIn) {
    const reason =
      'This account has neither a verified address nor a wallet or provider, and staff lose their passkeys.'
    throw new Refusal('last_way_in', `${reason} Have it add an address first.`)
  }
  if (account.role !== 'user' || otherSignInMethods.length === 0 || mustEnrol(ctx.config, { role: to, email }, false))
    return otherSignInMethods
  if (account.passwordHash === null || account.emailVerifiedAt === null) {
    const reason = 'This account has no password, and a wallet or provider alone must not open the staff area.'
    throw new Refusal('last_way_in', `${reason} Have it set a password first, or require a second factor of staff.`)
  }
  for (const address of addresses) await removeWallet(ctx, tx, id, address)
  for (const { provider } of identities) await removeIdentity(ctx, tx, id, provider)
  return []
}
