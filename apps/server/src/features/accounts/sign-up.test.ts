import { DAY_MS, HOUR_MS } from '@tocsin/protocol/durations'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ORIGIN, PASSWORD, pickComparable, type Site, startSite } from '../../../test/support/test-site.ts'
import { accounts, mailTokens, pendingSignUps } from '../../db/schema/accounts.ts'
import { createSecret, hashSecret } from '../sessions/secret.ts'
import { deleteExpiredAccountData } from './service.ts'

let site: Site
let addressCount = 0
let networkCount = 0

beforeAll(async () => {
  site = await startSite()
})
afterAll(() => site?.stop())
beforeEach(() => {
  site.mails.length = 0
  networkCount += 1
  OWNER.ip = `192.0.2.${networkCount}`
  STRANGER.ip = `198.51.100.${networkCount}`
})

/** Networks that other tests do not use. */
const OWNER = { ip: '' }
const STRANGER = { ip: '' }
const OWNERS_PASSWORD = 'owners-own-pass'
const STRANGERS_PASSWORD = 'strangers-pass'

const createAddress = () => {
  addressCount += 1
  return `address${addressCount}@example.com`
}
const verifyToken = async (token: string) => (await site.get(`auth/verify-email?token=${token}`)).body
const logIn = (email: string, password: string) => site.post('login', { email, password })
const listAccountsWith = (email: string) => site.ctx.db.select().from(accounts).where(eq(accounts.email, email))
const listTokensTo = (to: string) =>
  site.mails.filter((mail) => mail.to === to).flatMap(({ text }) => text.match(/(?<=token=)\S+/)?.[0] ?? [])
const PENDING_RESPONSE = { status: 200, body: { success: false, requiresVerification: true }, cookies: [] }

describe('sign-up', () => {
  const validSignUp = { email: 'new@example.com', password: PASSWORD, name: 'New Person' }

  test.each([
    [{ ...validSignUp, password: 'seven77' }, 400, 'Password must be at least 8 characters long'],
    [{ ...validSignUp, password: 'password1' }, 422, 'This password is too common. Please choose another one.'],
    [{ ...validSignUp, email: 'not an address' }, 400, 'Please enter a valid email address'],
    [{ ...validSignUp, email: 'a@example.com\r\nBcc: b@example.com' }, 400, 'Please enter a valid email address'],
    [{ ...validSignUp, name: 'a\nb' }, 400, 'Please enter a name of one line, at most 100 characters long'],
  ])('is rejected: %j', async (payload, status, message) => {
    expect(await site.post('register', payload)).toMatchObject({ status, body: { success: false, message } })
    expect(await site.ctx.db.select().from(pendingSignUps)).toEqual([])
    expect(site.mails).toEqual([])
  })

  test.each(['role', 'isAdmin', 'emailVerifiedAt', 'email_verified_at', 'passwordHash'])(
    'is rejected with the extra field %s',
    async (key) => {
      expect((await site.post('register', { ...validSignUp, [key]: true })).status).toBe(400)
    },
  )

  test('creates an account only when its link is opened, and the link uses the configured origin', async () => {
    const payload = { ...validSignUp, email: ' Mixed.Case@Example.com ' }
    const headers = { origin: ORIGIN, host: 'evil.example', 'x-forwarded-host': 'evil.example' }
    await site.app.inject({ method: 'POST', url: '/api/auth/register', headers, payload, remoteAddress: '10.9.9.9' })
    const { url, token } = site.lastLink()
    expect(`${url.origin}${url.pathname}`).toBe(`${ORIGIN}/verify-email`)
    expect(await listAccountsWith('mixed.case@example.com')).toEqual([])
    const [storedSignUp] = await site.ctx.db.select().from(pendingSignUps)
    expect(storedSignUp?.tokenHash).toBe(hashSecret(token))
    expect(JSON.stringify(storedSignUp)).not.toContain(token)
    expect(await logIn('mixed.case@example.com', PASSWORD)).toMatchObject(PENDING_RESPONSE)
    expect((await logIn('mixed.case@example.com', 'wrong')).status).toBe(401)
    expect(await verifyToken(token)).toMatchObject({ success: true, expired: false })
    const cookies = await site.signInAs('MIXED.case@example.com')
    const { body } = await site.get('activity', cookies)
    const kinds = body.map(({ kind }: { kind: string }) => kind)
    expect(kinds).toEqual(['signed_in', 'signed_in', 'email_verified', 'account_created'])
  })
})

