import { listPermissions } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { startTestSession, testAccount } from '@tocsin/testkit'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAuthenticator, type Forgery, flags } from '../../../test/support/authenticator-test-bed.ts'
import { fillHashQueue } from '../../../test/support/fill-hash-queue.ts'
import { findActor } from '../../../test/support/find-actor.ts'
import { type Answer, type Cookies, ORIGIN, PASSWORD, type Site, startSite } from '../../../test/support/test-site.ts'
import { accounts } from '../../db/schema/accounts.ts'
import { passkeys } from '../../db/schema/factors.ts'
import { wallets } from '../../db/schema/wallets.ts'
import { changeRole } from '../accounts/admin-service.ts'
import { createAdmin } from '../accounts/first-admin.ts'
import { createAccount } from '../accounts/service.ts'
import { createPrivateFeed } from '../syndication/private-feed.ts'
import { findPrivateFeed } from '../syndication/store.ts'
import { unlinkWallet } from '../wallets/service.ts'
import { createSignInChallenge, signInWithWallet } from '../wallets/sign-in.ts'

let site: Site

beforeAll(async () => {
  site = await startSite(undefined, { adminFactor: { isRequired: true } })
})
afterAll(() => site.stop())

const ADMIN_PASSWORD = 'a bell at the harbour'
const rp = { origin: ORIGIN, rpId: 'localhost' }
const mergeCookies = (cookies: Cookies, answer: Answer): Cookies => ({
  ...cookies,
  ...Object.fromEntries(answer.cookies.map(({ name, value }) => [name, value])),
})
const requestOptions = async (
  path: string,
  cookies: Cookies,
): Promise<{ challenge: string; allowCredentials?: object[] }> => (await site.call('POST', path, {}, cookies)).body

async function createPlainAccount(role: 'user' | 'admin' = 'user') {
  const email = `passkey-${crypto.randomUUID()}@example.com`
  const password = role === 'admin' ? ADMIN_PASSWORD : PASSWORD
  const id = await createAccount(site.ctx, { email, name: 'Holder', password, role, verified: true })
  const cookies = await site.signInAs(email, password)
  const enrolment = { code: await site.issueCode(id) }
  if (role === 'admin') await site.call('POST', '/api/account/factors/enrolment', enrolment, cookies)
  return { email, id, password, cookies }
}

async function addPasskey(cookies: Cookies, authenticator = createAuthenticator(rp), forgery: Forgery = {}) {
  const options = await requestOptions('/api/account/passkeys/options', cookies)
  const body = { name: 'Laptop', response: authenticator.create(options, forgery) }
  return { authenticator, answer: await site.call('POST', '/api/account/passkeys', body, cookies) }
}

async function createPasskeyHolder(role: 'user' | 'admin' = 'user', forgery: Forgery = {}) {
  const account = await createPlainAccount(role)
  const { authenticator, answer } = await addPasskey(account.cookies, undefined, forgery)
  expect(answer.status, answer.text).toBe(200)
  return { ...account, authenticator, cookies: mergeCookies(account.cookies, answer) }
}

/** Signs in with the passkey alone, from a new browser. */
async function signInAlone(
  { authenticator }: { authenticator: ReturnType<typeof createAuthenticator> },
  forgery: Forgery = {},
) {
  const started = await site.call('POST', '/api/auth/passkey/options', {})
  const response = authenticator.get(started.body, forgery)
  return {
    response,
    cookies: mergeCookies({}, started),
    answer: await site.call('POST', '/api/auth/passkey', { response }, mergeCookies({}, started)),
  }
}

/** Links a wallet with the account, without a proof. */
async function linkWallet(accountId: string, wallet: ReturnType<typeof testAccount>): Promise<void> {
  const linked = { address: wallet.address, chainId: 0, accountId, linkedAt: site.clock.now() }
  await site.ctx.db.insert(wallets).values(linked)
}

/** Starts a sign-in with the wallet, which then waits for the second factor. */
async function startWalletSignIn(wallet: ReturnType<typeof testAccount>): Promise<Cookies> {
  const { message, browser: secret } = await createSignInChallenge(site.ctx, wallet.address)
  const proof = { message, signature: await wallet.signMessage({ message }) }
  const browser = { userAgent: '', deviceCookie: undefined, sessionCookie: undefined, network: '192.0.2.1' }
  const { sessionCookie } = await signInWithWallet(site.ctx, proof, secret, { browser, rememberMe: false })
  return { tocsin: sessionCookie }
}

