import type { Role } from '@tocsin/protocol'
import { DAY_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { eq, sql } from 'drizzle-orm'
import { generateSync } from 'otplib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fillHashQueue } from '../../../test/support/fill-hash-queue.ts'
import { type Cookies, PASSWORD, type Site, startSite } from '../../../test/support/test-site.ts'
import { totpFactors } from '../../db/schema/factors.ts'
import { sealSecret } from '../../sealed-secret.ts'
import { createAccount } from '../accounts/service.ts'
import { lockAccount } from '../sessions/account-store.ts'
import { MAX_SESSIONS } from '../sessions/start-session.ts'
import { deleteSessionsOf } from '../sessions/store.ts'
import { totpAad } from './verify-code.ts'

let site: Site

beforeAll(async () => {
  site = await startSite(undefined, { adminFactor: { isRequired: true } })
})
afterAll(() => site.stop())

const ADMIN_PASSWORD = 'a bell at the harbour'
const mergeCookies = (cookies: Cookies, answer: { cookies: { name: string; value: string }[] }): Cookies => ({
  ...cookies,
  ...Object.fromEntries(answer.cookies.map(({ name, value }) => [name, value])),
})

/**
 * Returns the code of the next time step. Every call advances the clock by a step, so that no code
 * is used twice.
 */
function nextCode(secret: string): string {
  site.clock.advance(30_000)
  return generateSync({ secret, epoch: Math.floor(site.clock.now().getTime() / 1000) })
}

async function enrolApp(cookies: Cookies) {
  const started = await site.call('POST', '/api/account/factors/totp', {}, cookies)
  const { secret } = started.body
  const confirmed = await site.call('POST', '/api/account/factors/totp/confirm', { code: nextCode(secret) }, cookies)
  expect(confirmed.status).toBe(200)
  return {
    secret: String(secret),
    codes: confirmed.body.recoveryCodes as string[],
    cookies: mergeCookies(cookies, confirmed),
  }
}

async function createEnrolledAccount(role: Role = 'user') {
  const email = `enrolled-${crypto.randomUUID()}@example.com`
  const password = role === 'user' ? PASSWORD : ADMIN_PASSWORD
  const id = await createAccount(site.ctx, { email, name: 'Enrolled', password, role, verified: true })
  const cookies = await site.signInAs(email, password)
  if (role !== 'user') expect((await enterEnrolmentCode(await site.issueCode(id), cookies)).status).toBe(200)
  return { email, id, password, ...(await enrolApp(cookies)) }
}

const enterEnrolmentCode = (code: string, cookies: Cookies) =>
  site.call('POST', '/api/account/factors/enrolment', { code }, cookies)

async function signInPending(email: string, password = PASSWORD): Promise<Cookies> {
  const answer = await site.post('login', { email, password })
  expect(answer.body).toMatchObject({ success: false, requiresVerification: false })
  expect(answer.body.user).toBeUndefined()
  return mergeCookies({}, answer)
}

const listMailsTo = (email: string) => site.mails.filter(({ to }) => to === email)
const completeSignIn = (code: string, cookies: Cookies) => site.call('POST', '/api/auth/factor', { code }, cookies)

describe('sign-in with a second factor', () => {
  test('grants no access before the code is entered, and then renews the cookie', async () => {
    const { email, secret } = await createEnrolledAccount()
    const cookies = await signInPending(email)
    for (const path of ['account', 'auth/sessions', 'account/factors', 'activity', 'account/export']) {
      expect((await site.get(path, cookies)).status, path).toBe(401)
    }
    const userResponse = await site.get('auth/user', cookies)
    expect(userResponse.body).toMatchObject({ user: null, awaitedFactor: { methods: ['totp', 'recovery-code'] } })

    const done = await completeSignIn(nextCode(secret), cookies)
    expect(done.body).toMatchObject({ success: true, user: { email } })
    expect((await site.get('account', cookies)).status, 'the former cookie').toBe(401)
    const [session] = (await site.get('auth/sessions', mergeCookies(cookies, done))).body
    expect(session).toMatchObject({ isCurrent: true, method: 'password and authenticator app' })
    expect(listMailsTo(email).at(-1)?.text).toContain('password and authenticator app')

    await site.call('POST', '/api/auth/logout', {}, cookies)
    expect(
      (await site.get('account', mergeCookies(cookies, done))).status,
      'after a logout with the former cookie',
    ).toBe(401)
  })

  test('refuses a wrong code, a code of an earlier sign-in, and any code after ten minutes', async () => {
    const { email, secret } = await createEnrolledAccount()
    const cookies = await signInPending(email)
    const code = nextCode(secret)
    expect((await completeSignIn(code === '000000' ? '000001' : '000000', cookies)).body.code).toBe('code_wrong')
    expect((await completeSignIn(code, cookies)).status).toBe(200)
    const secondSignIn = await signInPending(email)
    expect((await completeSignIn(code, secondSignIn)).body.code, 'the same code again').toBe('code_wrong')
    site.clock.advance(10 * MINUTE_MS)
    expect((await completeSignIn(nextCode(secret), secondSignIn)).body.code).toBe('not_signed_in')
    expect((await completeSignIn(nextCode(secret), {})).body.code, 'without a cookie').toBe('not_signed_in')
  })

  test('keeps existing sessions when many later sign-ins do not complete the second factor', async () => {
    const { email, secret } = await createEnrolledAccount()
    const pendingCookies = await signInPending(email)
    const cookies = mergeCookies(pendingCookies, await completeSignIn(nextCode(secret), pendingCookies))
    site.clock.advance(1000)
    for (let index = 0; index <= MAX_SESSIONS; index++) await signInPending(email)
    expect((await site.get('account', cookies)).status).toBe(200)
  })

  test('accepts a code or recovery code only once when the same code is used five times in parallel', async () => {
    const { email, secret, codes } = await createEnrolledAccount()
    expect(new Set(codes).size).toBe(10)
    for (const code of [nextCode(secret), codes[3] ?? '']) {
      const pendingSignIns = await Promise.all([...Array(5)].map(() => signInPending(email)))
      const answers = await Promise.all(pendingSignIns.map((cookies) => completeSignIn(code, cookies)))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      site.clock.advance(DAY_MS)
    }
    const staleCookies = await signInPending(email)
    expect((await completeSignIn(codes[3] ?? '', staleCookies)).body.code, 'the recovery code again').toBe('code_wrong')
    const enteredCode = (codes[4] ?? '').toUpperCase().replace('-', ' ')
    expect((await completeSignIn(enteredCode, staleCookies)).status, 'another one, with other separators').toBe(200)
    const usedCodeMails = listMailsTo(email).filter(({ subject }) => subject === 'A recovery code was used')
    expect(usedCodeMails.map(({ text }) => text.match(/Codes left\D*(\d+)/)?.[1])).toEqual(['9', '8'])
  })

  test('checks at most ten of 14 wrong codes, emails the owner, and does not lock out the owner’s browser', async () => {
    const { email, secret, cookies: ownCookies } = await createEnrolledAccount()
    const strangerCookies = await signInPending(email)
    const answers: string[] = []
    for (let tries = 0; tries < 14; tries += 1) {
      answers.push((await completeSignIn('123456', strangerCookies)).body.code)
      site.clock.advance(MINUTE_MS / 2)
    }
    expect(answers.filter((code) => code === 'code_wrong').length).toBeLessThanOrEqual(10)
    expect(answers).toContain('too_many_requests')
    expect(listMailsTo(email).filter(({ subject }) => subject.startsWith('Wrong codes'))).toHaveLength(1)
    const device = Object.fromEntries(Object.entries(ownCookies).filter(([name]) => name.endsWith('-device')))
    const login = await site.post('login', { email, password: PASSWORD }, device)
    expect((await completeSignIn(nextCode(secret), { ...device, ...mergeCookies({}, login) })).status).toBe(200)
  })

  test('names recovery codes and a reset when APP_SECRET was lost, and still accepts a recovery code', async () => {
    const { email, id, secret, codes } = await createEnrolledAccount()
    const sealedSecret = sealSecret('the app secret that was lost', totpAad(id), secret)
    await site.ctx.db.update(totpFactors).set({ sealedSecret }).where(eq(totpFactors.accountId, id))
    const cookies = await signInPending(email)
    expect(await completeSignIn(nextCode(secret), cookies)).toMatchObject({
      status: 409,
      body: { code: 'app_unreadable', message: expect.stringMatching(/recovery code.*reset your second factors/) },
    })
    expect((await completeSignIn(codes[0] ?? '', cookies)).status).toBe(200)
  })

  test('does not count recovery codes that are refused because too many passwords wait to be hashed', async () => {
    const { email, codes } = await createEnrolledAccount()
    const cookies = await signInPending(email)
    const emptyQueue = fillHashQueue(site.ctx.passwords)
    for (let round = 0; round < 7; round++) {
      const answer = await completeSignIn(codes[0] ?? '', cookies)
      expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } })
    }
    await emptyQueue()
    expect((await completeSignIn(codes[0] ?? '', cookies)).status).toBe(200)
  })
})