describe('the verification link of a sign-up', () => {
  /** Opens the link with the given headers and cookies, as the page does in a browser. */
  const openLink = (token: string, { from = '', cookies = {}, ip = OWNER.ip } = {}) =>
    site.app.inject({
      url: `/api/auth/verify-email?token=${token}`,
      remoteAddress: ip,
      cookies,
      headers: from === '' ? {} : { 'sec-fetch-site': from },
    })

  test.each(['cross-site', 'same-site', 'none'])('does not sign in when the request is %s', async (from) => {
    const { token } = await site.signUp(createAddress(), OWNERS_PASSWORD, OWNER)
    const opened = await openLink(token, { from })
    expect(opened.json()).toEqual({ success: true, expired: false, message: expect.stringContaining('sign in now') })
    expect(opened.cookies).toEqual([])
  })

  test('does not replace the session of a signed-in account', async () => {
    const cookies = await site.signInAs((await site.createTestAccount()).email)
    const { token } = await site.signUp(createAddress(), OWNERS_PASSWORD, OWNER)
    const opened = await openLink(token, { from: 'same-origin', cookies })
    expect(opened.json()).not.toHaveProperty('user')
    expect(opened.cookies).toEqual([])
    expect((await site.get('auth/user', cookies)).body).toMatchObject({ success: true })
  })

  test('signs in once, even when it is opened ten times concurrently, and is rejected afterwards', async () => {
    const email = createAddress()
    const { token } = await site.signUp(email, OWNERS_PASSWORD, OWNER)
    const opened = await Promise.all(Array.from({ length: 10 }, () => openLink(token, { from: 'same-origin' })))
    const signedIn = opened.filter((answer) => answer.json().user)
    expect(signedIn).toHaveLength(1)
    expect(opened.filter(({ cookies }) => cookies.length > 0)).toEqual(signedIn)
    expect(signedIn[0]?.json()).toMatchObject({ success: true, user: { email, isAdmin: false } })
    const cookies = Object.fromEntries(signedIn[0]?.cookies.map(({ name, value }) => [name, value]) ?? [])
    expect((await site.get('auth/user', cookies)).body).toMatchObject({ success: true, user: { email } })
    const secondResponse = await openLink(token, { from: 'same-origin' })
    expect(secondResponse.json()).toMatchObject({ success: false, message: expect.stringContaining('already used') })
    expect(secondResponse.cookies).toEqual([])
  })

  test('signs in on another network too, and says how to replace a password that someone else has set', async () => {
    const { token } = await site.signUp(createAddress(), STRANGERS_PASSWORD, STRANGER)
    const { user, message } = (await openLink(token, { from: 'same-origin' })).json()
    expect(user).toBeDefined()
    expect(message).toContain('If you did not choose the password')
  })
})

