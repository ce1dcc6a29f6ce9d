import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { accounts, mailTokens, sessions } from '../../db/schema.ts'
import { hashSecret } from './secret.ts'
import { comparable, DAY_MS, ORIGIN, PASSWORD, type Site, startSite } from './test-site.ts'

let site: Site

beforeAll(async () => {
  site = await startSite()
})
afterAll(() => site?.stop())
beforeEach(() => {
  site.mails.length = 0
})

const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort()

describe('sign-up', () => {
  const valid = { email: 'new@example.com', password: PASSWORD, name: 'New Person' }

  test.each([
    [{ ...valid, password: 'seven77' }, 400, 'Password must be at least 8 characters long'],
    [{ ...valid, password: 'password1' }, 422, 'This password is too common. Please choose another one.'],
    [{ ...valid, email: 'not an address' }, 400, 'Please enter a valid email address'],
    [{ ...valid, email: 'a@example.com\r\nBcc: b@example.com' }, 400, 'Please enter a valid email address'],
    [{ ...valid, name: 'a\nb' }, 400, 'Please enter a name of one line, at most 100 characters long'],
  ])('refused: %j', async (payload, status, message) => {
    expect(await site.post('register', payload)).toMatchObject({ status, body: { success: false, message } })
    expect(await site.ctx.db.select().from(accounts).where(eq(accounts.email, valid.email))).toEqual([])
    expect(site.mails).toEqual([])
  })

  test.each(['role', 'isAdmin', 'emailVerifiedAt', 'email_verified_at', 'passwordHash'])(
    'refused: a %s',
    async (key) => {
      expect((await site.post('register', { ...valid, [key]: true })).status).toBe(400)
    },
  )

  test('a known and an unknown address get the same bytes; the mails differ', async () => {
    const { email } = await site.person()
    const known = await site.post('register', { ...valid, email: email.toUpperCase() })
    const unknown = await site.post('register', { ...valid, email: 'unknown@example.com' })
    expect(comparable(known)).toEqual(comparable(unknown))
    expect(site.mails.map(({ to, subject }) => [to, subject])).toEqual([
      [email, 'You already have an account'],
      ['unknown@example.com', 'Verify your email address'],
    ])
    expect((await site.post('login', { email, password: valid.password })).body.success).toBe(true)
  })

  test('until the address is confirmed the newest sign-up counts, and its link alone', async () => {
    const email = 'victim@example.com'
    await site.post('register', { ...valid, email, password: 'attackers-pass' })
    const first = site.lastLink().token
    await site.post('register', { ...valid, email, password: 'victims-pass' })
    expect((await site.get(`auth/verify-email?token=${first}`)).body).toMatchObject({ success: false, expired: false })
    expect((await site.get(`auth/verify-email?token=${site.lastLink().token}`)).body.success).toBe(true)
    expect((await site.post('login', { email, password: 'attackers-pass' })).status).toBe(401)
    await site.signInAs(email, 'victims-pass')
  })

  test('20 at once make one account', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => site.post('register', { ...valid, email: 'many@example.com' })),
    )
    expect(new Set(statuses(answers))).toEqual(new Set([200]))
    expect(await site.ctx.db.select().from(accounts).where(eq(accounts.email, 'many@example.com'))).toHaveLength(1)
    expect(site.mails).toHaveLength(3)
  })

  test('the mailed link is of the configured site, whatever the request says, and confirms the address', async () => {
    const payload = { ...valid, email: ' Mixed.Case@Example.com ' }
    const headers = { origin: ORIGIN, host: 'evil.example', 'x-forwarded-host': 'evil.example' }
    await site.app.inject({ method: 'POST', url: '/api/auth/register', headers, payload, remoteAddress: '10.9.9.9' })
    const { url, token } = site.lastLink()
    expect(`${url.origin}${url.pathname}`).toBe(`${ORIGIN}/verify-email`)
    expect(await site.post('login', { email: 'mixed.case@example.com', password: PASSWORD })).toMatchObject({
      status: 200,
      body: { success: false, requiresVerification: true },
      cookies: [],
    })
    expect((await site.get(`auth/verify-email?token=${token}`)).body).toMatchObject({ success: true, expired: false })
    const cookies = await site.signInAs('MIXED.case@example.com')
    const activity = await site.get('activity', cookies)
    expect(activity.body.map(({ kind }: { kind: string }) => kind)).toEqual([
      'signed_in',
      'email_verified',
      'account_created',
    ])
  })
})

