import { DAY_MS, HOUR_MS } from '@tocsin/protocol/durations'
import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Cookies, PASSWORD, type Site, startSite } from '../../../test/support/test-site.ts'
import { accounts, activities, mailTokens, sessions } from '../../db/schema/accounts.ts'
import { securityEvents } from '../../db/schema/security.ts'
import { suppressNews } from '../../mail/suppressions.ts'
import { countRecipients } from '../outreach/store.ts'
import { getAccount } from '../sessions/account-store.ts'
import { hashSecret } from '../sessions/secret.ts'
import { MAX_SESSIONS } from '../sessions/start-session.ts'

const TEN_MINUTES_MS = 600_000
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0'

let site: Site

beforeAll(async () => {
  site = await startSite()
})
afterAll(() => site?.stop())
beforeEach(() => {
  site.mails.length = 0
})

const put = (path: string, body: object, cookies: Cookies) => site.call('PUT', `/api/account/${path}`, body, cookies)
const readProfile = async (cookies: Cookies) => (await site.get('account', cookies)).body
const listSubjects = () => site.mails.map(({ to, subject }) => [to, subject])

async function createSignedInAccount() {
  const account = await site.createTestAccount()
  const cookies = await site.signInAs(account.email)
  site.mails.length = 0
  return { ...account, cookies }
}

describe('reauthentication', () => {
  const calls: [string, (cookies: Cookies) => ReturnType<Site['call']>][] = [
    ['changing the address', (cookies) => put('email', { email: 'late@example.com' }, cookies)],
    ['exporting the account', (cookies) => site.get('account/export', cookies)],
    [
      'account deletion',
      (cookies) => site.call('POST', '/api/account/delete', { confirmation: 'delete my account' }, cookies),
    ],
  ]

  test.each(calls)('is required for %s ten minutes after the sign-in', async (_what, call) => {
    const { id, cookies } = await createSignedInAccount()
    site.clock.advance(TEN_MINUTES_MS)
    expect(await call(cookies)).toMatchObject({ status: 403, body: { code: 'reauthentication_required' } })
    expect((await call({})).status).toBe(401)
    expect(await site.ctx.db.select().from(accounts).where(eq(accounts.id, id))).toHaveLength(1)
    expect(site.mails).toEqual([])
  })
})

test('profile: contains the account data and no secrets', async () => {
  expect((await site.get('account')).status).toBe(401)
  const { id, email, cookies } = await createSignedInAccount()
  expect(await readProfile(cookies)).toEqual({
    id,
    name: expect.stringMatching(/^Person/),
    email,
    emailVerified: true,
    pendingEmail: null,
    hasPassword: true,
    isAdmin: false,
    createdAt: site.clock.now().toISOString(),
    authenticatedAt: site.clock.now().toISOString(),
    identities: [],
    wallets: [],
  })
})

describe('name change', () => {
  test.each(['', '  ', 'a\nb', 'x'.repeat(101), '\u202eevil'])('rejects %j', async (name) => {
    const { cookies } = await createSignedInAccount()
    expect((await put('name', { name }, cookies)).status).toBe(400)
  })

  test('stores the trimmed name', async () => {
    const { cookies } = await createSignedInAccount()
    expect((await put('name', { name: ' Zoë ' }, cookies)).status).toBe(200)
    expect((await readProfile(cookies)).name).toBe('Zoë')
  })
})