describe('an attacker who signs up with someone else’s address', () => {
  test.each(['before', 'after', 'before and after'] as const)(
    'gains no access when signing up %s the owner: each link sets its own password, and the first opened link wins',
    async (when) => {
      const email = createAddress()
      const signUpAsStranger = async () => {
        for (let time = 0; time < 3; time++) await site.signUp(email, `${STRANGERS_PASSWORD}-${time}`, STRANGER)
      }
      if (when !== 'after') await signUpAsStranger()
      const ownSignUp = await site.signUp(email, OWNERS_PASSWORD, OWNER)
      expect(ownSignUp.status).toBe(200)
      if (when !== 'before') {
        if (when === 'before and after') site.clock.advance(HOUR_MS)
        await signUpAsStranger()
      }
      const foreignTokens = listTokensTo(email).filter((token) => token !== ownSignUp.token)
      expect(foreignTokens).toHaveLength(when === 'before and after' ? 6 : 3)
      expect(await verifyToken(ownSignUp.token)).toMatchObject({ success: true })
      for (const token of foreignTokens) {
        expect(await verifyToken(token)).toMatchObject({
          success: false,
          expired: false,
          message: expect.stringContaining('already has an account'),
        })
      }
      for (const time of [0, 1, 2])
        expect(await logIn(email, `${STRANGERS_PASSWORD}-${time}`)).toMatchObject(PENDING_RESPONSE)
      await site.signInAs(email, OWNERS_PASSWORD)
      expect(await listAccountsWith(email)).toHaveLength(1)
    },
  )

  test('is revealed by the later email, which shows the time and device of each sign-up', async () => {
    const email = createAddress()
    await site.signUp(email, STRANGERS_PASSWORD, STRANGER)
    expect(site.mails.at(-1)?.text).not.toContain('another pending sign-up')
    await site.signUp(email, OWNERS_PASSWORD, OWNER)
    const { text } = site.mails.at(-1) ?? { text: '' }
    expect(text).toContain('another pending sign-up')
    expect(text).toContain('Device: Unknown device')
    expect(text).toContain(`Time: ${site.clock.now().toISOString().slice(0, 16).replace('T', ' ')} UTC`)
  })

  test('cannot use up the owner’s email quota or invalidate the owner’s link', async () => {
    const email = createAddress()
    const { token } = await site.signUp(email, OWNERS_PASSWORD, OWNER)
    const resend = (from: object) => site.call('POST', '/api/auth/resend-verification', { email }, {}, from)
    for (let time = 0; time < 3; time++) expect((await resend(STRANGER)).status).toBe(200)
    expect(await resend(STRANGER)).toMatchObject({ status: 429 })
    const signUpsBefore = await site.ctx.db.select().from(pendingSignUps).where(eq(pendingSignUps.email, email))
    expect(signUpsBefore.map(({ tokenHash }) => tokenHash)).toContain(hashSecret(token))
    expect((await resend(OWNER)).status).toBe(200)
    const newestToken = site.lastLink().token
    // The owner's request replaces the owner's previous links.
    for (const formerToken of listTokensTo(email))
      if (formerToken !== newestToken) expect((await verifyToken(formerToken)).success).toBe(false)
    expect(await verifyToken(newestToken)).toMatchObject({ success: true })
    await site.signInAs(email, OWNERS_PASSWORD)
  })
})

test('resend-verification: extends a pending sign-up only when requested from the network of the sign-up', async () => {
  const [prolongedEmail, foreignEmail] = [createAddress(), createAddress()]
  for (const email of [prolongedEmail, foreignEmail]) await site.signUp(email, OWNERS_PASSWORD, OWNER)
  site.clock.advance(DAY_MS - 60_000)
  for (const [email, from] of [
    [prolongedEmail, OWNER],
    [foreignEmail, STRANGER],
  ] as const) {
    const { status } = await site.call('POST', '/api/auth/resend-verification', { email }, {}, from)
    expect(status).toBe(200)
  }
  site.clock.advance(60_000)
  expect(await verifyToken(listTokensTo(foreignEmail).at(-1) ?? '')).toMatchObject({ success: false, expired: true })
  expect((await logIn(foreignEmail, OWNERS_PASSWORD)).status).toBe(401)
  expect(await verifyToken(listTokensTo(prolongedEmail).at(-1) ?? '')).toMatchObject({ success: true })
})

test.each([
  ['from another network', '192.0.2.99'],
  ['from a network that a stranger shares', OWNER.ip],
])('resend-verification: never emails the link of a stranger’s later sign-up when requested %s', async (_name, ip) => {
  const email = createAddress()
  const { token } = await site.signUp(email, OWNERS_PASSWORD, OWNER)
  await site.signUp(email, STRANGERS_PASSWORD, ip === OWNER.ip ? OWNER : STRANGER)
  site.mails.length = 0
  expect((await site.call('POST', '/api/auth/resend-verification', { email }, {}, { ip })).status).toBe(200)
  expect(site.mails.map(({ to, subject }) => [to, subject])).toEqual([[email, 'Sign up again to get a new link']])
  expect(site.mails[0]?.text).not.toContain('token=')
  expect(await verifyToken(token)).toMatchObject({ success: true })
  await site.signInAs(email, OWNERS_PASSWORD)
})