describe('confirming an address', () => {
  test.each(['', 'x', 'a'.repeat(43)])('refused: the token %j', async (token) => {
    expect((await site.get(`auth/verify-email?token=${token}`)).body).toMatchObject({ success: false, expired: false })
  })

  test('refused: a link of the other purpose, a second use, and one a day old', async () => {
    const { email } = await site.person(false)
    const reset = await site.linkFor('reset', email)
    expect((await site.get(`auth/verify-email?token=${reset}`)).body).toMatchObject({ success: false, expired: false })
    const old = await site.linkFor('verify', email)
    site.clock.advance(DAY_MS)
    expect((await site.get(`auth/verify-email?token=${old}`)).body).toMatchObject({ success: false, expired: true })
    const token = await site.linkFor('verify', email)
    expect((await site.get(`auth/verify-email?token=${old}`)).body).toMatchObject({ success: false, expired: false })
    expect((await site.get(`auth/verify-email?token=${token}`)).body.success).toBe(true)
    expect((await site.get(`auth/verify-email?token=${token}`)).body).toMatchObject({ success: false, expired: false })
  })

  test('of 50 at once one succeeds', async () => {
    const { email, id } = await site.person(false)
    const token = await site.linkFor('verify', email)
    const answers = await Promise.all(Array.from({ length: 50 }, () => site.get(`auth/verify-email?token=${token}`)))
    expect(answers.filter(({ body }) => body.success)).toHaveLength(1)
    const [row] = await site.ctx.db.select().from(mailTokens).where(eq(mailTokens.accountId, id))
    expect(row?.tokenHash).toBe(hashSecret(token))
    expect(JSON.stringify(row)).not.toContain(token)
  })

  test('a link to an address that the account no longer has is worth nothing', async () => {
    const { email, id } = await site.person(false)
    const token = await site.linkFor('verify', email)
    await site.ctx.db
      .update(accounts)
      .set({ email: `moved-${email}` })
      .where(eq(accounts.id, id))
    expect((await site.get(`auth/verify-email?token=${token}`)).body.success).toBe(false)
  })
})

describe('asking for a link', () => {
  test.each(['forgot-password', 'resend-verification'])('%s tells nothing of the address', async (path) => {
    const { email } = await site.person(path === 'forgot-password')
    const known = await site.post(path, { email })
    expect(site.mails).toHaveLength(1)
    const unknown = await site.post(path, { email: 'nobody@example.com' })
    expect(site.mails).toHaveLength(1)
    expect(comparable(known)).toEqual(comparable(unknown))
  })

  test('an address gets three mails an hour, and the answers do not change', async () => {
    const { email } = await site.person()
    const answers = await Promise.all(Array.from({ length: 30 }, () => site.post('forgot-password', { email })))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(site.mails).toHaveLength(3)
    site.clock.advance(3_600_000)
    await site.post('forgot-password', { email })
    expect(site.mails).toHaveLength(4)
  })

  test('a confirmed address is not asked to confirm again', async () => {
    const { email } = await site.person()
    await site.post('resend-verification', { email })
    expect(site.mails).toEqual([])
  })
})

describe('a new password', () => {
  const newPassword = 'kelp79'

  test('refused: wrong, swapped, superseded, expired and used links; short and common passwords', async () => {
    const { email } = await site.person(false)
    const verify = await site.linkFor('verify', email)
    const refusal = async (token: string, password = newPassword) => {
      const { status, body } = await site.post('reset-password', { token, newPassword: password })
      return [status, body.code, body.message]
    }
    const invalid = [422, 'token_invalid', 'This reset link is invalid or was already used.']
    expect(await refusal('nonsense')).toEqual(invalid)
    expect(await refusal(verify)).toEqual(invalid)
    const superseded = await site.linkFor('reset', email)
    const expiring = await site.linkFor('reset', email)
    expect(await refusal(superseded)).toEqual(invalid)
    expect(await refusal(expiring, 'five5')).toEqual([400, 'malformed', 'Password must be at least 6 characters long'])
    expect((await refusal(expiring, 'dragon'))[1]).toBe('password_common')
    site.clock.advance(3_600_000)
    const expired = await refusal(expiring)
    expect(expired[1]).toBe('token_expired')
    expect(expired[2]).toContain('expired')
    const token = await site.linkFor('reset', email)
    expect((await site.post('reset-password', { token, newPassword })).status).toBe(200)
    expect(await refusal(token)).toEqual(invalid)
  })

  test('of 50 at once one succeeds', async () => {
    const { email } = await site.person()
    const token = await site.linkFor('reset', email)
    const attempts = Array.from({ length: 50 }, (_, index) =>
      site.post('reset-password', { token, newPassword: `new-pass-${index}` }),
    )
    expect(statuses(await Promise.all(attempts)).filter((status) => status === 200)).toHaveLength(1)
  })

  test('it ends every session at once, confirms the address and says so by mail', async () => {
    const { email, id } = await site.person()
    const browsers = [await site.signInAs(email), await site.signInAs(email)]
    const rows = await site.ctx.db.select({ id: sessions.id }).from(sessions).where(eq(sessions.accountId, id))
    const ended: string[] = []
    const off = site.ctx.wake.on('session', (key) => ended.push(key))
    const token = await site.linkFor('reset', email)
    await site.post('reset-password', { token, newPassword })
    for (const cookies of browsers)
      expect((await site.get('auth/user', cookies)).body).toEqual({ success: false, user: null })
    await expect.poll(() => [...ended].sort()).toEqual(rows.map((row) => row.id).sort())
    off()
    expect(site.mails.at(-1)).toMatchObject({ to: email, subject: 'Your password was changed' })
    expect((await site.post('login', { email, password: PASSWORD })).status).toBe(401)
    await site.signInAs(email, newPassword)
  })
})