describe('email change', () => {
  test('rejects malformed addresses, the current address and extra fields', async () => {
    const { email, cookies } = await createSignedInAccount()
    for (const body of [{ email: 'no address' }, { email }, { email: 'a@example.com', emailVerified: true }]) {
      expect((await put('email', body, cookies)).status).toBe(400)
    }
    expect(site.mails).toEqual([])
  })

  test('takes effect when its link is opened, and notifies the old address', async () => {
    const { id, email, cookies } = await createSignedInAccount()
    const oldReset = await site.requestResetToken(email)
    site.mails.length = 0
    await put('email', { email: ' New.Box@Example.com' }, cookies)
    expect(listSubjects()).toEqual([['new.box@example.com', 'Verify your new email address']])
    expect(await readProfile(cookies)).toMatchObject({ email, pendingEmail: 'new.box@example.com' })
    await site.signInAs(email)
    site.mails.length = 0
    await put('email', { email: 'newer@example.com' }, cookies)
    const { url, token } = site.lastLink()
    expect(url.pathname).toBe('/verify-email')
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => site.get(`auth/verify-email?token=${token}`, cookies)),
    )
    expect(answers.filter(({ body }) => body.success)).toHaveLength(1)
    expect(site.mails.at(-1)).toMatchObject({ to: email, subject: 'Your email address was changed' })
    expect(site.mails.at(-1)?.text).not.toContain('newer@')
    expect(await readProfile(cookies)).toMatchObject({ id, email: 'newer@example.com', pendingEmail: null })
    expect((await site.post('reset-password', { token: oldReset, newPassword: 'other-pass-1' })).status).toBe(400)
    expect((await site.post('login', { email, password: PASSWORD })).status).toBe(401)
    await site.signInAs('newer@example.com')
  })

  test('keeps the browser known: failed logins elsewhere do not block its login, and no new-device email is sent', async () => {
    const { email, cookies } = await createSignedInAccount()
    const newEmail = `next-${email}`
    await put('email', { email: newEmail }, cookies)
    const opened = await site.get(`auth/verify-email?token=${site.lastLink().token}`, cookies)
    expect(opened.body.success).toBe(true)
    const device = opened.cookies.find(({ name }) => name === 'tocsin-device')?.value ?? ''
    for (let tries = 0; tries < 20; tries++) await site.post('login', { email: newEmail, password: 'guess' })
    expect((await site.post('login', { email: newEmail, password: PASSWORD })).status).toBe(429)
    site.mails.length = 0
    const login = await site.post('login', { email: newEmail, password: PASSWORD }, { 'tocsin-device': device })
    expect(login.status).toBe(200)
    expect(listSubjects()).toEqual([])
  })

  test('keeps the reader unsubscribed from news', async () => {
    const { email, cookies } = await createSignedInAccount()
    const { db } = site.ctx
    const news = { via: 'mail', kind: 'news', segment: { kind: 'all' } } as const
    const countReaders = () => countRecipients(db, news, site.clock.now())
    const countBefore = await countReaders()
    await suppressNews(db, email, site.clock.now())
    await put('email', { email: `unsubscribed-${email}` }, cookies)
    expect((await site.get(`auth/verify-email?token=${site.lastLink().token}`, cookies)).body.success).toBe(true)
    expect(await countReaders()).toBe(countBefore - 1)
  })

  test('returns the same response for free and taken addresses, and notifies the owner of a taken address', async () => {
    const { email: takenEmail } = await site.createTestAccount()
    const { cookies } = await createSignedInAccount()
    const freeResponse = await put('email', { email: 'unused@example.com' }, cookies)
    const takenResponse = await put('email', { email: takenEmail }, cookies)
    expect([takenResponse.status, takenResponse.text]).toEqual([freeResponse.status, freeResponse.text])
    expect(await readProfile(cookies)).toMatchObject({ pendingEmail: takenEmail })
    expect(listSubjects()).toEqual([
      ['unused@example.com', 'Verify your new email address'],
      [takenEmail, 'This address already has an account'],
    ])
    expect(site.mails.at(-1)?.text).not.toContain('token=')
  })

  test('gives the address to the first account that confirms it, by a change or a sign-up', async () => {
    const { cookies } = await createSignedInAccount()
    const { cookies: otherCookies } = await createSignedInAccount()
    const openLink = async (token: string, as?: Cookies) =>
      (await site.get(`auth/verify-email?token=${token}`, as)).body
    const emails = ['wanted@example.com', 'wanted-too@example.com']
    for (const email of emails) {
      const { token: signUp } = await site.signUp(email, 'squatters-pass')
      await put('email', { email }, cookies)
      const changeToken = site.lastLink().token
      await put('email', { email }, otherCookies)
      const secondChange = site.lastLink().token
      if (email === emails[0]) {
        expect((await openLink(changeToken, cookies)).success).toBe(true)
        expect((await readProfile(cookies)).email).toBe(email)
        expect(await openLink(signUp)).toMatchObject({ success: false, expired: false })
        expect((await site.post('login', { email, password: 'squatters-pass' })).body.success).toBe(false)
      } else {
        expect((await openLink(signUp)).success).toBe(true)
        expect(await openLink(changeToken, cookies)).toMatchObject({ success: false, expired: false })
        expect((await readProfile(cookies)).email).toBe(emails[0])
      }
      expect(await openLink(secondChange, otherCookies)).toMatchObject({ success: false, expired: false })
    }
  })

  test('accepts its link only in a session of the requesting account', async () => {
    const { cookies } = await createSignedInAccount()
    const { email: strangersEmail, cookies: strangersCookies } = await createSignedInAccount()
    await put('email', { email: 'own-session@example.com' }, cookies)
    const { token } = site.lastLink()
    for (const as of [undefined, strangersCookies]) {
      const { status, body } = await site.get(`auth/verify-email?token=${token}`, as)
      expect([status, body]).toMatchObject([
        200,
        { success: false, expired: false, message: expect.stringContaining('Sign in to the account that asked') },
      ])
    }
    expect((await readProfile(strangersCookies)).email).toBe(strangersEmail)
    expect((await site.get(`auth/verify-email?token=${token}`, cookies)).body.success).toBe(true)
    expect((await readProfile(cookies)).email).toBe('own-session@example.com')
  })

  test('accepts its link once for 50 concurrent calls, and not for a password reset', async () => {
    const { id, email, cookies } = await createSignedInAccount()
    const wantedEmail = `fifty-${email}`
    await put('email', { email: wantedEmail }, cookies)
    const { token } = site.lastLink()
    const resetResponse = await site.post('reset-password', { token, newPassword: 'taken-over-1' })
    expect(resetResponse).toMatchObject({ status: 400, body: { code: 'token_invalid' } })
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => site.get(`auth/verify-email?token=${token}`, cookies)),
    )
    expect(answers.filter(({ body }) => body.success)).toHaveLength(1)
    expect(site.mails.filter(({ to }) => to === email)).toHaveLength(1)
    const kinds = await site.ctx.db.select().from(activities).where(eq(activities.accountId, id))
    expect(kinds.filter(({ kind }) => kind === 'email_changed')).toHaveLength(1)
  })

  test('rejects its link after an hour or a password reset', async () => {
    const { email, cookies } = await createSignedInAccount()
    await put('email', { email: 'thief@example.com' }, cookies)
    const { token } = site.lastLink()
    await site.post('reset-password', { token: await site.requestResetToken(email), newPassword: 'owners-pass' })
    expect((await site.get(`auth/verify-email?token=${token}`)).body.success).toBe(false)
    const newCookies = await site.signInAs(email, 'owners-pass')
    await put('email', { email: 'slow@example.com' }, newCookies)
    const lateToken = site.lastLink().token
    site.clock.advance(HOUR_MS)
    expect((await site.get(`auth/verify-email?token=${lateToken}`)).body).toMatchObject({
      success: false,
      expired: true,
    })
  })
})