const toHandle = (id: string) => Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')
const packedByFido = { fmt: 'packed' }

describe('a new passkey', () => {
  test.each<[string, Forgery]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['a subdomain of the site', { origin: 'http://x.localhost:3000' }],
    ['another port', { origin: 'http://localhost:3001' }],
    ['another RP id', { rpId: 'evil.example' }],
    ['a challenge that the server did not create', { challenge: Buffer.alloc(32, 7).toString('base64url') }],
    ['the type of a sign-in', { type: 'webauthn.get' }],
    ['the algorithm none', { alg: 0 }],
    ['the algorithm HS256', { alg: 5 }],
    ['attestation that was not asked for', packedByFido],
    ['malformed CBOR', { attestationObject: Buffer.from('bf61', 'hex') }],
    ['empty CBOR', { attestationObject: Buffer.from('a0', 'hex') }],
    ['nested CBOR without an end', { attestationObject: Buffer.alloc(5_000, 0x81) }],
    ['no user presence', { flags: 0 }],
    ['a backup without eligibility', { flags: flags.UP | flags.UV | flags.BS }],
  ])('is refused with %s', async (_, forgery) => {
    const { cookies } = await createPlainAccount()
    const { answer } = await addPasskey(cookies, undefined, forgery)
    expect([answer.status, answer.body.code], answer.text).toEqual([422, 'passkey_refused'])
    expect((await site.get('account/factors', cookies)).body.passkeys).toEqual([])
  })

  test('is refused with a used challenge, one of another session, and after five minutes', async () => {
    const [one, two] = [await createPlainAccount(), await createPlainAccount()]
    const options = await requestOptions('/api/account/passkeys/options', one.cookies)
    const post = (cookies: Cookies) =>
      site.call(
        'POST',
        '/api/account/passkeys',
        { name: 'x', response: createAuthenticator(rp).create(options) },
        cookies,
      )
    expect((await post(two.cookies)).body.code, 'another session').toBe('passkey_refused')
    const mine = await post(one.cookies)
    expect(mine.status, 'the attempt of another session consumes nothing').toBe(200)
    expect((await post(mergeCookies(one.cookies, mine))).body.code, 'used').toBe('passkey_refused')
    const lateOptions = await requestOptions('/api/account/passkeys/options', two.cookies)
    site.clock.advance(5 * MINUTE_MS)
    const response = createAuthenticator(rp).create(lateOptions)
    const answer = await site.call('POST', '/api/account/passkeys', { name: 'x', response }, two.cookies)
    expect(answer.body.code, 'expired').toBe('passkey_refused')
  })

  test('is refused for an admin without user verification, and when its credential id is already registered', async () => {
    const admin = await createPlainAccount('admin')
    expect((await addPasskey(admin.cookies, undefined, { flags: flags.UP })).answer.body.code).toBe('passkey_refused')
    const { authenticator } = await createPasskeyHolder()
    const thief = await createPlainAccount()
    expect((await addPasskey(thief.cookies, authenticator)).answer.body.code, 'a taken credential id').toBe(
      'passkey_refused',
    )
  })
})

test('a further passkey: is added without a hash, even when the hash queue is full', async () => {
  const { cookies } = await createPasskeyHolder()
  const emptyQueue = fillHashQueue(site.ctx.passwords)
  const { answer } = await addPasskey(cookies)
  await emptyQueue()
  expect(answer.status, answer.text).toBe(200)
  expect(answer.body.recoveryCodes).toBeNull()
})

