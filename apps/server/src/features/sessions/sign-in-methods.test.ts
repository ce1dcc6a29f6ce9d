import { testAccount } from '@tocsin/testkit'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findActor } from '../../../test/support/find-actor.ts'
import { type Site, startSite } from '../../../test/support/test-site.ts'
import { accounts, identities } from '../../db/schema/accounts.ts'
import { wallets } from '../../db/schema/wallets.ts'
import { unlinkIdentity } from '../accounts/unlink-identity.ts'

const issuer = 'https://accounts.google.com'
let site: Site

beforeAll(async () => {
  const { address } = testAccount(900)
  const otherChain = { chainId: 8453, rpcUrls: [], token: address, treasury: address, confirmations: 1 }
  const providers = { google: { issuer, clientId: 'x', clientSecret: 'x' } }
  site = await startSite(undefined, { providers, otherPaymentChains: [otherChain] })
})
afterAll(() => site?.stop())

test.each([
  ['a contract wallet of a chain that is not configured', 'last_way_in', 137],
  ['a contract wallet of the payment chain', 'unlinked', 31_337],
  ['a contract wallet of an additional chain', 'unlinked', 8453],
  ['a wallet that its own key has proved', 'unlinked', 0],
  ['a wallet of unknown chain', 'unlinked', -1],
])('removeSignInMethod: unlinking Google when only %s remains has the result %s', async (_what, result, chainId) => {
  const { db, clock } = site.ctx
  const { email, id: accountId } = await site.createTestAccount()
  const { tocsin } = await site.signInAs(email)
  const linkedAt = clock.now()
  await db.update(accounts).set({ passwordHash: null }).where(eq(accounts.id, accountId))
  await db.insert(identities).values({ issuer, provider: 'google', subject: accountId, accountId, linkedAt })
  const { address } = testAccount(901 + Math.abs(chainId))
  await db.insert(wallets).values({ address, chainId, accountId, linkedAt })
  const actor = await findActor(site.ctx, tocsin)
  if (!actor) throw new Error('The session has ended')
  const outcome = await unlinkIdentity(site.ctx, actor, 'google').then(
    () => 'unlinked',
    ({ code }) => code,
  )
  expect(outcome).toBe(result)
  expect(await db.$count(identities, eq(identities.accountId, accountId))).toBe(result === 'unlinked' ? 0 : 1)
})
