import { HOUR_MS } from '@tocsin/protocol/durations'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { PASSWORD, pickComparable, type Site, startSite } from '../../../test/support/test-site.ts'
import { sessions } from '../../db/schema/accounts.ts'

let site: Site

beforeAll(async () => {
  site = await startSite()
})
afterAll(() => site?.stop())
beforeEach(() => {
  site.mails.length = 0
})

const listStatuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort()

describe('link request', () => {
  test.each([
    ['forgot-password', 1],
    ['resend-verification', 0],
  ])('%s: returns the same response whether or not the address has an account', async (path, mailCount) => {
    const { email } = await site.createTestAccount()
    const knownResponse = await site.post(path, { email })
    expect(site.mails).toHaveLength(mailCount)
    const unknownResponse = await site.post(path, { email: 'unknown@example.com' })
    expect(site.mails).toHaveLength(mailCount)
    expect(pickComparable(knownResponse)).toEqual(pickComparable(unknownResponse))
  })
})

/** Malformed tokens in every form that a client may send. */
const MALFORMED_TOKENS = ['', 'x', 'a'.repeat(43), 'a'.repeat(5_000), '\0', undefined, null, 7, {}, []]

describe('link token', () => {
  test.each(MALFORMED_TOKENS)(
    'is rejected by a password reset with 400 and an explanation when it is malformed: %j',
    async (token) => {
      const answer = await site.post('reset-password', { token, newPassword: 'kelp79' })
      expect(answer).toMatchObject({
        status: 400,
        body: { success: false, expired: false, message: 'This reset link is invalid or was already used.' },
      })
      expect(await site.post('reset-password/check', { token })).toMatchObject({
        status: 200,
        body: {
          success: false,
          expired: false,
          waysIn: { wallets: [], identities: [], destinations: [], factors: [] },
        },
      })
    },
  )

  test.each(['', '?token=', '?token=x', '?token=a&token=b', `?token=${'a'.repeat(1_000)}`])(
    'gets 200 and an explanation from verify-email when it is malformed: %j',
    async (query) => {
      expect(await site.get(`auth/verify-email${query}`)).toMatchObject({
        status: 200,
        body: {
          success: false,
          expired: false,
          message: expect.stringContaining('invalid, was already used, or has expired'),
        },
      })
    },
  )

  test('can be checked without being consumed, and the check fails when it was used or has expired', async () => {
    const { email } = await site.createTestAccount()
    const checkToken = async (token: string) => (await site.post('reset-password/check', { token })).body
    const token = await site.requestResetToken(email)
    for (let time = 0; time < 3; time++) {
      expect(await checkToken(token)).toEqual({
        success: true,
        expired: false,
        message: 'Choose a new password.',
        minLength: 6,
        waysIn: { wallets: [], identities: [], destinations: [], factors: [] },
      })
    }
    const resetPassword = (resetToken: string) =>
      site.post('reset-password', { token: resetToken, newPassword: 'kelp79' })
    expect(await resetPassword(token)).toMatchObject({ status: 200, body: { success: true } })
    expect(await checkToken(token)).toMatchObject({ success: false, expired: false })
    const oldToken = await site.requestResetToken(email)
    site.clock.advance(HOUR_MS)
    const expired = { success: false, expired: true, message: expect.stringContaining('expired') }
    expect(await checkToken(oldToken)).toMatchObject(expired)
    expect(await resetPassword(oldToken)).toMatchObject({ status: 400, body: expired })
  })
})

describe('expired verification link', () => {
  test('of a sign-up: asks the user to sign up again, and login works only after the second sign-up', async () => {
    const email = 'late@example.com'
    const { token } = await site.signUp(email)
    site.clock.advance(24 * HOUR_MS)
    expect((await site.get(`auth/verify-email?token=${token}`)).body).toEqual({
      success: false,
      expired: true,
      signUpAgain: true,
      message: 'This verification link and your sign-up have expired. Please sign up again.',
    })
    expect((await site.post('login', { email, password: PASSWORD })).status).toBe(401)
    const secondSignUp = await site.signUp(email)
    expect((await site.get(`auth/verify-email?token=${secondSignUp.token}`)).body).toMatchObject({ success: true })
    expect((await site.post('login', { email, password: PASSWORD })).body).toMatchObject({ success: true })
  })

  test('of a change of address: refers the user to Settings', async () => {
    const { email } = await site.createTestAccount()
    const cookies = await site.signInAs(email)
    const response = await site.call('PUT', '/api/account/email', { email: `new-${email}` }, cookies)
    expect(response.status).toBe(200)
    const { token } = site.lastLink()
    site.clock.advance(24 * HOUR_MS)
    const { body } = await site.get(`auth/verify-email?token=${token}`)
    expect(body).toEqual({ success: false, expired: true, message: expect.stringContaining('under Settings') })
  })
})