describe('password change', () => {
  test('rejects a missing or wrong current password and a short or common new one', async () => {
    const { email, cookies } = await createSignedInAccount()
    const cases: [object, number][] = [
      [{ newPassword: 'a-new-password' }, 400],
      [{ currentPassword: 'wrong', newPassword: 'a-new-password' }, 401],
      [{ currentPassword: PASSWORD, newPassword: 'seven77' }, 400],
      [{ currentPassword: PASSWORD, newPassword: 'password1' }, 422],
    ]
    for (const [body, status] of cases) expect((await put('password', body, cookies)).status).toBe(status)
    expect(site.mails).toEqual([])
    await site.signInAs(email)
  })

  test('rejects further attempts with 429 after five wrong current passwords', async () => {
    const { cookies } = await createSignedInAccount()
    const stolenCookies = { tocsin: cookies.tocsin ?? '' }
    const guess = () => put('password', { currentPassword: 'guess', newPassword: 'a-new-password' }, stolenCookies)
    const answers = await Promise.all(Array.from({ length: 15 }, guess))
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5)
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.map(({ headers }) => Number(headers['retry-after']) > 0)).toEqual(Array(10).fill(true))
  })

  test('ends all other sessions and pending links, renews this session and emails the owner', async () => {
    const { email, id, cookies } = await createSignedInAccount()
    const otherCookies = await site.signInAs(email)
    const resetToken = await site.requestResetToken(email)
    const [row] = (await site.get('auth/sessions', otherCookies)).body
    const endedKeys: string[] = []
    const unsubscribe = site.ctx.notifications.on('session', (key) => endedKeys.push(key))
    const changeResponse = await put('password', { currentPassword: PASSWORD, newPassword: 'a-new-password' }, cookies)
    expect(changeResponse.status).toBe(200)
    await expect.poll(() => endedKeys).toEqual([row.id])
    unsubscribe()
    expect((await site.get('account', otherCookies)).status).toBe(401)
    expect((await site.get('account', cookies)).status).toBe(401)
    const renewedCookies = { tocsin: changeResponse.cookies.find(({ name }) => name === 'tocsin')?.value ?? '' }
    expect((await site.get('account', renewedCookies)).body.id).toBe(id)
    expect(site.mails.at(-1)).toMatchObject({ to: email, subject: 'Your password was changed' })
    expect((await site.post('reset-password', { token: resetToken, newPassword: 'thiefs-pass' })).status).toBe(400)
    await site.signInAs(email, 'a-new-password')
  })

  test('requires reauthentication and a verified address for the first password', async () => {
    const { id, email, cookies } = await createSignedInAccount()
    await site.ctx.db.update(accounts).set({ passwordHash: null }).where(eq(accounts.id, id))
    site.clock.advance(TEN_MINUTES_MS)
    const setPassword = () => put('password', { newPassword: 'my-first-password' }, cookies)
    expect(await setPassword()).toMatchObject({ status: 403, body: { code: 'reauthentication_required' } })
    await site.ctx.db.update(sessions).set({ authenticatedAt: site.clock.now() }).where(eq(sessions.accountId, id))
    await site.ctx.db.update(accounts).set({ email: null }).where(eq(accounts.id, id))
    expect(await setPassword()).toMatchObject({ status: 403, body: { code: 'email_not_verified' } })
    await site.ctx.db.update(accounts).set({ email }).where(eq(accounts.id, id))
    expect((await setPassword()).status).toBe(200)
    await site.signInAs(email, 'my-first-password')
  })

  test('does not count as a reauthentication when the account had no password', async () => {
    const { id, cookies } = await createSignedInAccount()
    await site.ctx.db.update(accounts).set({ passwordHash: null }).where(eq(accounts.id, id))
    const { authenticatedAt } = await readProfile(cookies)
    site.clock.advance(TEN_MINUTES_MS - 1)
    const change = { currentPassword: 'made up', newPassword: 'my-first-password' }
    const changeResponse = await put('password', change, cookies)
    expect(changeResponse.status).toBe(200)
    const renewedCookies = { tocsin: changeResponse.cookies.find(({ name }) => name === 'tocsin')?.value ?? '' }
    expect((await readProfile(renewedCookies)).authenticatedAt).toBe(authenticatedAt)
  })
})