test.each([
  ['on another network', STRANGER],
  ['on a network that both share', OWNER],
])('resend-verification: emails no link of a stranger %s after the owner’s link expired', async (_name, stranger) => {
  const email = createAddress()
  await site.signUp(email, OWNERS_PASSWORD, OWNER)
  site.clock.advance(DAY_MS / 2)
  await site.signUp(email, STRANGERS_PASSWORD, stranger)
  site.clock.advance(DAY_MS / 2 + 60_000)
  site.mails.length = 0
  expect((await site.call('POST', '/api/auth/resend-verification', { email }, {}, OWNER)).status).toBe(200)
  expect(site.mails.map(({ subject }) => subject)).toEqual(['Sign up again to get a new link'])
})

describe('an exhausted email quota', () => {
  test('rejects a sign-up with the time to wait, and stores nothing', async () => {
    const email = createAddress()
    const attempts = Array.from({ length: 12 }, (_, index) =>
      site.signUp(email, `${OWNERS_PASSWORD}-${index}`, { ip: `2001:db8:0:9::${index}` }),
    )
    const answers = await Promise.all(attempts)
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(9)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(site.mails).toHaveLength(3)
    expect(refused[0]?.body).toMatchObject({
      code: 'too_many_requests',
      message: 'Too many emails were requested. Nothing was sent. Try again in 60 minutes.',
    })
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0)
    expect(await site.ctx.db.select().from(pendingSignUps).where(eq(pendingSignUps.email, email))).toHaveLength(3)
    site.clock.advance(HOUR_MS)
    expect((await site.signUp(email, OWNERS_PASSWORD, { ip: '2001:db8:0:9:1::' })).status).toBe(200)
  })

  test.each(['register', 'resend-verification', 'forgot-password'])(
    'refuses more emails by %s after 40 an hour to one address, whether or not it has an account',
    async (path) => {
      const { email: knownEmail } = await site.createTestAccount()
      const responsesByEmail = new Map<string, string[]>()
      for (const email of [knownEmail, createAddress()]) {
        const ask = (network: number) => {
          const body = { email, ...(path === 'register' ? { password: PASSWORD, name: 'New' } : {}) }
          return site.call('POST', `/api/auth/${path}`, body, {}, { ip: `203.0.113.${network}` })
        }
        // Send 11 at a time: on a busy machine, 44 concurrent requests would wait too long for a
        // database connection.
        const answers: Awaited<ReturnType<typeof ask>>[] = []
        while (answers.length < 44) {
          answers.push(...(await Promise.all(Array.from({ length: 11 }, (_, index) => ask(answers.length + index)))))
        }
        responsesByEmail.set(email, answers.map((answer) => JSON.stringify(pickComparable(answer))).sort())
      }
      const [ofKnown, ofUnknown] = [...responsesByEmail.values()]
      expect(ofKnown).toEqual(ofUnknown)
      expect(ofKnown?.filter((answer) => answer.includes('"status":429'))).toHaveLength(4)
      expect(site.mails.length).toBeLessThanOrEqual(80)
      site.clock.advance(HOUR_MS)
    },
  )
})

describe('strangers in 12 networks who use up their quotas', () => {
  const exhaustQuota = async (path: string, email: string, more: object = {}) => {
    for (let time = 0; time < 3; time++) {
      const ask = (network: number) =>
        site.call('POST', `/api/auth/${path}`, { email, ...more }, {}, { ip: `198.18.0.${network}` })
      await Promise.all(Array.from({ length: 12 }, (_, network) => ask(network)))
    }
  }

  test('do not block the owner’s first sign-up', async () => {
    const email = createAddress()
    await exhaustQuota('register', email, { password: STRANGERS_PASSWORD, name: 'Stranger' })
    const { status, token } = await site.signUp(email, OWNERS_PASSWORD, OWNER)
    expect(status).toBe(200)
    expect(await verifyToken(token)).toMatchObject({ success: true })
    await site.signInAs(email, OWNERS_PASSWORD)
  })

  test('do not block three password reset emails that the owner requests from a known browser', async () => {
    const { email } = await site.createTestAccount()
    const device = (await site.signInAs(email))['tocsin-device'] ?? ''
    await exhaustQuota('forgot-password', email)
    const ask = async (cookies: object, ip: string) =>
      (await site.call('POST', '/api/auth/forgot-password', { email }, { ...cookies }, { ip })).status
    expect(await ask({}, '192.0.2.77')).toBe(200)
    const statuses = []
    for (let time = 0; time < 4; time++) statuses.push(await ask({ 'tocsin-device': device }, '198.18.0.1'))
    expect(statuses).toEqual([200, 200, 200, 429])
  })
})