describe('password reset', () => {
  const newPassword = 'kelp79'

  test('rejects wrong, expired and used links, links for another purpose, and short and common passwords', async () => {
    const { email } = await site.createTestAccount()
    const { token: verificationToken } = await site.signUp('not-confirmed@example.com')
    const getRefusal = async (token: string, password = newPassword) => {
      const { status, body } = await site.post('reset-password', { token, newPassword: password })
      return [status, body.code, body.message]
    }
    const invalidRefusal = [400, 'token_invalid', 'This reset link is invalid or was already used.']
    expect(await getRefusal('nonsense')).toEqual(invalidRefusal)
    expect(await getRefusal(verificationToken)).toEqual(invalidRefusal)
    const expiringToken = await site.requestResetToken(email)
    expect(await getRefusal(expiringToken, 'five5')).toEqual([
      400,
      'malformed',
      'Password must be at least 6 characters long',
    ])
    expect((await getRefusal(expiringToken, 'dragon'))[1]).toBe('password_common')
    site.clock.advance(HOUR_MS)
    const expired = await getRefusal(expiringToken)
    expect(expired[1]).toBe('token_expired')
    expect(expired[2]).toContain('expired')
    const token = await site.requestResetToken(email)
    expect((await site.post('reset-password', { token, newPassword })).status).toBe(200)
    expect(await getRefusal(token)).toEqual(invalidRefusal)
  })

  test('requires the minimum length that the operator has set, and shows it before the password is typed', async () => {
    const strictSite = await startSite(undefined, { resetPasswordMinLength: 8 })
    const { email } = await strictSite.createTestAccount()
    const token = await strictSite.requestResetToken(email)
    expect((await strictSite.post('reset-password/check', { token })).body.minLength).toBe(8)
    const refused = await strictSite.post('reset-password', { token, newPassword })
    expect(refused.body.message).toBe('Password must be at least 8 characters long')
    expect((await strictSite.post('reset-password', { token, newPassword: `${newPassword}!!` })).status).toBe(200)
    await strictSite.stop()
  })

  test('keeps the owner’s link valid when someone else requests one, and invalidates all links after use', async () => {
    const { email } = await site.createTestAccount()
    const [ownToken, laterToken, lastToken] = [
      await site.requestResetToken(email),
      await site.requestResetToken(email),
      await site.requestResetToken(email),
    ]
    expect((await site.post('reset-password', { token: ownToken, newPassword })).status).toBe(200)
    for (const token of [ownToken, laterToken, lastToken]) {
      expect((await site.post('reset-password/check', { token })).body).toMatchObject({ success: false })
      expect((await site.post('reset-password', { token, newPassword: 'kelp80' })).status).toBe(400)
    }
    await site.signInAs(email, newPassword)
  })

  test('succeeds once for 50 concurrent calls with three links', async () => {
    const { email } = await site.createTestAccount()
    const tokens = [
      await site.requestResetToken(email),
      await site.requestResetToken(email),
      await site.requestResetToken(email),
    ]
    const attempts = Array.from({ length: 50 }, (_, index) =>
      site.post('reset-password', { token: tokens[index % 3], newPassword: `new-pass-${index}` }),
    )
    expect(listStatuses(await Promise.all(attempts)).filter((status) => status === 200)).toHaveLength(1)
  })

  test('ends every session, verifies the address and emails the owner', async () => {
    const { email, id } = await site.createTestAccount()
    const browsers = [await site.signInAs(email), await site.signInAs(email)]
    const rows = await site.ctx.db.select({ id: sessions.id }).from(sessions).where(eq(sessions.accountId, id))
    const endedKeys: string[] = []
    const unsubscribe = site.ctx.notifications.on('session', (key) => endedKeys.push(key))
    const token = await site.requestResetToken(email)
    await site.post('reset-password', { token, newPassword })
    for (const cookies of browsers)
      expect((await site.get('auth/user', cookies)).body).toEqual({ success: false, user: null })
    await expect.poll(() => [...endedKeys].sort()).toEqual(rows.map((row) => row.id).sort())
    unsubscribe()
    expect(site.mails.at(-1)).toMatchObject({ to: email, subject: 'Your password was changed' })
    expect((await site.post('login', { email, password: PASSWORD })).status).toBe(401)
    await site.signInAs(email, newPassword)
  })
})