describe('sessions', () => {
  test('can be listed and ended only by their account', async () => {
    const { email, cookies } = await createSignedInAccount()
    const { cookies: foreignCookies } = await createSignedInAccount()
    site.clock.advance(1000)
    const login = { email, password: PASSWORD, rememberMe: true }
    const second = await site.call('POST', '/api/auth/login', login, {}, { userAgent: FIREFOX })
    const otherCookies = { tocsin: second.cookies.find(({ name }) => name === 'tocsin')?.value ?? '' }
    const listSessions = async () => (await site.get('auth/sessions', cookies)).body
    expect(await listSessions()).toMatchObject([
      { isCurrent: true, device: 'Unknown device', method: 'password', place: null, remembered: false },
      { isCurrent: false, device: 'Firefox on Linux', remembered: true, createdAt: site.clock.now().toISOString() },
    ])
    const [ownSession, otherSession] = await listSessions()
    const endSession = (id: string, as: Cookies) => site.call('DELETE', `/api/auth/sessions/${id}`, undefined, as)
    for (const id of [otherSession.id, hashSecret(otherCookies.tocsin), 'x']) {
      expect(await endSession(id, foreignCookies)).toMatchObject({ status: 404, body: { code: 'not_found' } })
    }
    expect((await site.get('account', otherCookies)).status).toBe(200)
    expect((await endSession(otherSession.id, cookies)).status).toBe(200)
    expect((await endSession(otherSession.id, cookies)).status).toBe(404)
    expect((await site.get('account', otherCookies)).status).toBe(401)
    expect((await endSession(ownSession.id, cookies)).status).toBe(200)
    expect((await site.get('account', cookies)).status).toBe(401)
  })

  test('end when an account has more than 100, the least recently used first', async () => {
    const { email, cookies } = await createSignedInAccount()
    site.clock.advance(1000)
    const second = await site.signInAs(email)
    site.clock.advance(1000)
    for (let index = 2; index < MAX_SESSIONS; index++) await site.signInAs(email)
    expect((await site.get('account', cookies)).status).toBe(200)
    const newest = await site.signInAs(email)
    const statuses = await Promise.all(
      [cookies, second, newest].map(async (as) => (await site.get('account', as)).status),
    )
    expect(statuses).toEqual([401, 200, 200])
  })

  test('can all be ended except the current one, and are not listed once expired', async () => {
    const { email, cookies } = await createSignedInAccount()
    const otherSessions = [await site.signInAs(email), await site.signInAs(email), await site.signInAs(email)]
    site.clock.advance(6 * DAY_MS)
    await site.get('account', cookies)
    await site.get('account', otherSessions[0])
    site.clock.advance(DAY_MS)
    expect((await site.get('auth/sessions', cookies)).body).toHaveLength(2)
    await site.post('sessions/end-others', {}, cookies)
    expect((await site.get('auth/sessions', cookies)).body).toMatchObject([{ isCurrent: true }])
    for (const other of otherSessions) expect((await site.get('account', other)).status).toBe(401)
  })
})

