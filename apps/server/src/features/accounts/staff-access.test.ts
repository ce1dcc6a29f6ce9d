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
  let intruders = 0

  beforeAll(async () => {
    site = await startSite(undefined, { adminFactor: { isRequired, exemptEmail: null } })
  })
  afterAll(() => site?.stop())

  /** Creates an account to which an intruder has added every way to sign in. */
  async function intruded() {
    intruders += 1
    const wallet = testAccount(700 + intruders)
    const { email, id } = await site.person()
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
  type Intruded = Awaited<ReturnType<typeof intruded>>

  async function promoteByDialog({ id }: Intruded) {
    const owner = { email: `owner${intruders}@example.com`, name: 'Owner', password: STAFF_PASSWORD, verified: true }
    const actorId = await createAccount(site.ctx, { ...owner, role: 'owner' })
    const action = { by: { actorId, requestId: 'r' }, permissions: listPermissions('owner') }
    return changeRole(site.ctx, { ...action, accountId: id, reason: 'Shift', role: 'admin' })
  }

  const paths: [string, (of: Intruded) => Promise<{ password: string; kept: string[] }>][] = [
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
        const wanted = { email, name: 'Mara', password: STAFF_PASSWORD, role: 'owner' as const, takeOver: true }
        const { kept, enrolmentCode } = await createAdmin(site.ctx, wanted)
        expect(enrolmentCode === null).toBe(!isRequired)
        return { password: STAFF_PASSWORD, kept }
      },
    ],
    [
      'the role dialog',
      async (of) => {
        const { kept, enrolmentCode } = await promoteByDialog(of)
        expect(enrolmentCode === null).toBe(!isRequired)
        return { password: PASSWORD, kept }
      },
    ],
  ]

  test.each(paths)('a promotion by %s leaves an intruder no access to the admin area', async (path, promote) => {
    const of = await intruded()
    const { password, kept } = await promote(of)
    const { db } = site.ctx
    const account = { accountId: of.id }
    expect((await site.get('account', of.cookies)).status, 'the session').toBe(401)
    expect(await db.$count(apiKeys, eq(apiKeys.accountId, account.accountId)), 'the API key').toBe(0)
    expect(await db.$count(privateFeeds, eq(privateFeeds.accountId, account.accountId)), 'the feed').toBe(0)
    expect(await listFactorMethods(db, of.id), 'authenticator, passkey and recovery codes').toEqual([])
    if (path !== 'the setup link') expect(kept).toEqual(isRequired ? [`wallet ${of.wallet.address}`, 'google'] : [])

    // A sign-in with the wallet gives at most the rights of a user. Without the enrolment code, it
    // cannot enrol a factor.
    const byWallet = await signInByWallet(of)
    if (isRequired) {
      expect((await site.get('admin/audit', byWallet)).status).toBe(403)
      const started = await site.call('POST', '/api/account/factors/totp', {}, byWallet)
      expect(started.body.code).toBe('enrolment_code_required')
    } else {
      expect(await db.$count(wallets, eq(wallets.accountId, of.id))).toBe(0)
      expect(await db.$count(identities, eq(identities.accountId, of.id))).toBe(0)
      const mailed = site.mails.flatMap(({ to, text }) => (to === of.email ? [text] : []))
      for (const method of [/Wallet 0x\S+/, /Google/]) {
        const removed = new RegExp(`${method.source} was removed from your Tocsin account`)
        expect(
          mailed.some((text) => removed.test(text)),
          `mail about ${method}`,
        ).toBe(true)
      }
      expect((await site.get('admin/audit', byWallet)).status).toBe(403)
    }
    // The owner can sign in, with the code if one is needed.
    const own = await site.signInAs(of.email, password)
    expect((await site.get('admin/audit', own)).status).toBe(isRequired ? 403 : 200)
    if (!isRequired) return
    const code = await site.issueCode(of.id)
    expect((await site.call('POST', '/api/account/factors/enrolment', { code }, own)).status).toBe(200)
    expect((await site.call('POST', '/api/account/factors/totp', {}, own)).status).toBe(200)
  })

  test('a change between two staff roles keeps the factors, and ends sessions and API keys', async () => {
    const of = await intruded()
    const { db } = site.ctx
    const mailedText = () => site.mails.filter(({ to }) => to === of.email).at(-1)?.text
    await db.update(accounts).set({ role: 'support' }).where(eq(accounts.id, of.id))
    await promoteByDialog(of)
    expect(await listFactorMethods(db, of.id)).toEqual(['passkey', 'totp', 'recovery-code'])
    expect(mailedText()).toContain('Your second factors stay.')
    expect(mailedText()).not.toContain('second factors from before were removed')
    expect(await db.$count(sessions, eq(sessions.accountId, of.id))).toBe(0)
    expect(await db.$count(apiKeys, eq(apiKeys.accountId, of.id))).toBe(0)
  })

  test('an account without a password gets a role only if staff need a second factor', async () => {
    const of = await intruded()
    await site.ctx.db.update(accounts).set({ passwordHash: null }).where(eq(accounts.id, of.id))
    if (isRequired) return expect((await promoteByDialog(of)).kept).toHaveLength(2)
    await expect(promoteByDialog(of)).rejects.toMatchObject({ code: 'last_way_in' })
    expect(await site.ctx.db.$count(apiKeys, eq(apiKeys.accountId, of.id)), 'nothing has changed').toBe(1)
  })

  test('an account whose only sign-in method is a passkey keeps it, and gets no role', async () => {
    const of = await intruded()
    const { db } = site.ctx
    await db.delete(wallets).where(eq(wallets.accountId, of.id))
    const withoutAddress = { email: null, emailVerifiedAt: null, passwordHash: null }
    await db.update(accounts).set(withoutAddress).where(eq(accounts.id, of.id))
    // The provider of the identity is not configured, so the identity is not a way to sign in.
    await expect(promoteByDialog(of)).rejects.toMatchObject({ code: 'last_way_in' })
    await db.delete(identities).where(eq(identities.accountId, of.id))
    await expect(promoteByDialog(of)).rejects.toMatchObject({ code: 'last_way_in' })
    expect(await listFactorMethods(db, of.id)).toContain('passkey')
  })

  async function signInByWallet({ wallet }: Intruded): Promise<Cookies> {
    const challenge = await createSignInChallenge(site.ctx, wallet.address)
    const proof = { message: challenge.message, signature: await wallet.signMessage({ message: challenge.message }) }
    const entry = { browser, rememberMe: false }
    const { sessionCookie } = await signInWithWallet(site.ctx, proof, challenge.browser, entry)
    return { tocsin: sessionCookie }
  }
})
