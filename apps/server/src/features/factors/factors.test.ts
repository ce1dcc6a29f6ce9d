import type { Role } from '@tocsin/protocol'
import { DAY_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { generateSync } from 'otplib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cookies, PASSWORD, type Site, startSite } from '../../../test/support/test-site.ts'
import { createAccount } from '../accounts/service.ts'
import { MAX_SESSIONS } from '../sessions/start-session.ts'

let site: Site

beforeAll(async () => {
  site = await startSite(undefined, { adminFactor: { isRequired: true } })
})
afterAll(() => site.stop())

const ADMIN_PASSWORD = 'a bell at the harbour'
const merge = (cookies: Cookies, answer: { cookies: { name: string; value: string }[] }): Cookies => ({
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

async function enrol(cookies: Cookies) {
  const started = await site.call('POST', '/api/account/factors/totp', {}, cookies)
  const { secret } = started.body
  const confirmed = await site.call('POST', '/api/account/factors/totp/confirm', { code: nextCode(secret) }, cookies)
  expect(confirmed.status).toBe(200)
  return { secret: String(secret), codes: confirmed.body.recoveryCodes as string[], cookies: merge(cookies, confirmed) }
}

async function enrolled(role: Role = 'user') {
  const email = `enrolled-${crypto.randomUUID()}@example.com`
  const password = role === 'user' ? PASSWORD : ADMIN_PASSWORD
  const id = await createAccount(site.ctx, { email, name: 'Enrolled', password, role, verified: true })
  const cookies = await site.signInAs(email, password)
  if (role !== 'user') expect((await enter(await site.issueCode(id), cookies)).status).toBe(200)
  return { email, id, password, ...(await enrol(cookies)) }
}

const enter = (code: string, cookies: Cookies) => site.call('POST', '/api/account/factors/enrolment', { code }, cookies)

async function signInPending(email: string, password = PASSWORD): Promise<Cookies> {
  const answer = await site.post('login', { email, password })
  expect(answer.body).toMatchObject({ success: false, requiresVerification: false })
  expect(answer.body.user).toBeUndefined()
  return merge({}, answer)
}

const mailsTo = (email: string) => site.mails.filter(({ to }) => to === email)
const complete = (code: string, cookies: Cookies) => site.call('POST', '/api/auth/factor', { code }, cookies)

describe('sign-in with a second factor', () => {
  test('grants no access before the code is entered, and then renews the cookie', async () => {
    const { email, secret } = await enrolled()
    const cookies = await signInPending(email)
    for (const path of ['account', 'auth/sessions', 'account/factors', 'activity', 'account/export']) {
      expect((await site.get(path, cookies)).status, path).toBe(401)
    }
    const waiting = await site.get('auth/user', cookies)
    expect(waiting.body).toMatchObject({ user: null, awaitedFactor: { methods: ['totp', 'recovery-code'] } })

    const done = await complete(nextCode(secret), cookies)
    expect(done.body).toMatchObject({ success: true, user: { email } })
    expect((await site.get('account', cookies)).status, 'the former cookie').toBe(401)
    const [session] = (await site.get('auth/sessions', merge(cookies, done))).body
    expect(session).toMatchObject({ isCurrent: true, method: 'password and authenticator app' })
    expect(mailsTo(email).at(-1)?.text).toContain('password and authenticator app')

    await site.call('POST', '/api/auth/logout', {}, cookies)
    expect((await site.get('account', merge(cookies, done))).status, 'after a logout with the former cookie').toBe(401)
  })

  test('refuses a wrong code, a code of an earlier sign-in, and any code after ten minutes', async () => {
    const { email, secret } = await enrolled()
    const cookies = await signInPending(email)
    const code = nextCode(secret)
    expect((await complete(code === '000000' ? '000001' : '000000', cookies)).body.code).toBe('code_wrong')
    expect((await complete(code, cookies)).status).toBe(200)
    const again = await signInPending(email)
    expect((await complete(code, again)).body.code, 'the same code again').toBe('code_wrong')
    site.clock.advance(10 * MINUTE_MS)
    expect((await complete(nextCode(secret), again)).body.code).toBe('not_signed_in')
    expect((await complete(nextCode(secret), {})).body.code, 'without a cookie').toBe('not_signed_in')
  })

  test('sign-ins without the second factor do not end sessions, however many there are', async () => {
    const { email, secret } = await enrolled()
    const pending = await signInPending(email)
    const cookies = merge(pending, await complete(nextCode(secret), pending))
    site.clock.advance(1000)
    for (let index = 0; index <= MAX_SESSIONS; index++) await signInPending(email)
    expect((await site.get('account', cookies)).status).toBe(200)
  })

  test('accepts one of five parallel uses of a code, and of a recovery code', async () => {
    const { email, secret, codes } = await enrolled()
    expect(new Set(codes).size).toBe(10)
    for (const code of [nextCode(secret), codes[3] ?? '']) {
      const waiting = await Promise.all([...Array(5)].map(() => signInPending(email)))
      const answers = await Promise.all(waiting.map((cookies) => complete(code, cookies)))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      site.clock.advance(DAY_MS)
    }
    const stale = await signInPending(email)
    expect((await complete(codes[3] ?? '', stale)).body.code, 'the recovery code again').toBe('code_wrong')
    const entered = (codes[4] ?? '').toUpperCase().replace('-', ' ')
    expect((await complete(entered, stale)).status, 'another one, with other separators').toBe(200)
    const used = mailsTo(email).filter(({ subject }) => subject === 'A recovery code was used')
    expect(used.map(({ text }) => text.match(/Codes left\D*(\d+)/)?.[1])).toEqual(['9', '8'])
  })

  test('evaluates ten wrong codes a day, warns the owner, and does not lock out the owner’s browser', async () => {
    const { email, secret, cookies: own } = await enrolled()
    const stranger = await signInPending(email)
    const answers: string[] = []
    for (let tries = 0; tries < 14; tries += 1) {
      answers.push((await complete('123456', stranger)).body.code)
      site.clock.advance(MINUTE_MS / 2)
    }
    expect(answers.filter((code) => code === 'code_wrong').length).toBeLessThanOrEqual(10)
    expect(answers).toContain('too_many_requests')
    expect(mailsTo(email).filter(({ subject }) => subject.startsWith('Wrong codes'))).toHaveLength(1)
    const device = Object.fromEntries(Object.entries(own).filter(([name]) => name.endsWith('-device')))
    const login = await site.post('login', { email, password: PASSWORD }, device)
    expect((await complete(nextCode(secret), { ...device, ...merge({}, login) })).status).toBe(200)
  })
})

describe('an admin', () => {
  test('reaches nothing of the admin area before enrolment', async () => {
    const email = 'unenrolled@example.com'
    await createAccount(site.ctx, { email, name: 'Root', password: ADMIN_PASSWORD, role: 'admin', verified: true })
    const answer = await site.post('login', { email, password: ADMIN_PASSWORD })
    expect(answer.body).toMatchObject({ success: true, user: { isAdmin: true, mustEnrol: true } })
    const cookies = merge({}, answer)
    expect((await site.get('admin/audit', cookies)).body.code).toBe('second_factor_required')
    await enter(await site.issueCode(answer.body.user.id), cookies)
    const { cookies: enrolledCookies } = await enrol(cookies)
    expect((await site.get('admin/audit', enrolledCookies)).status).toBe(200)
  })

  test('cannot be impersonated with only the password or only the mailbox', async () => {
    const { email } = await enrolled('admin')
    const byPassword = await signInPending(email, ADMIN_PASSWORD)
    expect((await site.get('admin/audit', byPassword)).status, 'password alone').toBe(401)

    const token = await site.resetLinkFor(email)
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

  test('keeps treasury, roles and sign-in methods when a session cookie is stolen, even a fresh one', async () => {
    const { email, secret } = await enrolled('owner')
    const pending = await signInPending(email, ADMIN_PASSWORD)
    const stolen = merge(pending, await complete(nextCode(secret), pending))
    expect((await site.get('admin/audit', stolen)).status).toBe(200)
    for (const [method, path, body] of changesOfWaysIn) {
      const answer = await site.call(method, path, body, stolen)
      expect([answer.status, answer.body.code], path).toEqual([403, 'reauthentication_required'])
    }
    const withPassword = await site.call('POST', '/api/auth/confirm', { password: ADMIN_PASSWORD }, stolen)
    const stillStolen = merge(stolen, withPassword)
    expect((await site.get('auth/confirm', stillStolen)).status, 'the password is no factor').toBe(403)

    const confirmed = await site.call('POST', '/api/auth/confirm-factor', { code: nextCode(secret) }, stillStolen)
    expect((await site.get('auth/confirm', merge(stillStolen, confirmed))).status).toBe(200)
    expect((await site.get('account', stillStolen)).status, 'the cookie from before').toBe(401)
    site.clock.advance(10 * MINUTE_MS)
    expect((await site.get('auth/confirm', merge(stillStolen, confirmed))).status).toBe(403)
  })

  test('cannot remove the last factor; a user can, and the recovery codes end with it', async () => {
    const admin = await enrolled('admin')
    const refused = await site.call('DELETE', '/api/account/factors/totp', {}, admin.cookies)
    expect(refused.body.code).toBe('last_factor')
    expect((await site.get('account/factors', admin.cookies)).body.totp, 'the refusal rolls back').not.toBeNull()
    const user = await enrolled()
    const other = await signInPending(user.email)
    const otherSession = merge(other, await complete(user.codes[0] ?? '', other))
    expect((await site.call('DELETE', '/api/account/factors/totp', {}, user.cookies)).status).toBe(200)
    expect((await site.get('account', otherSession)).status).toBe(401)
    const { body } = await site.get('account/factors', user.cookies)
    expect(body).toMatchObject({ totp: null, recoveryCodesLeft: 0 })
    expect((await site.post('login', { email: user.email, password: PASSWORD })).body.success).toBe(true)
  })
})

describe('a password reset', () => {
  const newPassword = 'after-the-intruder-7'
  const reset = async (email: string, more: object) => {
    const token = await site.resetLinkFor(email)
    return site.post('reset-password', { token, newPassword, ...more })
  }
  const app = { id: 'totp', name: 'Authenticator app', addedAt: expect.any(String) }

  test('does not remove a factor without its code, and limits wrong codes', async () => {
    const { email, password } = await enrolled()
    const token = await site.resetLinkFor(email)
    const attempt = (more: object) =>
      site.post('reset-password', { token, newPassword, removeFactors: ['totp'], ...more })
    expect(await attempt({})).toMatchObject({ status: 403, body: { code: 'second_factor_required' } })
    for (let tries = 0; tries < 5; tries++) {
      expect(await attempt({ factorCode: '000000' })).toMatchObject({ status: 422, body: { code: 'code_wrong' } })
    }
    expect(await attempt({ factorCode: '000000' })).toMatchObject({ status: 429 })
    expect((await site.post('login', { email, password })).body, 'nothing was changed').toMatchObject({
      awaitedFactor: { methods: ['totp', 'recovery-code'] },
    })
    expect((await site.post('reset-password/check', { token })).body.waysIn.factors).toEqual([app])
  })

  test('removes the authenticator app when its code is given, and emails the owner', async () => {
    const { email, secret } = await enrolled()
    const answer = await reset(email, { removeFactors: ['totp'], factorCode: nextCode(secret) })
    expect(answer.body).toMatchObject({ success: true, waysIn: { factors: [] } })
    expect(mailsTo(email).map(({ subject }) => subject)).toContain('A second factor was removed')
    expect((await site.post('login', { email, password: newPassword })).body).toMatchObject({ success: true })
  })

  test('removes only factors of its own account, and lists the remaining ones', async () => {
    const [owner, other] = [await enrolled(), await enrolled()]
    const answer = await reset(owner.email, { removeFactors: ['someone-elses'], factorCode: owner.codes[0] })
    expect(answer.body.waysIn.factors).toEqual([app])
    expect((await site.post('login', { email: other.email, password: PASSWORD })).body.awaitedFactor).toBeDefined()
  })

  test('keeps the last factor of an admin, and does not use up the code', async () => {
    const { email, secret, codes, password } = await enrolled('admin')
    for (const factorCode of [nextCode(secret), codes[0] ?? '']) {
      const answer = await reset(email, { removeFactors: ['totp'], factorCode })
      expect(answer).toMatchObject({ status: 409, body: { code: 'last_factor' } })
      const login = await site.post('login', { email, password })
      expect(login.body.awaitedFactor, 'the old password').toBeDefined()
      expect((await complete(factorCode, merge({}, login))).status, 'the code').toBe(200)
    }
  })
})

describe('an admin without a second factor', () => {
  const attempts = [
    ['POST', '/api/account/factors/totp', {}],
    ['POST', '/api/account/factors/totp/confirm', { code: '123456' }],
    ['POST', '/api/account/passkeys/options', {}],
  ] as const
  const steal = {
    password: async () => ADMIN_PASSWORD,
    mailbox: async (email: string) => {
      const newPassword = 'chosen by the thief 1'
      const token = await site.resetLinkFor(email)
      expect((await site.post('reset-password', { token, newPassword })).status).toBe(200)
      return newPassword
    },
  }

  test.each(['password', 'mailbox'] as const)('cannot be impersonated with only the %s', async (loot) => {
    const email = `bare-${loot}@example.com`
    const account = { email, name: 'Bare', password: ADMIN_PASSWORD, role: 'admin', verified: true } as const
    const id = await createAccount(site.ctx, account)
    const code = await site.issueCode(id)
    const thief = await site.signInAs(email, await steal[loot](email))
    expect((await site.get('account/factors', thief)).body.needsEnrolmentCode).toBe(true)
    for (const [method, path, body] of attempts) {
      const answer = await site.call(method, path, body, thief)
      expect([answer.status, answer.body.code], path).toEqual([403, 'enrolment_code_required'])
    }
    expect((await enter('0000-0000-0000-0000', thief)).body.code).toBe('code_wrong')
    expect((await site.get('admin/audit', thief)).body.code).toBe('second_factor_required')
    expect(
      mailsTo(email)
        .map(({ text }) => text)
        .join(),
    ).not.toContain(code)

    const owner = await site.signInAs(email, loot === 'password' ? ADMIN_PASSWORD : 'chosen by the thief 1')
    expect((await enter(code.toUpperCase().replaceAll('-', ' '), owner)).status).toBe(200)
    const { cookies } = await enrol(owner)
    expect((await site.get('admin/audit', cookies)).status).toBe(200)
    expect((await site.get('account', thief)).status, 'the first factor ends other sessions').toBe(401)
  })

  test('can use an enrolment code once, until it expires or is replaced, and only for its account', async () => {
    const make = async (name: string) => {
      const email = `${name}@example.com`
      const account = { email, name, password: ADMIN_PASSWORD, role: 'admin', verified: true } as const
      return { id: await createAccount(site.ctx, account), cookies: await site.signInAs(email, ADMIN_PASSWORD) }
    }
    const [one, two] = [await make('code-one'), await make('code-two')]
    const replaced = await site.issueCode(one.id)
    const code = await site.issueCode(one.id)
    expect((await enter(replaced, one.cookies)).body.code).toBe('code_wrong')
    expect((await enter(code, two.cookies)).body.code).toBe('code_wrong')
    const both = await Promise.all([enter(code, one.cookies), enter(code, one.cookies)])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 422])
    const late = await site.issueCode(two.id)
    site.clock.advance(3 * DAY_MS)
    const again = await site.signInAs('code-two@example.com', ADMIN_PASSWORD)
    expect((await enter(late, again)).body.code).toBe('code_wrong')
  })

  test('gets the enrolment code from another owner, at the promotion or on request, and never by email', async () => {
    const owner = await enrolled('owner')
    const step = await site.call('POST', '/api/auth/confirm-factor', { code: nextCode(owner.secret) }, owner.cookies)
    const cookies = merge(owner.cookies, step)
    const { email, id } = await site.person()
    const body = { role: 'support', reason: 'Joins' }
    const promoted = await site.call('PUT', `/api/admin/users/${id}/role`, body, cookies)
    expect(promoted.body.enrolmentCode.code).toMatch(/^[0-9a-z]{4}(-[0-9a-z]{4}){3}$/)
    const issue = (of: string) => site.call('POST', `/api/admin/users/${of}/enrolment-code`, {}, cookies)
    const requested = (await issue(id)).body.enrolmentCode
    expect(requested.code).not.toBe(promoted.body.enrolmentCode.code)
    expect((await issue(owner.id)).body.code).toBe('own_account')
    expect((await issue((await enrolled('admin')).id)).body.code).toBe('factor_exists')
    const texts = site.mails.map(({ text }) => text).join()
    expect(texts).toContain('support (users only)')
    for (const code of [promoted.body.enrolmentCode.code, requested.code]) expect(texts).not.toContain(code)
    expect(mailsTo(email).map(({ subject }) => subject)).toEqual(['Your role was changed'])
  })
})

/** Calls that change how to sign in to an account. All of them need a recent reauthentication. */
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

describe('enrolment', () => {
  test('needs a recent authentication, the same session, and the first code', async () => {
    const { email } = await site.person()
    const [one, two] = [await site.signInAs(email), await site.signInAs(email)]
    const { secret } = (await site.call('POST', '/api/account/factors/totp', {}, one)).body
    const code = nextCode(secret)
    const elsewhere = await site.call('POST', '/api/account/factors/totp/confirm', { code }, two)
    expect(elsewhere.body.code).toBe('challenge_invalid')
    const wrong = await site.call('POST', '/api/account/factors/totp/confirm', { code: '12345' }, one)
    expect(wrong.body.code).toBe('code_wrong')
    expect((await site.post('login', { email, password: PASSWORD })).body.success, 'not enrolled yet').toBe(true)
    site.clock.advance(10 * MINUTE_MS)
    expect((await site.call('POST', '/api/account/factors/totp', {}, one)).body.code).toBe('reauthentication_required')
    const fresh = await site.signInAs(email)
    await enrol(fresh)
    expect((await site.get('account', two)).status, 'sessions without the factor end').toBe(401)
  })

  test('stores neither secret nor recovery codes in readable form', async () => {
    const { id, secret, codes } = await enrolled()
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