describe('new device email', () => {
  test('names the device, and is not sent for the first sign-in or known browsers', async () => {
    const { email } = await site.createTestAccount()
    const agent = { userAgent: FIREFOX }
    const signIn = (cookies: Cookies) =>
      site.call('POST', '/api/auth/login', { email, password: PASSWORD }, cookies, agent)
    const getDevice = (answer: Awaited<ReturnType<typeof signIn>>) => ({
      'tocsin-device': answer.cookies.find(({ name }) => name === 'tocsin-device')?.value ?? '',
    })
    const knownDevice = getDevice(await signIn({}))
    expect(site.mails).toEqual([])
    const bob = await site.createTestAccount()
    const sharedLogin = await site.call(
      'POST',
      '/api/auth/login',
      { email: bob.email, password: PASSWORD },
      knownDevice,
    )
    await signIn(getDevice(sharedLogin))
    expect(site.mails).toEqual([])
    await signIn({ 'tocsin-device': `${knownDevice['tocsin-device']?.slice(0, 22)}.${'A'.repeat(43)}` })
    await signIn({})
    expect(listSubjects()).toEqual([
      [email, 'New sign-in to your account'],
      [email, 'New sign-in to your account'],
    ])
    expect(site.mails[0]?.text).toContain('Device: Firefox on Linux\nSigned in with: password\nTime: 20')
    expect(site.mails[0]?.text).toContain('http://localhost:3000/settings')
  })

  test('is not sent for a known browser when its sign-ins reach instances with swapped APP_SECRETs', async () => {
    const { email } = await site.createTestAccount()
    const { config } = site.ctx
    const [oldSecret, newSecret] = [config.appSecret, 'n'.repeat(64)]
    let cookies: Cookies = {}
    const signIn = async (appSecret: string, appSecretPrevious: string) => {
      Object.assign(config, { appSecret, appSecretPrevious })
      const answer = await site.post('login', { email, password: PASSWORD }, cookies)
      const device = answer.cookies.find(({ name }) => name === 'tocsin-device')?.value ?? ''
      cookies = { 'tocsin-device': device }
      return device.split('.')
    }
    const first = await signIn(oldSecret, newSecret)
    expect(await signIn(newSecret, oldSecret)).toHaveLength(2)
    expect(await signIn(oldSecret, newSecret)).toEqual(first)
    Object.assign(config, { appSecret: oldSecret, appSecretPrevious: null })
    expect(site.mails).toEqual([])
  })
})

test('emails: contain neither user input nor the user agent', async () => {
  const evilName = '<img src=x onerror=alert(1)>'
  const registration = { email: 'typed@example.com', password: PASSWORD, name: evilName }
  await site.post('register', registration)
  await site.get(`auth/verify-email?token=${site.lastLink().token}`)
  await site.signInAs(registration.email)
  const login = { email: registration.email, password: PASSWORD }
  const secondLogin = await site.call(
    'POST',
    '/api/auth/login',
    login,
    {},
    { userAgent: `Firefox/1 ${evilName} Linux` },
  )
  const cookies = { tocsin: secondLogin.cookies[0]?.value ?? '' }
  await site.requestResetToken(registration.email)
  await put('name', { name: evilName }, cookies)
  await put('email', { email: "o'evil&b@example.com" }, cookies)
  await put('password', { currentPassword: PASSWORD, newPassword: 'tern-ocelot-8' }, cookies)
  await site.post('register', registration)
  expect(new Set(site.mails.map(({ subject }) => subject)).size).toBeGreaterThanOrEqual(5)
  for (const { subject, text, html } of site.mails) {
    for (const part of [subject, text, html]) expect(part).not.toMatch(/onerror|<img|&lt;img|evil/)
  }
})