test.each([
  ['sign-in', '/api/auth/factor'],
  ['confirmation', '/api/auth/confirm-factor'],
])('recovery code: is not used up by a %s when the session ends before the code is accepted', async (way, path) => {
  const { email, id, codes, cookies } = await createEnrolledAccount()
  const body = { code: codes[0] ?? '' }
  const endingCookies = way === 'sign-in' ? await signInPending(email) : cookies
  const { response } = await site.ctx.db.transaction(async (tx) => {
    await lockAccount(tx, id)
    const response = site.call('POST', path, body, endingCookies)
    await expect.poll(countLockWaiters).toBe(1)
    await deleteSessionsOf(tx, id)
    return { response }
  })
  expect((await response).body.code).toBe('not_signed_in')
  expect((await completeSignIn(body.code, await signInPending(email))).status).toBe(200)
})

/** Counts the statements that wait for a lock. */
async function countLockWaiters(): Promise<number> {
  const { rows } = await site.ctx.db.execute<{ n: number }>(sql`
    select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
  return rows[0]?.n ?? 0
}

describe('an admin', () => {
  test('cannot open the admin area before enrolling a second factor', async () => {
    const email = 'unenrolled@example.com'
    await createAccount(site.ctx, { email, name: 'Root', password: ADMIN_PASSWORD, role: 'admin', verified: true })
    const answer = await site.post('login', { email, password: ADMIN_PASSWORD })
    expect(answer.body).toMatchObject({ success: true, user: { isAdmin: true, mustEnrol: true } })
    const cookies = mergeCookies({}, answer)
    expect((await site.get('admin/audit', cookies)).body.code).toBe('second_factor_required')
    await enterEnrolmentCode(await site.issueCode(answer.body.user.id), cookies)
    const { cookies: enrolledCookies } = await enrolApp(cookies)
    expect((await site.get('admin/audit', enrolledCookies)).status).toBe(200)
  })

  test('cannot be impersonated with only the password or only the mailbox', async () => {
    const { email } = await createEnrolledAccount('admin')
    const byPassword = await signInPending(email, ADMIN_PASSWORD)
    expect((await site.get('admin/audit', byPassword)).status, 'password alone').toBe(401)

    const token = await site.requestResetToken(email)
    const newPassword = 'chosen by the thief 1'
    expect((await site.post('reset-password', { token, newPassword })).status).toBe(200)
    const byMailbox = await signInPending(email, newPassword)
    for (const path of ['admin/audit', 'account', 'account/factors']) {
      expect((await site.get(path, byMailbox)).status, `mailbox alone: ${path}`).toBe(401)
    }
    for (const [method, path] of changesOfWaysIn) {
      expect((await site.call(method, path, {}, byMailbox)).status, `mailbox alone: ${path}`).toBe(401)
    }
  })

  test('must confirm changes of treasury, roles and sign-in methods with a second factor, even in a new session', async () => {
    const { email, secret } = await createEnrolledAccount('owner')
    const pendingCookies = await signInPending(email, ADMIN_PASSWORD)
    const stolenCookies = mergeCookies(pendingCookies, await completeSignIn(nextCode(secret), pendingCookies))
    expect((await site.get('admin/audit', stolenCookies)).status).toBe(200)
    for (const [method, path, body] of changesOfWaysIn) {
      const answer = await site.call(method, path, body, stolenCookies)
      expect([answer.status, answer.body.code], path).toEqual([403, 'reauthentication_required'])
    }
    const withPassword = await site.call('POST', '/api/auth/confirm', { password: ADMIN_PASSWORD }, stolenCookies)
    const stillStolen = mergeCookies(stolenCookies, withPassword)
    expect((await site.get('auth/confirm', stillStolen)).status, 'the password is no factor').toBe(403)

    const confirmed = await site.call('POST', '/api/auth/confirm-factor', { code: nextCode(secret) }, stillStolen)
    expect((await site.get('auth/confirm', mergeCookies(stillStolen, confirmed))).status).toBe(200)
    expect((await site.get('account', stillStolen)).status, 'the cookie from before').toBe(401)
    site.clock.advance(10 * MINUTE_MS)
    expect((await site.get('auth/confirm', mergeCookies(stillStolen, confirmed))).status).toBe(403)
  })

  test('cannot remove the last second factor; a user can, which also deletes the recovery codes', async () => {
    const admin = await createEnrolledAccount('admin')
    const refused = await site.call('DELETE', '/api/account/factors/totp', {}, admin.cookies)
    expect(refused.body.code).toBe('last_factor')
    expect((await site.get('account/factors', admin.cookies)).body.totp, 'the refusal rolls back').not.toBeNull()
    const user = await createEnrolledAccount()
    const other = await signInPending(user.email)
    const otherSession = mergeCookies(other, await completeSignIn(user.codes[0] ?? '', other))
    expect((await site.call('DELETE', '/api/account/factors/totp', {}, user.cookies)).status).toBe(200)
    expect((await site.get('account', otherSession)).status).toBe(401)
    const { body } = await site.get('account/factors', user.cookies)
    expect(body).toMatchObject({ totp: null, recoveryCodesLeft: 0 })
    expect((await site.post('login', { email: user.email, password: PASSWORD })).body.success).toBe(true)
  })
})

describe('a password reset', () => {
  const newPassword = 'after-the-intruder-7'
  const resetPassword = async (email: string, more: object) => {
    const token = await site.requestResetToken(email)
    return site.post('reset-password', { token, newPassword, ...more })
  }
  const appFactor = { id: 'totp', name: 'Authenticator app', addedAt: expect.any(String) }

  test('does not remove a factor without its code, and limits wrong codes', async () => {
    const { email, password } = await createEnrolledAccount()
    const token = await site.requestResetToken(email)
    const attemptReset = (more: object) =>
      site.post('reset-password', { token, newPassword, removeFactors: ['totp'], ...more })
    expect(await attemptReset({})).toMatchObject({ status: 403, body: { code: 'second_factor_required' } })
    for (let tries = 0; tries < 5; tries++) {
      expect(await attemptReset({ factorCode: '000000' })).toMatchObject({ status: 422, body: { code: 'code_wrong' } })
    }
    expect(await attemptReset({ factorCode: '000000' })).toMatchObject({ status: 429 })
    const warnings = listMailsTo(email).filter(({ subject }) => subject.startsWith('Wrong codes'))
    expect(warnings.map(({ text }) => text).join()).toContain('after a sign-in or with a password reset link')
    expect((await site.post('login', { email, password })).body, 'nothing was changed').toMatchObject({
      awaitedFactor: { methods: ['totp', 'recovery-code'] },
    })
    expect((await site.post('reset-password/check', { token })).body.waysIn.factors).toEqual([appFactor])
  })

  test('removes the authenticator app when its code is given, and emails the owner', async () => {
    const { email, secret } = await createEnrolledAccount()
    const answer = await resetPassword(email, { removeFactors: ['totp'], factorCode: nextCode(secret) })
    expect(answer.body).toMatchObject({ success: true, waysIn: { factors: [] } })
    expect(listMailsTo(email).map(({ subject }) => subject)).toContain('A second factor was removed')
    expect((await site.post('login', { email, password: newPassword })).body).toMatchObject({ success: true })
  })

  test('removes only factors of its own account, and lists the remaining ones', async () => {
    const [owner, other] = [await createEnrolledAccount(), await createEnrolledAccount()]
    const answer = await resetPassword(owner.email, { removeFactors: ['someone-elses'], factorCode: owner.codes[0] })
    expect(answer.body.waysIn.factors).toEqual([appFactor])
    expect((await site.post('login', { email: other.email, password: PASSWORD })).body.awaitedFactor).toBeDefined()
  })

  test('keeps the last factor of an admin, and does not use up the code', async () => {
    const { email, secret, codes, password } = await createEnrolledAccount('admin')
    for (const factorCode of [nextCode(secret), codes[0] ?? '']) {
      const answer = await resetPassword(email, { removeFactors: ['totp'], factorCode })
      expect(answer).toMatchObject({ status: 409, body: { code: 'last_factor' } })
      const login = await site.post('login', { email, password })
      expect(login.body.awaitedFactor, 'the old password').toBeDefined()
      expect((await completeSignIn(factorCode, mergeCookies({}, login))).status, 'the code').toBe(200)
    }
  })
})

describe('an admin without a second factor', () => {
  const attempts = [
    ['POST', '/api/account/factors/totp', {}],
    ['POST', '/api/account/factors/totp/confirm', { code: '123456' }],
    ['POST', '/api/account/passkeys/options', {}],
  ] as const
  const obtainPassword = {
    password: async () => ADMIN_PASSWORD,
    mailbox: async (email: string) => {
      const newPassword = 'chosen by the thief 1'
      const token = await site.requestResetToken(email)
      expect((await site.post('reset-password', { token, newPassword })).status).toBe(200)
      return newPassword
    },
  }

  test.each(['password', 'mailbox'] as const)('cannot be impersonated with only the %s', async (stolenAccess) => {
    const email = `bare-${stolenAccess}@example.com`
    const account = { email, name: 'Bare', password: ADMIN_PASSWORD, role: 'admin', verified: true } as const
    const id = await createAccount(site.ctx, account)
    const code = await site.issueCode(id)
    const thiefCookies = await site.signInAs(email, await obtainPassword[stolenAccess](email))
    expect((await site.get('account/factors', thiefCookies)).body.needsEnrolmentCode).toBe(true)
    for (const [method, path, body] of attempts) {
      const answer = await site.call(method, path, body, thiefCookies)
      expect([answer.status, answer.body.code], path).toEqual([403, 'enrolment_code_required'])
    }
    expect((await enterEnrolmentCode('0000-0000-0000-0000', thiefCookies)).body.code).toBe('code_wrong')
    expect((await site.get('admin/audit', thiefCookies)).body.code).toBe('second_factor_required')
    expect(
      listMailsTo(email)
        .map(({ text }) => text)
        .join(),
    ).not.toContain(code)

    const owner = await site.signInAs(email, stolenAccess === 'password' ? ADMIN_PASSWORD : 'chosen by the thief 1')
    expect((await enterEnrolmentCode(code.toUpperCase().replaceAll('-', ' '), owner)).status).toBe(200)
    const { cookies } = await enrolApp(owner)
    expect((await site.get('admin/audit', cookies)).status).toBe(200)
    expect((await site.get('account', thiefCookies)).status, 'the first factor ends other sessions').toBe(401)
  })

  test('can use an enrolment code only once, before it expires or is replaced, and only for the own account', async () => {
    const createAdminAccount = async (name: string) => {
      const email = `${name}@example.com`
      const account = { email, name, password: ADMIN_PASSWORD, role: 'admin', verified: true } as const
      return { id: await createAccount(site.ctx, account), cookies: await site.signInAs(email, ADMIN_PASSWORD) }
    }
    const [one, two] = [await createAdminAccount('code-one'), await createAdminAccount('code-two')]
    const replaced = await site.issueCode(one.id)
    const code = await site.issueCode(one.id)
    expect((await enterEnrolmentCode(replaced, one.cookies)).body.code).toBe('code_wrong')
    expect((await enterEnrolmentCode(code, two.cookies)).body.code).toBe('code_wrong')
    const enterResponses = await Promise.all([
      enterEnrolmentCode(code, one.cookies),
      enterEnrolmentCode(code, one.cookies),
    ])
    expect(enterResponses.map(({ status }) => status).sort()).toEqual([200, 422])
    const lateCode = await site.issueCode(two.id)
    site.clock.advance(3 * DAY_MS)
    const newCookies = await site.signInAs('code-two@example.com', ADMIN_PASSWORD)
    expect((await enterEnrolmentCode(lateCode, newCookies)).body.code).toBe('code_wrong')
  })

  test('gets the enrolment code from an owner, on promotion or on request, but never by email', async () => {
    const owner = await createEnrolledAccount('owner')
    const step = await site.call('POST', '/api/auth/confirm-factor', { code: nextCode(owner.secret) }, owner.cookies)
    const cookies = mergeCookies(owner.cookies, step)
    const { email, id } = await site.createTestAccount()
    const body = { role: 'support', reason: 'Joins' }
    const promoted = await site.call('PUT', `/api/admin/users/${id}/role`, body, cookies)
    expect(promoted.body.enrolmentCode.code).toMatch(/^[0-9a-z]{4}(-[0-9a-z]{4}){3}$/)
    const issueCode = (of: string) => site.call('POST', `/api/admin/users/${of}/enrolment-code`, {}, cookies)
    const requestedCode = (await issueCode(id)).body.enrolmentCode
    expect(requestedCode.code).not.toBe(promoted.body.enrolmentCode.code)
    expect((await issueCode(owner.id)).body.code).toBe('own_account')
    expect((await issueCode((await createEnrolledAccount('admin')).id)).body.code).toBe('factor_exists')
    const texts = site.mails.map(({ text }) => text).join()
    expect(texts).toContain('support (users only)')
    for (const code of [promoted.body.enrolmentCode.code, requestedCode.code]) expect(texts).not.toContain(code)
    expect(listMailsTo(email).map(({ subject }) => subject)).toEqual(['Your role was changed'])
  })
})

/** Calls that need a recent reauthentication, such as changes of sign-in or payment settings. */
const changesOfWaysIn = [
  ['POST', '/api/account/factors/totp', {}],
  ['DELETE', '/api/account/factors/totp', {}],
  ['POST', '/api/account/factors/recovery-codes', {}],
  ['PUT', '/api/admin/users/00000000-0000-0000-0000-000000000000/role', { role: 'admin', reason: 'friend' }],
  ['POST', '/api/admin/users/00000000-0000-0000-0000-000000000000/enrolment-code', {}],
  [
    'POST',
    '/api/admin/protected-changes',
    { kind: 'treasury', chainId: 1, address: `0x${'11'.repeat(20)}`, reason: 'mine' },
  ],
  ['PUT', '/api/admin/settings/chain_id', { value: '137', description: '' }],
  ['POST', '/api/account/passkeys/options', {}],
  ['PUT', '/api/account/email', { email: 'thief@example.com' }],
  ['PUT', '/api/account/password', { currentPassword: ADMIN_PASSWORD, newPassword: 'another long password' }],
  ['POST', '/api/account/delete', { confirmation: 'delete my account' }],
] as const

describe('enrolment of a second factor', () => {
  test('requires a recent sign-in, and a valid code of the new authenticator app in the same session', async () => {
    const { email } = await site.createTestAccount()
    const [one, two] = [await site.signInAs(email), await site.signInAs(email)]
    const { secret } = (await site.call('POST', '/api/account/factors/totp', {}, one)).body
    const code = nextCode(secret)
    const otherSessionResponse = await site.call('POST', '/api/account/factors/totp/confirm', { code }, two)
    expect(otherSessionResponse.body.code).toBe('challenge_invalid')
    const wrongCodeResponse = await site.call('POST', '/api/account/factors/totp/confirm', { code: '12345' }, one)
    expect(wrongCodeResponse.body.code).toBe('code_wrong')
    expect((await site.post('login', { email, password: PASSWORD })).body.success, 'not enrolled yet').toBe(true)
    site.clock.advance(10 * MINUTE_MS)
    expect((await site.call('POST', '/api/account/factors/totp', {}, one)).body.code).toBe('reauthentication_required')
    const freshCookies = await site.signInAs(email)
    await enrolApp(freshCookies)
    expect((await site.get('account', two)).status, 'sessions without the factor end').toBe(401)
  })

  test('refuses a wrong code of the new authenticator app without a hash, even when the hash queue is full', async () => {
    const cookies = await site.signInAs((await site.createTestAccount()).email)
    const { secret } = (await site.call('POST', '/api/account/factors/totp', {}, cookies)).body
    const confirm = (code: string) => site.call('POST', '/api/account/factors/totp/confirm', { code }, cookies)
    const emptyQueue = fillHashQueue(site.ctx.passwords)
    expect((await confirm('12345')).body.code).toBe('code_wrong')
    await emptyQueue()
    expect((await confirm(nextCode(secret))).body.recoveryCodes).toHaveLength(10)
  })

  test('adds the factor to the account export', async () => {
    const { cookies } = await createEnrolledAccount()
    const { held } = (await site.get('account/export', cookies)).body
    expect(held.factors).toEqual([
      { id: 'totp', kind: 'totp', name: 'Authenticator app', addedAt: expect.stringMatching(/Z$/) },
    ])
  })

  test('stores neither secret nor recovery codes in readable form', async () => {
    const { id, secret, codes } = await createEnrolledAccount()
    const { rows } = await site.ctx.db.execute(
      `select row_to_json(t)::text as text from totp_factors t where account_id = '${id}'
       union all select row_to_json(c)::text from recovery_codes c where account_id = '${id}'`,
    )
    const stored = JSON.stringify(rows)
    for (const text of [secret, ...codes, ...codes.map((code) => code.replace('-', ''))]) {
      expect(stored).not.toContain(text)
    }
  })
})