describe('a passkey', () => {
  test('signs in without a password, completes a sign-in with a password, and confirms the session', async () => {
    const owner = await createPasskeyHolder('admin')
    const passkeySignIn = await signInAlone(owner, { userHandle: toHandle(owner.id) })
    expect(passkeySignIn.answer.body).toMatchObject({ success: true, user: { email: owner.email, mustEnrol: false } })
    const session = mergeCookies(passkeySignIn.cookies, passkeySignIn.answer)
    expect((await site.get('auth/confirm', session)).status, 'a sign-in is no confirmation').toBe(403)

    const options = await requestOptions('/api/auth/confirm-passkey/options', session)
    const response = owner.authenticator.get(options)
    const confirmed = await site.call('POST', '/api/auth/confirm-passkey', { response }, session)
    expect((await site.get('auth/confirm', mergeCookies(session, confirmed))).status).toBe(200)

    const loginResponse = await site.post('login', { email: owner.email, password: owner.password })
    expect(loginResponse.body.awaitedFactor.methods).toEqual(['passkey', 'recovery-code'])
    const pendingCookies = mergeCookies({}, loginResponse)
    const second = await requestOptions('/api/auth/passkey/options', pendingCookies)
    expect(second.allowCredentials).toHaveLength(1)
    const done = await site.call(
      'POST',
      '/api/auth/passkey',
      { response: owner.authenticator.get(second) },
      pendingCookies,
    )
    expect(done.body).toMatchObject({ success: true, user: { email: owner.email } })
    const { body } = await site.get('account/factors', mergeCookies(pendingCookies, done))
    expect(body.passkeys).toMatchObject([{ name: 'Laptop', lastUsedAt: site.clock.now().toISOString() }])
  })

  test('returns the same user data on sign-in as the next request does, including linked and proved wallets', async () => {
    const account = await createPlainAccount()
    const { authenticator, answer } = await addPasskey(account.cookies)
    const wallet = testAccount(811)
    await linkWallet(account.id, wallet)
    const withPasskey = async (cookies: Cookies) => {
      const response = authenticator.get(await requestOptions('/api/auth/passkey/options', cookies))
      return site.call('POST', '/api/auth/passkey', { response }, cookies)
    }
    const code = answer.body.recoveryCodes[0]
    const withCode = (cookies: Cookies) => site.call('POST', '/api/auth/factor', { code }, cookies)
    for (const complete of [withPasskey, withCode]) {
      const pendingCookies = await startWalletSignIn(wallet)
      const done = await complete(pendingCookies)
      expect(done.body.user).toMatchObject({ wallets: [wallet.address], provedWallets: [wallet.address] })
      expect((await site.get('auth/user', mergeCookies(pendingCookies, done))).body.user).toEqual(done.body.user)
    }
    const passkeySignIn = await signInAlone({ authenticator })
    expect(passkeySignIn.answer.body.user).toMatchObject({ wallets: [wallet.address], provedWallets: [] })
  })

  test.each<[string, Forgery]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['another RP id', { rpId: 'evil.example' }],
    ['a challenge that the server did not create', { challenge: Buffer.alloc(32, 7).toString('base64url') }],
    ['the type of an enrolment', { type: 'webauthn.create' }],
    ['an unknown credential', { credentialId: Buffer.alloc(32, 9).toString('base64url') }],
    ['a counter that goes back', { counter: 1 }],
    ['a counter of zero', { counter: 0 }],
    ['no user presence', { flags: flags.UV }],
    ['no user verification', { flags: flags.UP }],
    ['a changed backup eligibility', { flags: flags.UP | flags.UV | flags.BE }],
    ['a backup without eligibility', { flags: flags.UP | flags.UV | flags.BS }],
    ['another signature', { signature: Buffer.alloc(70, 1) }],
    ['the user handle of another account', { userHandle: toHandle(crypto.randomUUID()) }],
    ['short authenticator data', { authenticatorData: Buffer.alloc(10) }],
    ['malformed CBOR in extensions', { flags: flags.UP | flags.UV | 0x80 }],
  ])('is refused with %s', async (_, forgery) => {
    const owner = await createPasskeyHolder()
    expect((await signInAlone(owner)).answer.status).toBe(200)
    const { answer } = await signInAlone(owner, forgery)
    expect([answer.status, answer.body.code], answer.text).toEqual([422, 'passkey_refused'])
  })

  test('is refused with a used challenge, and with a challenge of another browser, session or purpose', async () => {
    const [owner, other] = [await createPasskeyHolder(), await createPasskeyHolder()]
    const first = await signInAlone(owner)
    const replayResponse = await site.call('POST', '/api/auth/passkey', { response: first.response }, first.cookies)
    expect(replayResponse.body.code, 'used').toBe('passkey_refused')
    const started = await site.call('POST', '/api/auth/passkey/options', {})
    const response = owner.authenticator.get(started.body)
    expect((await site.call('POST', '/api/auth/passkey', { response })).body.code, 'another browser').toBe(
      'passkey_refused',
    )
    const atConfirm = await site.call('POST', '/api/auth/confirm-passkey', { response }, owner.cookies)
    expect(atConfirm.body.code, 'another purpose').toBe('passkey_refused')

    const options = await requestOptions('/api/auth/confirm-passkey/options', owner.cookies)
    const confirmation = owner.authenticator.get(options)
    const otherSessionResponse = await site.call(
      'POST',
      '/api/auth/confirm-passkey',
      { response: confirmation },
      other.cookies,
    )
    expect(otherSessionResponse.body.code, 'another session').toBe('passkey_refused')
    const foreignOptions = await requestOptions('/api/auth/confirm-passkey/options', other.cookies)
    const byOther = { response: owner.authenticator.get(foreignOptions) }
    const answer = await site.call('POST', '/api/auth/confirm-passkey', byOther, other.cookies)
    expect(answer.body.code, 'the passkey of another account').toBe('passkey_refused')
  })

  test('signs in only once when the same response is posted five times in parallel', async () => {
    const owner = await createPasskeyHolder()
    const started = await site.call('POST', '/api/auth/passkey/options', {})
    const response = owner.authenticator.get(started.body)
    const answers = await Promise.all(
      [...Array(5)].map(() => site.call('POST', '/api/auth/passkey', { response }, mergeCookies({}, started))),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('cannot sign in alone after a password reset until it has completed a sign-in with the new password', async () => {
    const owner = await createPasskeyHolder()
    const wallet = testAccount(810)
    await linkWallet(owner.id, wallet)
    await createPrivateFeed(site.ctx, { ...(await startTestSession(site.ctx, owner.id)), requestId: 'test' })
    expect((await signInAlone(owner)).answer.status).toBe(200)
    const newPassword = 'after-the-intruder-7'
    const token = await site.requestResetToken(owner.email)
    expect((await site.post('reset-password', { token, newPassword })).status).toBe(200)
    expect(await findPrivateFeed(site.ctx.db, owner.id)).toBeUndefined()

    const refused = (await signInAlone(owner)).answer
    expect([refused.status, refused.body.code, refused.cookies]).toEqual([422, 'passkey_refused', []])
    expect(refused.body.message).toContain('Sign in with the new password')
    const byWallet = await startWalletSignIn(wallet)
    const factor = owner.authenticator.get(await requestOptions('/api/auth/passkey/options', byWallet))
    expect((await site.call('POST', '/api/auth/passkey', { response: factor }, byWallet)).status).toBe(200)
    expect((await signInAlone(owner)).answer.body.code, 'after a sign-in with a wallet').toBe('passkey_refused')
    const loginResponse = await site.post('login', { email: owner.email, password: newPassword })
    expect(loginResponse.body.awaitedFactor.methods, 'it is still the second factor').toContain('passkey')
    const pendingCookies = mergeCookies({}, loginResponse)
    const response = owner.authenticator.get(await requestOptions('/api/auth/passkey/options', pendingCookies))
    expect((await site.call('POST', '/api/auth/passkey', { response }, pendingCookies)).status).toBe(200)
    expect((await signInAlone(owner)).answer.status).toBe(200)
  })

  test('signs in alone after a change between staff roles, but not after the operator has set a password', async () => {
    const owner = await createPasskeyHolder('admin')
    const otherOwner = { email: `owner-${crypto.randomUUID()}@example.com`, name: 'Owner', password: ADMIN_PASSWORD }
    const actorId = await createAccount(site.ctx, { ...otherOwner, role: 'owner', verified: true })
    const action = { by: { actorId, requestId: 'r' }, permissions: listPermissions('owner'), reason: 'Shift' }
    await changeRole(site.ctx, { ...action, accountId: owner.id, role: 'publisher' })
    expect((await signInAlone(owner)).answer.status).toBe(200)
    const wantedAdmin = { email: owner.email, name: 'Holder', password: 'another bell at the harbour', takeOver: true }
    await createAdmin(site.ctx, { ...wantedAdmin, role: 'admin' })
    expect((await signInAlone(owner)).answer.body.code).toBe('passkey_refused')
  })

  test('does not count as a sign-in method while it works only together with the password', async () => {
    const owner = await createPasskeyHolder()
    const wallet = testAccount(812)
    await linkWallet(owner.id, wallet)
    await site.ctx.db.update(accounts).set({ passwordHash: null }).where(eq(accounts.id, owner.id))
    const setSignsInAlone = (signsInAlone: boolean) =>
      site.ctx.db.update(passkeys).set({ signsInAlone }).where(eq(passkeys.accountId, owner.id))
    const actor = await findActor(site.ctx, owner.cookies.tocsin)
    if (!actor) throw new Error('The session has ended')
    await setSignsInAlone(false)
    await expect(unlinkWallet(site.ctx, actor, wallet.address)).rejects.toMatchObject({ code: 'last_way_in' })
    await setSignsInAlone(true)
    await unlinkWallet(site.ctx, actor, wallet.address)
    expect(await site.ctx.db.$count(wallets, eq(wallets.accountId, owner.id))).toBe(0)
  })

  test('is listed by a password reset, and can be removed there with a recovery code', async () => {
    const account = await createPlainAccount()
    const { authenticator, answer } = await addPasskey(account.cookies)
    const { id } = authenticator
    const token = await site.requestResetToken(account.email)
    expect((await site.post('reset-password/check', { token })).body.waysIn.factors).toEqual([
      { id, name: 'Passkey “Laptop”', addedAt: site.clock.now().toISOString() },
    ])
    const change = {
      newPassword: 'after-the-intruder-7',
      removeFactors: [id],
      factorCode: answer.body.recoveryCodes[0],
    }
    const resetResponse = await site.post('reset-password', { token, ...change })
    expect(resetResponse.body).toMatchObject({ success: true, waysIn: { factors: [] } })
    expect(resetResponse.body.message).not.toContain('passkey')
    expect((await signInAlone({ authenticator })).answer.status).toBe(422)
    const { email } = account
    expect((await site.post('login', { email, password: change.newPassword })).body).toMatchObject({ success: true })
  })

  test('can be renamed and removed only by its owner, but not removed when it is the last factor of an admin', async () => {
    const [owner, other] = [await createPasskeyHolder('admin'), await createPasskeyHolder()]
    const path = `/api/account/passkeys/${owner.authenticator.id}`
    expect((await site.call('PUT', path, { name: 'Mine' }, other.cookies)).status).toBe(404)
    expect((await site.call('DELETE', path, {}, other.cookies)).status).toBe(404)
    expect((await site.call('PUT', path, { name: 'a\nb' }, owner.cookies)).status).toBe(400)
    expect((await site.call('PUT', path, { name: ' Desk ' }, owner.cookies)).status).toBe(200)
    expect((await site.call('DELETE', path, {}, owner.cookies)).body.code).toBe('last_factor')
    const second = await addPasskey(owner.cookies)
    const cookies = mergeCookies(owner.cookies, second.answer)
    expect(second.answer.body.recoveryCodes, 'only the first factor brings codes').toBeNull()
    expect((await site.call('DELETE', path, {}, cookies)).status).toBe(200)
    expect((await signInAlone(owner)).answer.body.code).toBe('passkey_refused')
    expect((await site.get('account/factors', cookies)).body.passkeys).toMatchObject([{ name: 'Laptop' }])
  })

  test('is not found when the renamed or removed passkey does not exist', async () => {
    const { cookies } = await createPasskeyHolder()
    const path = '/api/account/passkeys/AQIDBA'
    const answers = [
      await site.call('PUT', path, { name: 'Desk' }, cookies),
      await site.call('DELETE', path, {}, cookies),
    ]
    const notFound = { code: 'not_found', message: 'Passkey not found.' }
    expect(answers.map(({ body }) => body)).toMatchObject([notFound, notFound])
  })

  test('cannot be added, renamed or removed with a NUL in its id or transports', async () => {
    const account = await createPlainAccount()
    const options = await requestOptions('/api/account/passkeys/options', account.cookies)
    const created = createAuthenticator(rp).create(options)
    const response = { ...created, response: { ...created.response, transports: ['us\0b'] } }
    const path = '/api/account/passkeys'
    const token = await site.requestResetToken(account.email)
    const reset = { token, newPassword: PASSWORD, removeFactors: ['\0'], factorCode: '123456' }
    const answers = [
      await site.call('POST', path, { name: 'Desk', response }, account.cookies),
      await site.call('PUT', `${path}/%00`, { name: 'Desk' }, account.cookies),
      await site.call('DELETE', `${path}/%00`, {}, account.cookies),
      await site.post('reset-password', reset),
    ]
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400])
  })
})