describe('account export', () => {
  test('contains the account, its sessions and its activity, and no secrets', async () => {
    const { id, email, cookies } = await createSignedInAccount()
    await site.requestResetToken(email)
    const { status, body, text } = await site.get('account/export', cookies)
    expect(status).toBe(200)
    expect(body).toMatchObject({ account: { id, email }, sessions: [{ isCurrent: true }], held: {} })
    expect(body.activity.map(({ kind }: { kind: string }) => kind)).toEqual(['signed_in', 'account_created'])
    expect(text).not.toMatch(/argon2|hash|token/i)
  })
})

describe('account deletion', () => {
  const deleteAccount = (cookies: Cookies, confirmation = 'delete my account') =>
    site.call('POST', '/api/account/delete', { confirmation }, cookies)

  test.each(['', 'Delete my account', 'delete my account ', 'yes'])('rejects the phrase %j', async (phrase) => {
    const { cookies } = await createSignedInAccount()
    expect((await deleteAccount(cookies, phrase)).status).toBe(400)
    expect((await site.get('account', cookies)).status).toBe(200)
  })

  test('rejects the last owner, even when two owners delete concurrently', async () => {
    const admins = [await site.createTestAccount(), await site.createTestAccount()]
    for (const { id } of admins) await site.ctx.db.update(accounts).set({ role: 'owner' }).where(eq(accounts.id, id))
    const cookies = await Promise.all(admins.map(({ email }) => site.signInAs(email)))
    const answers = await Promise.all(cookies.map((own) => deleteAccount(own)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe('last_admin')
    expect(await site.ctx.db.$count(accounts, eq(accounts.role, 'owner'))).toBe(1)
  })

  test('leaves an event in the security log', async () => {
    const { id, cookies } = await createSignedInAccount()
    const { securityId } = await getAccount(site.ctx.db, id)
    const { status, headers } = await deleteAccount(cookies)
    expect(status).toBe(200)
    const events = await site.ctx.db.select().from(securityEvents).where(eq(securityEvents.kind, 'account_deleted'))
    const expected = { category: 'access', at: site.clock.now(), detail: '', requestId: headers['x-request-id'] }
    expect(events.filter(({ accountRef }) => accountRef === securityId)).toMatchObject([expected])
  })

  test('deletes all personal data, ends the sessions and frees the address for a new sign-up', async () => {
    const { id, email, cookies } = await createSignedInAccount()
    const otherCookies = await site.signInAs(email)
    await site.requestResetToken(email)
    const sessionIds = (await site.get('auth/sessions', cookies)).body.map((session: { id: string }) => session.id)
    const endedKeys: string[] = []
    const unsubscribe = site.ctx.notifications.on('session', (key) => endedKeys.push(key))
    const answer = await deleteAccount(cookies)
    expect(answer.status).toBe(200)
    expect(answer.cookies).toEqual([])
    // Ignore other ids, because notifications of the previous test may arrive late.
    await expect.poll(() => endedKeys.filter((id) => sessionIds.includes(id)).sort()).toEqual([...sessionIds].sort())
    unsubscribe()
    for (const own of [cookies, otherCookies]) expect((await site.get('account', own)).status).toBe(401)
    expect(site.mails.at(-1)).toMatchObject({ to: email, subject: 'Your account was deleted' })
    for (const table of [activities, mailTokens, sessions])
      expect(await site.ctx.db.$count(table, eq(table.accountId, id))).toBe(0)
    const { rows } = await site.ctx.db.execute(sql`select 1 from accounts where email = ${email} or id = ${id}`)
    expect(rows).toEqual([])
    expect((await site.post('login', { email, password: PASSWORD })).status).toBe(401)
    site.clock.advance(HOUR_MS)
    await site.post('register', { email, password: 'another-life-1', name: 'Back Again' })
    await site.get(`auth/verify-email?token=${site.lastLink().token}`)
    await site.signInAs(email, 'another-life-1')
  })
})

test('account export: contains at most the newest 100,000 activities', async () => {
  const { id, cookies } = await createSignedInAccount()
  await site.ctx.db.execute(sql`
    insert into activities (account_id, kind, detail, at)
    select ${id}, 'alert_verified', n::text, ${site.clock.now().toISOString()}::timestamptz
    from generate_series(1, 100001) n`)
  const { activity } = (await site.get('account/export', cookies)).body
  expect(activity).toHaveLength(100_000)
  expect(activity[0]).toMatchObject({ detail: '100001' })
})
