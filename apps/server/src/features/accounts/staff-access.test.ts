import { listPermissions } from '@tocsin/protocol'
import { testAccount } from '@tocsin/testkit'
import { eq } from 'drizzle-orm'
import { generateSync } from 'otplib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cookies, PASSWORD, type Site, startSite } from '../../../test/support/test-site.ts'
import { accounts, identities, sessions } from '../../db/schema/accounts.ts'
import { apiKeys } from '../../db/schema/api-keys.ts'
import { privateFeeds } from '../../db/schema/channels.ts'
import { passkeys } from '../../db/schema/factors.ts'
import { settings } from '../../db/schema/server.ts'
import { wallets } from '../../db/schema/wallets.ts'
import { listFactorMethods } from '../sessions/second-factor.ts'
import { createSignInChallenge, signInWithWallet } from '../wallets/sign-in.ts'
import { changeRole } from './admin-service.ts'
import { consumeFirstAdminLink, createAdmin, createFirstAdminLink } from './first-admin.ts'
import { createAccount } from './service.ts'

const STAFF_PASSWORD = 'a bell at the harbour'
const browser = { userAgent: '', deviceCookie: undefined, sessionCookie: undefined, network: '192.0.2.1' }

describe.each([
  ['need a second factor', true],
  ['need no second factor', false],
])('if staff %s', (_, isRequired) => {
  let site: Site
  let intruderCount = 0

  beforeAll(async () => {
    site = await startSite(undefined, { adminFactor: { isRequired, exemptEmail: null } })
  })
  afterAll(() => site?.stop())

  /** Creates an account to which an intruder has added every way to sign in. */
  async function createCompromisedAccount() {
    intruderCount += 1
    const wallet = testAccount(700 + intruderCount)
    const { email, id } = await site.createTestAccount()
    const cookies = await site.signInAs(email)
    const { secret } = (await site.call('POST', '/api/account/factors/totp', {}, cookies)).body
    const code = generateSync({ secret, epoch: Math.floor(site.clock.now().getTime() / 1000) })
    const confirmed = await site.call('POST', '/api/account/factors/totp/confirm', { code }, cookies)
    for (const { name, value } of confirmed.cookies) cookies[name] = value
    const { db } = site.ctx
    const at = site.clock.now()
    const passkey = {
      publicKey: Buffer.from('key'),
      signCount: 0,
      transports: [],
      backupEligible: true,
      backedUp: true,
    }
    await db.insert(passkeys).values({ id: `key of ${id}`, accountId: id, name: 'Foreign', createdAt: at, ...passkey })
    await db.insert(wallets).values({ address: wallet.address, chainId: 0, accountId: id, linkedAt: at })
    const identity = { issuer: 'https://accounts.google.com', provider: 'google' as const, subject: id }
    await db.insert(identities).values({ ...identity, accountId: id, linkedAt: at })
    const limits = { scopes: ['alerts' as const], requestsPerMinute: 60 }
    await db
      .insert(apiKeys)
      .values({ accountId: id, keyHash: id, prefix: 'x', name: 'Foreign', createdAt: at, ...limits })
    await db.insert(privateFeeds).values({ accountId: id, secretHash: id, createdAt: at })
    expect((await site.get('account', cookies)).status).toBe(200)
    return { email, id, cookies, wallet }
  }
  type CompromisedAccount = Awaited<ReturnType<typeof createCompromisedAccount>>

  async function promoteByDialog({ id }: CompromisedAccount) {
    const owner = {
      email: `owner${intruderCount}@example.com`,
      name: 'Owner',
      password: STAFF_PASSWORD,
      verified: true,
    }
    const actorId = await createAccount(site.ctx, { ...owner, role: 'owner' })
    const action = { by: { actorId, requestId: 'r' }, permissions: listPermissions('owner') }
    return changeRole(site.ctx, { ...action, accountId: id, reason: 'Shift', role: 'admin' })
  }

  const promotions: [string, (of: CompromisedAccount) => Promise<{ password: string; kept: string[] }>][] = [
    [
      'the setup link',
      async ({ email }) => {
        await site.ctx.db.update(accounts).set({ role: 'user' }).where(eq(accounts.role, 'owner'))
        await site.ctx.db.delete(settings).where(eq(settings.name, 'accounts.first-admin-link'))
        const ctx = { ...site.ctx, config: { ...site.ctx.config, firstAdmin: null } }
        const token = (await createFirstAdminLink(ctx))?.link?.split('#setup=')[1] ?? ''
        const signedIn = await consumeFirstAdminLink(
          ctx,
          { token, email, name: 'Mara', password: STAFF_PASSWORD },
          browser,
        )
        expect(signedIn.awaitedFactor).toBeNull()
        return { password: STAFF_PASSWORD, kept: [] }
      },
    ],
    [
      'the command line',
      async ({ email }) => {
        const wantedAdmin = { email, name: 'Mara', password: STAFF_PASSWORD, role: 'owner' as const, takeOver: true }
        const { kept, enrolmentCode } = await createAdmin(site.ctx, wantedAdmin)
        expect(enrolmentCode === null).toBe(!isRequired)
        return { password: STAFF_PASSWORD, kept }
      },
    ],
    [
      'the role dialog',
      async (compromised) => {
        const { kept, enrolmentCode } = await promoteByDialog(compromised)
        expect(enrolmentCode === null).toBe(!isRequired)
        return { password: PASSWORD, kept }
      },
    ],
  ]

  test.each(promotions)('a promotion by %s leaves an intruder no access to the admin area', async (path, promote) => {
    const compromised = await createCompromisedAccount()
    const { password, kept } = await promote(compromised)
    const { db } = site.ctx
    const account = { accountId: compromised.id }
    expect((await site.get('account', compromised.cookies)).status, 'the session').toBe(401)
    expect(await db.$count(apiKeys, eq(apiKeys.accountId, account.accountId)), 'the API key').toBe(0)
    expect(await db.$count(privateFeeds, eq(privateFeeds.accountId, account.accountId)), 'the feed').toBe(0)
    expect(await listFactorMethods(db, compromised.id), 'authenticator, passkey and recovery codes').toEqual([])
    if (path !== 'the setup link')
      expect(kept).toEqual(isRequired ? [`wallet ${compromised.wallet.address}`, 'Google'] : [])

    // A sign-in with the wallet gives at most the rights of a user. Without the enrolment code, it
    // cannot enrol a factor.
    const byWallet = await signInByWallet(compromised)
    if (isRequired) {
      expect((await site.get('admin/audit', byWallet)).status).toBe(403)
      const started = await site.call('POST', '/api/account/factors/totp', {}, byWallet)
      expect(started.body.code).toBe('enrolment_code_required')
    } else {
      expect(await db.$count(wallets, eq(wallets.accountId, compromised.id))).toBe(0)
      expect(await db.$count(identities, eq(identities.accountId, compromised.id))).toBe(0)
      const mailedTexts = site.mails.flatMap(({ to, text }) => (to === compromised.email ? [text] : []))
      for (const method of [/Wallet 0x\S+/, /Google/]) {
        const removedPattern = new RegExp(`${method.source} was removed from your Tocsin account`)
        expect(
          mailedTexts.some((text) => removedPattern.test(text)),
          `mail about ${method}`,
        ).toBe(true)
      }
      expect((await site.get('admin/audit', byWallet)).status).toBe(403)
    }
    // The account owner can sign in with the password. If staff need a second factor, the owner can
    // enrol one with an enrolment code.
    const ownCookies = await site.signInAs(compromised.email, password)
    expect((await site.get('admin/audit', ownCookies)).status).toBe(isRequired ? 403 : 200)
    if (!isRequired) return
    const code = await site.issueCode(compromised.id)
    expect((await site.call('POST', '/api/account/factors/enrolment', { code }, ownCookies)).status).toBe(200)
    expect((await site.call('POST', '/api/account/factors/totp', {}, ownCookies)).status).toBe(200)
  })

  test('a change between two staff roles keeps the second factors, and ends sessions and API keys', async () => {
    const compromised = await createCompromisedAccount()
    const { db } = site.ctx
    const mailedText = () => site.mails.filter(({ to }) => to === compromised.email).at(-1)?.text
    await db.update(accounts).set({ role: 'support' }).where(eq(accounts.id, compromised.id))
    await promoteByDialog(compromised)
    expect(await listFactorMethods(db, compromised.id)).toEqual(['passkey', 'totp', 'recovery-code'])
    expect(mailedText()).toContain('Your second factors stay.')
    expect(mailedText()).not.toContain('second factors that were added before the change were removed')
    expect(await db.$count(sessions, eq(sessions.accountId, compromised.id))).toBe(0)
    expect(await db.$count(apiKeys, eq(apiKeys.accountId, compromised.id))).toBe(0)
  })

  test('an account without a password can become an admin only if a second factor is required', async () => {
    const compromised = await createCompromisedAccount()
    await site.ctx.db.update(accounts).set({ passwordHash: null }).where(eq(accounts.id, compromised.id))
    if (isRequired) return expect((await promoteByDialog(compromised)).kept).toHaveLength(2)
    await expect(promoteByDialog(compromised)).rejects.toMatchObject({ code: 'last_way_in' })
    expect(await site.ctx.db.$count(apiKeys, eq(apiKeys.accountId, compromised.id)), 'nothing has changed').toBe(1)
  })

  test('a promotion is refused and the passkey is kept when the passkey is the only sign-in method', async () => {
    const compromised = await createCompromisedAccount()
    const { db } = site.ctx
    const withoutAddress = { email: null, emailVerifiedAt: null, passwordHash: null }
    await db.update(accounts).set(withoutAddress).where(eq(accounts.id, compromised.id))
    // Neither the chain of the contract wallet nor the provider of the identity is configured, so
    // they are not ways to sign in.
    await db.update(wallets).set({ chainId: 137 }).where(eq(wallets.accountId, compromised.id))
    await expect(promoteByDialog(compromised)).rejects.toMatchObject({ code: 'last_way_in' })
    await db.delete(wallets).where(eq(wallets.accountId, compromised.id))
    await expect(promoteByDialog(compromised)).rejects.toMatchObject({ code: 'last_way_in' })
    await db.delete(identities).where(eq(identities.accountId, compromised.id))
    await expect(promoteByDialog(compromised)).rejects.toMatchObject({ code: 'last_way_in' })
    expect(await listFactorMethods(db, compromised.id)).toContain('passkey')
  })

  async function signInByWallet({ wallet }: CompromisedAccount): Promise<Cookies> {
    const challenge = await createSignInChallenge(site.ctx, wallet.address)
    const proof = { message: challenge.message, signature: await wallet.signMessage({ message: challenge.message }) }
    const entry = { browser, rememberMe: false }
    const { sessionCookie } = await signInWithWallet(site.ctx, proof, challenge.browser, entry)
    return { tocsin: sessionCookie }
  }
})