describe('logging in after a sign-up', () => {
  /**
   * Returns the responses that an attacker gets by signing up with the address, and by logging in
   * before and after.
   */
  async function probeEmail(email: string): Promise<string[]> {
    const seenResponses: string[] = []
    const noteResponse = async (answer: ReturnType<Site['call']>) =>
      seenResponses.push(JSON.stringify(pickComparable(await answer)))
    await noteResponse(logIn(email, STRANGERS_PASSWORD))
    await noteResponse(site.post('register', { email, password: STRANGERS_PASSWORD, name: 'Stranger' }))
    await noteResponse(logIn(email, STRANGERS_PASSWORD))
    await noteResponse(logIn(email, 'another-password'))
    await noteResponse(site.post('resend-verification', { email }))
    await noteResponse(logIn(email, STRANGERS_PASSWORD))
    return seenResponses
  }

  test('does not reveal whether the address has an account, before or after the owner verifies it', async () => {
    const [knownEmail, unknownEmail, waitingEmail] = [
      (await site.createTestAccount()).email,
      createAddress(),
      createAddress(),
    ]
    const { token } = await site.signUp(waitingEmail, OWNERS_PASSWORD, OWNER)
    const seen = [await probeEmail(knownEmail), await probeEmail(unknownEmail), await probeEmail(waitingEmail)]
    expect(new Set(seen.map((answers) => answers.join())).size).toBe(1)
    expect(seen[0]?.[2]).toContain('requiresVerification\\":true')
    expect(await verifyToken(token)).toMatchObject({ success: true })
    const logInToAll = async () =>
      Promise.all(
        [knownEmail, unknownEmail, waitingEmail].map(async (email) =>
          pickComparable(await logIn(email, STRANGERS_PASSWORD)),
        ),
      )
    for (const [passMs, expectedText] of [
      [23 * HOUR_MS, 'requiresVerification'],
      [HOUR_MS, 'invalid_credentials'],
    ] as const) {
      site.clock.advance(passMs)
      const answers = await logInToAll()
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
      expect(answers[0]?.text).toContain(expectedText)
    }
  })

  test('does not reveal an account after a request for another link that compares an expired sign-up', async () => {
    const emails = [(await site.createTestAccount()).email, createAddress()]
    const [firstPassword, secondPassword] = [`${STRANGERS_PASSWORD}-1`, `${STRANGERS_PASSWORD}-2`]
    for (const email of emails) await site.signUp(email, firstPassword, STRANGER)
    site.clock.advance(26 * HOUR_MS)
    await deleteExpiredAccountData(site.ctx)
    for (const email of emails) await site.signUp(email, secondPassword, STRANGER)
    site.clock.advance(4 * HOUR_MS)
    for (const email of emails) {
      const resent = await site.call('POST', '/api/auth/resend-verification', { email }, {}, STRANGER)
      expect(resent.status).toBe(200)
    }
    site.clock.advance(22 * HOUR_MS)
    const codes = await Promise.all(emails.map(async (email) => (await logIn(email, secondPassword)).body.code))
    expect(codes).toEqual(['invalid_credentials', 'invalid_credentials'])
  })

  test('does not reveal that an account was deleted', async () => {
    const { email } = await site.createTestAccount()
    const register = (from: { ip: string }, password: string) => site.signUp(email, password, from)
    await register(STRANGER, STRANGERS_PASSWORD)
    expect(await logIn(email, STRANGERS_PASSWORD)).toMatchObject(PENDING_RESPONSE)
    const cookies = await site.signInAs(email)
    const confirmation = 'delete my account'
    expect((await site.call('POST', '/api/account/delete', { confirmation }, cookies)).status).toBe(200)
    expect(await logIn(email, STRANGERS_PASSWORD)).toMatchObject(PENDING_RESPONSE)
    const { token } = await register(OWNER, OWNERS_PASSWORD)
    const resend = { email }
    await site.call('POST', '/api/auth/resend-verification', resend, {}, STRANGER)
    expect(listTokensTo(email)).toEqual([token])
    site.clock.advance(DAY_MS)
    expect((await logIn(email, STRANGERS_PASSWORD)).status).toBe(401)
  })

  test('does not count towards the attempt limit when the password of the pending sign-up is used', async () => {
    const email = createAddress()
    await site.signUp(email)
    for (let time = 0; time < 8; time++) expect(await logIn(email, PASSWORD)).toMatchObject(PENDING_RESPONSE)
  })
})

