import argon2 from '@node-rs/argon2'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { PASSWORD, pickComparable, type Site, startSite } from '../../../test/support/test-site.ts'
import { accounts, sessions } from '../../db/schema/accounts.ts'
import { hashSecret } from '../sessions/secret.ts'
import { ensureFirstAdmin } from './first-admin.ts'
import { createAccount, deleteExpiredAccountData, setPassword } from './service.ts'

let site: Site

beforeAll(async () => {
  site = await startSite()
})
afterAll(() => site?.stop())

describe('sign-in', () => {
  test('rejects a wrong password, an unknown address and a malformed address alike', async () => {
    const { email } = await site.createTestAccount()
    const wrongResponse = await site.post('login', { email, password: 'wrong' })
    expect(wrongResponse).toMatchObject({
      status: 401,
      body: { success: false, code: 'invalid_credentials', message: 'Invalid email or password. Please try again.' },
    })
    const unverified = await site.createTestAccount(false)
    for (const other of ['unknown@example.com', 'not an address', unverified.email]) {
      expect(pickComparable(await site.post('login', { email: other, password: 'wrong' }))).toEqual(
        pickComparable(wrongResponse),
      )
    }
  })

  test('limits attempts per account, except from a browser that has signed in to the account before', async () => {
    const { email } = await site.createTestAccount()
    const owner = await site.signInAs(email)
    const guess = () => site.post('login', { email, password: 'guess' })
    let evaluatedCount = 0
    let guessCount = 0
    // Send 15 at a time: on a busy machine, 60 concurrent requests could wait too long for a
    // database connection.
    while (guessCount < 60) {
      const answers = await Promise.all(Array.from({ length: 15 }, guess))
      guessCount += answers.length
      evaluatedCount += answers.filter(({ status }) => status === 401).length
    }
    expect(evaluatedCount).toBe(5)
    for (let minute = 0; minute < 59; minute++) {
      site.clock.advance(60_000)
      const answers = await Promise.all(Array.from({ length: 4 }, guess))
      guessCount += answers.length
      evaluatedCount += answers.filter(({ status }) => status === 401).length
    }
    expect(guessCount).toBeGreaterThan(250)
    expect(evaluatedCount).toBeLessThanOrEqual(20)
    const stranger = await guess()
    expect(stranger).toMatchObject({ status: 429, body: { code: 'too_many_requests' } })
    expect(Number(stranger.headers['retry-after'])).toBeGreaterThan(0)
    expect((await site.post('login', { email, password: PASSWORD })).status).toBe(429)
    const device = { 'tocsin-device': owner['tocsin-device'] ?? '' }
    expect((await site.post('login', { email, password: PASSWORD }, device)).status).toBe(200)
    const { email: otherEmail } = await site.createTestAccount()
    for (let round = 0; round < 5; round++) await site.post('login', { email: otherEmail, password: 'guess' }, device)
    expect((await site.post('login', { email: otherEmail, password: 'guess' }, device)).status).toBe(429)
    site.clock.advance(HOUR_MS)
    await site.signInAs(email)
  })

  test.each([
    ['POST', '/api/auth/login', 'password', { email: 'x@example.com' }],
    ['POST', '/api/auth/register', 'password', { email: 'x@example.com', name: 'X' }],
    ['POST', '/api/auth/reset-password', 'newPassword', { token: 'x' }],
    ['POST', '/api/auth/first-admin', 'password', { token: 'x', email: 'x@example.com', name: 'X' }],
    ['PUT', '/api/account/password', 'newPassword', { currentPassword: PASSWORD }],
    ['PUT', '/api/account/password', 'currentPassword', { newPassword: 'tern-ocelot-8' }],
  ] as const)('%s %s rejects a very long %s before any hashing or breach lookup', async (method, path, field, rest) => {
    const cookies = await site.signInAs((await site.createTestAccount()).email)
    const workSpies = [vi.spyOn(argon2, 'hash'), vi.spyOn(argon2, 'verify'), vi.spyOn(site.ctx, 'isBreached')]
    for (const length of [1_025, 1_000_000]) {
      const answer = await site.call(method, path, { ...rest, [field]: 'x'.repeat(length) }, cookies)
      // The schema (`malformed`) or the body size limit (`too_large`) rejects the request before
      // the handler runs.
      const code = expect.stringMatching(/^(malformed|too_large)$/)
      expect(answer).toMatchObject({ status: 400, body: { code } })
    }
    expect(workSpies.map(({ mock }) => mock.calls.length)).toEqual([0, 0, 0])
    for (const spy of workSpies) spy.mockRestore()
  })

  test('creates a new session id each time, ends the previous session and stores only a hash of the id', async () => {
    const { email, id } = await site.createTestAccount()
    const plantedResponse = await site.post('login', { email, password: PASSWORD }, { tocsin: 'planted-by-attacker' })
    const firstCookie = plantedResponse.cookies.find(({ name }) => name === 'tocsin')?.value ?? ''
    expect(firstCookie).toMatch(/^[\w-]{43}$/)
    const second =
      (await site.post('login', { email, password: PASSWORD }, { tocsin: firstCookie })).cookies[0]?.value ?? ''
    expect(second).not.toBe(firstCookie)
    expect((await site.get('auth/user', { tocsin: 'planted-by-attacker' })).body.user).toBeNull()
    expect((await site.get('auth/user', { tocsin: firstCookie })).body.user).toBeNull()
    expect((await site.get('auth/user', { tocsin: second })).body).toMatchObject({ success: true, user: { id, email } })
    const rows = await site.ctx.db.select().from(sessions).where(eq(sessions.accountId, id))
    expect(rows.map(({ idHash }) => idHash)).toEqual([hashSecret(second)])
    expect((await site.get('auth/user', { tocsin: hashSecret(second) })).body.user).toBeNull()
  })

  test('keeps the cookie for 30 days with “remember me”, otherwise until the browser closes', async () => {
    const { email } = await site.createTestAccount()
    const readCookie = async (rememberMe: boolean) =>
      (await site.post('login', { email, password: PASSWORD, rememberMe })).cookies.find(
        ({ name }) => name === 'tocsin',
      )
    const sessionCookie = await readCookie(false)
    const rememberedCookie = await readCookie(true)
    expect(sessionCookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/' })
    expect(sessionCookie).not.toHaveProperty('maxAge')
    expect(rememberedCookie?.maxAge).toBe(2_592_000)
    site.clock.advance(30 * DAY_MS - 1)
    expect((await site.get('auth/user', { tocsin: rememberedCookie?.value ?? '' })).body.success).toBe(true)
    expect((await site.get('auth/user', { tocsin: sessionCookie?.value ?? '' })).body.success).toBe(false)
    site.clock.advance(1)
    expect((await site.get('auth/user', { tocsin: rememberedCookie?.value ?? '' })).body.success).toBe(false)
    await deleteExpiredAccountData(site.ctx)
    expect(
      await site.ctx.db
        .select()
        .from(sessions)
        .where(eq(sessions.idHash, hashSecret(rememberedCookie?.value ?? ''))),
    ).toEqual([])
  })

  test('keeps a session alive that is used every day, and stores the last use at most once a minute', async () => {
    const { email, id } = await site.createTestAccount()
    const cookies = await site.signInAs(email)
    const readSeenAt = async () => {
      const [row] = await site.ctx.db.select().from(sessions).where(eq(sessions.accountId, id))
      return row?.lastSeenAt.getTime()
    }
    const firstSeenAt = await readSeenAt()
    site.clock.advance(59_999)
    await site.get('auth/user', cookies)
    expect(await readSeenAt()).toBe(firstSeenAt)
    for (let day = 0; day < 29; day++) {
      site.clock.advance(DAY_MS)
      expect((await site.get('auth/user', cookies)).body.success).toBe(true)
    }
    expect(await readSeenAt()).toBe(site.clock.now().getTime())
  })

  test('ends the session of a staff account when its page has sent only polling requests for 30 minutes', async () => {
    const [email, password] = ['idle@example.com', 'a bell at the harbour']
    await createAccount(site.ctx, { email, name: 'Idle', password, role: 'admin', verified: true })
    const cookies = await site.signInAs(email, password)
    const poll = () => site.call('GET', '/api/auth/user', undefined, cookies, { isPoll: true })
    site.clock.advance(20 * MINUTE_MS)
    expect((await site.get('auth/user', cookies)).body.success).toBe(true)
    for (let minute = 1; minute < 30; minute++) {
      site.clock.advance(MINUTE_MS)
      expect((await poll()).body.success).toBe(true)
    }
    site.clock.advance(MINUTE_MS)
    expect((await poll()).body.success).toBe(false)
  })
})

test('user session: records the last use even when the request is a polling request', async () => {
  const { email, id } = await site.createTestAccount()
  const cookies = await site.signInAs(email)
  site.clock.advance(MINUTE_MS)
  await site.call('GET', '/api/auth/user', undefined, cookies, { isPoll: true })
  const [row] = await site.ctx.db.select().from(sessions).where(eq(sessions.accountId, id))
  expect(row?.lastSeenAt).toEqual(site.clock.now())
})
test('sign-out: succeeds with and without a session', async () => {
  const { email } = await site.createTestAccount()
  const cookies = await site.signInAs(email)
  const logoutResponse = await site.post('logout', {}, cookies)
  expect(logoutResponse).toMatchObject({ status: 200, body: { success: true } })
  expect(logoutResponse.cookies).toEqual([])
  expect((await site.get('auth/user', cookies)).body.user).toBeNull()
  expect((await site.get('activity', cookies)).status).toBe(401)
  expect((await site.post('logout', {}, cookies)).status).toBe(200)
  expect((await site.post('logout', {})).status).toBe(200)
})

test('activity: lists only events of the requesting account', async () => {
  const [ann, bob] = [await site.createTestAccount(), await site.createTestAccount()]
  await site.signInAs(ann.email)
  const activity = await site.get('activity?limit=1', await site.signInAs(bob.email))
  expect(activity.body).toEqual([
    {
      id: expect.any(String),
      at: site.clock.now().toISOString(),
      kind: 'signed_in',
      detail: 'Signed in by password, Unknown device',
      reference: null,
      chainId: null,
    },
  ])
})

describe('admin accounts:', () => {
  test('concurrent instances create the configured admin once, and void a stranger’s sign-up for its address', async () => {
    const { token } = await site.signUp('root@example.com', 'squatters-pass')
    await Promise.all([ensureFirstAdmin(site.ctx), ensureFirstAdmin(site.ctx), ensureFirstAdmin(site.ctx)])
    const squatterResponse = await site.post('login', { email: 'root@example.com', password: 'squatters-pass' })
    expect(squatterResponse).toMatchObject({ body: { success: false }, cookies: [] })
    const { body } = await site.post('login', { email: 'root@example.com', password: 'operator-pass-1' })
    expect(body.user).toMatchObject({ isAdmin: true, email: 'root@example.com' })
    expect((await site.get(`auth/verify-email?token=${token}`)).body.success).toBe(false)
    const changed = { ...site.ctx.config, firstAdmin: { email: 'second@example.com', password: 'operator-pass-2' } }
    await ensureFirstAdmin({ ...site.ctx, config: changed })
    const { rows } = await site.ctx.db.execute(sql`select email from accounts where role = 'owner'`)
    expect(rows).toEqual([{ email: 'root@example.com' }])
  })

  test('the session of an admin ends after 30 minutes without a request', async () => {
    const cookies = await site.signInAs('root@example.com', 'operator-pass-1', true)
    site.clock.advance(29 * MINUTE_MS)
    expect((await site.get('auth/user', cookies)).body.user.isAdmin).toBe(true)
    site.clock.advance(30 * MINUTE_MS)
    expect((await site.get('auth/user', cookies)).body.user).toBeNull()
  })

  test('creating an account whose address exists changes nothing', async () => {
    const { email, id } = await site.createTestAccount()
    const duplicateAccount = {
      email: email.toUpperCase(),
      name: 'Other',
      password: 'other-password',
      role: 'admin',
      verified: true,
    } as const
    expect(await createAccount(site.ctx, duplicateAccount)).toBe(id)
    const { body } = await site.post('login', { email, password: PASSWORD })
    expect(body.user).toMatchObject({ id, isAdmin: false })
  })

  test('a password of fewer than 12 characters cannot be set, and is refused once a user becomes an admin', async () => {
    const { email, id } = await site.createTestAccount()
    const shortPassword = 'elevenchars'
    await setPassword(site.ctx, id, shortPassword)
    const cookiesBefore = await site.signInAs(email, shortPassword)
    await site.ctx.db.update(accounts).set({ role: 'admin' }).where(eq(accounts.id, id))
    const refused = await site.post('login', { email, password: shortPassword })
    expect(refused).toMatchObject({ status: 403, body: { code: 'password_too_short' }, cookies: [] })
    expect((await site.post('login', { email, password: 'wrong' })).status).toBe(401)
    expect((await site.post('confirm', { password: shortPassword }, cookiesBefore)).body.code).toBe(
      'password_too_short',
    )
    const tooShort = { status: 400, body: { message: 'Password must be at least 12 characters long' } }
    const token = await site.requestResetToken(email)
    expect(await site.post('reset-password', { token, newPassword: shortPassword })).toMatchObject(tooShort)
    expect((await site.post('reset-password', { token, newPassword: 'twelve-chars' })).status).toBe(200)
    const cookies = await site.signInAs(email, 'twelve-chars')
    const change = { currentPassword: 'twelve-chars', newPassword: 'other-eleve' }
    expect(await site.call('PUT', '/api/account/password', change, cookies)).toMatchObject(tooShort)
    await expect(setPassword(site.ctx, id, shortPassword)).rejects.toThrow('at least 12')
    const admin = {
      email: 'new-admin@example.com',
      name: 'New',
      password: shortPassword,
      role: 'admin',
      verified: true,
    }
    await expect(createAccount(site.ctx, { ...admin, role: 'admin' })).rejects.toThrow('at least 12')
    const firstAdmin = { email: admin.email, password: shortPassword }
    await site.ctx.db.update(accounts).set({ role: 'user' })
    await expect(ensureFirstAdmin({ ...site.ctx, config: { ...site.ctx.config, firstAdmin } })).rejects.toThrow(
      'at least 12',
    )
  })

  test.each([
    [
      'a reset of the password',
      async (email: string) => {
        const token = await site.requestResetToken(email)
        return site.post('reset-password', { token, newPassword: 'owners-new-pass' })
      },
      401,
    ],
    [
      'a promotion to admin',
      (email: string) => site.ctx.db.update(accounts).set({ role: 'admin' }).where(eq(accounts.email, email)),
      403,
    ],
  ] as const)('a login creates no session when its password was checked before %s', async (_, change, status) => {
    const { email, id } = await site.createTestAccount()
    await site.ctx.db
      .update(accounts)
      .set({ passwordHash: await site.ctx.passwords.hash('short-1!') })
      .where(eq(accounts.id, id))
    const { verify } = argon2
    const verifySpy = vi.spyOn(argon2, 'verify').mockImplementationOnce(async (...given) => {
      const isRight = await verify(...given)
      await change(email)
      return isRight
    })
    expect(await site.post('login', { email, password: 'short-1!' })).toMatchObject({ status })
    verifySpy.mockRestore()
    expect(await site.ctx.db.$count(sessions, eq(sessions.accountId, id))).toBe(0)
    await site.ctx.db.delete(accounts).where(eq(accounts.id, id))
  })

  test('setting the password of an account ends its sessions', async () => {
    const { email, id } = await site.createTestAccount()
    const cookies = await site.signInAs(email)
    await expect(setPassword(site.ctx, id, 'short')).rejects.toThrow('at least 8')
    await setPassword(site.ctx, id, 'a-new-password')
    expect((await site.get('auth/user', cookies)).body.user).toBeNull()
    await site.signInAs(email, 'a-new-password')
  })
})