describe('verification link', () => {
  test.each(['token=', 'token=x', `token=${'a'.repeat(43)}`])(
    'is rejected when its token is missing, malformed or unknown: %s',
    async (query) => {
      const { status, body } = await site.get(`auth/verify-email?${query}`)
      expect([status, body]).toMatchObject([200, { success: false, expired: false }])
    },
  )

  test('is rejected when issued for another purpose, used before or a day old, and is deleted later', async () => {
    const { email: knownEmail } = await site.createTestAccount()
    expect(await verifyToken(await site.requestResetToken(knownEmail))).toMatchObject({
      success: false,
      expired: false,
    })
    const email = createAddress()
    const { token: oldToken } = await site.signUp(email)
    site.clock.advance(DAY_MS)
    expect(await verifyToken(oldToken)).toMatchObject({ success: false, expired: true })
    const { token } = await site.signUp(email)
    expect(await verifyToken(token)).toMatchObject({ success: true })
    expect(await verifyToken(token)).toMatchObject({ success: false, expired: false })
    site.clock.advance(8 * DAY_MS)
    await deleteExpiredAccountData(site.ctx)
    expect(await site.ctx.db.select().from(pendingSignUps)).toEqual([])
  })

  test('succeeds only once when the links of four sign-ups with one address are opened 50 times concurrently', async () => {
    const email = createAddress()
    const tokens: string[] = []
    for (const [index, from] of [OWNER, STRANGER, OWNER, STRANGER].entries()) {
      tokens.push((await site.signUp(email, `${PASSWORD}-${index}`, from)).token)
    }
    const calls = Array.from({ length: 50 }, (_, index) => verifyToken(tokens[index % 4] ?? ''))
    const successes = (await Promise.all(calls)).flatMap(({ success }, index) => (success ? [index % 4] : []))
    expect(successes).toHaveLength(1)
    for (const index of [0, 1, 2, 3]) {
      const { body } = await logIn(email, `${PASSWORD}-${index}`)
      expect(body.success).toBe(index === successes[0])
    }
    expect(await listAccountsWith(email)).toHaveLength(1)
  })
})

describe('an unverified account of an earlier version', () => {
  test('loses its password when the address is verified', async () => {
    const { email, id } = await site.createTestAccount(false)
    expect(await logIn(email, PASSWORD)).toMatchObject(PENDING_RESPONSE)
    const token = createSecret()
    const [createdAt, expiresAt] = [site.clock.now(), new Date(site.clock.now().getTime() + DAY_MS)]
    const row = { tokenHash: hashSecret(token), accountId: id, purpose: 'verify-email', email, createdAt, expiresAt }
    await site.ctx.db.insert(mailTokens).values({ ...row, purpose: 'verify-email' as const })
    expect(await verifyToken(token)).toMatchObject({
      success: true,
      message: expect.stringContaining('Forgot password'),
    })
    expect((await logIn(email, PASSWORD)).status).toBe(401)
    await site.post('reset-password', { token: await site.requestResetToken(email), newPassword: OWNERS_PASSWORD })
    await site.signInAs(email, OWNERS_PASSWORD)
  })

  test('gets a reset link when a new verification link is requested', async () => {
    const { email } = await site.createTestAccount(false)
    await site.post('resend-verification', { email })
    expect(site.mails.map(({ subject }) => subject)).toEqual(['Reset your password'])
    const { token } = site.lastLink()
    expect((await site.post('reset-password', { token, newPassword: OWNERS_PASSWORD })).status).toBe(200)
    await site.signInAs(email, OWNERS_PASSWORD)
  })

  test('is replaced by a confirmed sign-up', async () => {
    const { email, id } = await site.createTestAccount(false)
    const { token } = await site.signUp(email, OWNERS_PASSWORD)
    expect(await verifyToken(token)).toMatchObject({ success: true })
    expect((await listAccountsWith(email)).map((account) => account.id)).not.toContain(id)
    await site.signInAs(email, OWNERS_PASSWORD)
  })
})
