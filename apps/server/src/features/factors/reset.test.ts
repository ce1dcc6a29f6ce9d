import { listPermissions } from '@tocsin/protocol'
import { DAY_MS, HOUR_MS } from '@tocsin/protocol/durations'
import { eq, sql } from 'drizzle-orm'
import { generateSync } from 'otplib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type Cookies, PASSWORD, type Site, startSite } from '../../../test/support/test-site.ts'
import { accounts, identities, sessions } from '../../db/schema/accounts.ts'
import { factorResets } from '../../db/schema/factors.ts'
import { changeRole } from '../accounts/admin-service.ts'
import { createMailLinks } from '../accounts/mail-link.ts'
import { createAccount } from '../accounts/service.ts'
import { lockAccount } from '../sessions/account-store.ts'
import { listTakeoverAlarms } from '../sessions/takeover-alarm.ts'
import { applyDueResets, endReset, findResetDueAt, resetFactorsNow } from './reset.ts'

let site: Site
let adminCookies: Cookies

beforeAll(async () => {
  site = await startSite()
  const password = 'a bell at the harbour'
  await createAccount(site.ctx, { email: 'root@example.com', name: 'Root', password, role: 'admin', verified: true })
  adminCookies = await site.signInAs('root@example.com', password)
})
afterAll(() => site.stop())

const mergeCookies = (cookies: Cookies, answer: Answer): Cookies => ({
  ...cookies,
  ...Object.fromEntries(answer.cookies.map(({ name, value }) => [name, value])),
})

async function createEnrolledAccount() {
  const { email, id } = await site.createTestAccount()
  return { email, id, cookies: await enrolApp(email) }
}

async function enrolApp(email: string): Promise<Cookies> {
  const cookies = await site.signInAs(email)
  const { secret } = (await site.call('POST', '/api/account/factors/totp', {}, cookies)).body
  const code = generateSync({ secret, epoch: Math.floor(site.clock.now().getTime() / 1000) })
  const done = await site.call('POST', '/api/account/factors/totp/confirm', { code }, cookies)
  expect(done.status, done.text).toBe(200)
  return mergeCookies(cookies, done)
}
const formatPath = (id: string) => `/api/admin/users/${id}/factor-reset`
const signInAdmin = async () => {
  adminCookies = await site.signInAs('root@example.com', 'a bell at the harbour')
}
/** Requests a reset. The mail server accepts its warning immediately. */
const requestReset = async (id: string) => {
  await signInAdmin()
  const answer = await site.call('POST', formatPath(id), { reason: 'lost phone' }, adminCookies)
  const link = site.mails.at(-1)?.link
  if (link) await createMailLinks(site.ctx.db, site.clock).recordAccepted(link)
  return answer
}
const listSubjectsTo = (email: string) => site.mails.filter(({ to }) => to === email).map(({ subject }) => subject)
const hasFactor = async (email: string) => !(await site.post('login', { email, password: PASSWORD })).body.success
/** Counts the statements that wait for a lock. */
async function countLockWaiters(): Promise<number> {
  const { rows } = await site.ctx.db.execute<{ n: number }>(sql`
    select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
  return rows[0]?.n ?? 0
}

describe('a reset of second factors', () => {
  test('applies after 24 hours, once, ends the sessions and notifies the owner twice', async () => {
    const { email, id, cookies } = await createEnrolledAccount()
    expect((await requestReset(id)).status).toBe(200)
    expect((await requestReset(id)).body.code, 'a second one').toBe('reset_under_way')
    expect((await site.get('account/factors', cookies)).body.resetDueAt).not.toBeNull()
    site.clock.advance(DAY_MS - 10_000)
    await applyDueResets(site.ctx)
    expect(await hasFactor(email), 'before it is due').toBe(true)
    site.clock.advance(10_000)
    await Promise.all([applyDueResets(site.ctx), applyDueResets(site.ctx)])
    expect(await hasFactor(email)).toBe(false)
    expect((await site.get('account', cookies)).status).toBe(401)
    const subjects = listSubjectsTo(email)
    expect(subjects).toContain('Your second factors will be removed')
    expect(subjects.filter((subject) => subject === 'Your second factors were removed')).toHaveLength(1)
  })

  test('can be cancelled with the emailed link, which works once, by the owner, or by an admin', async () => {
    const { email, id, cookies } = await createEnrolledAccount()
    await requestReset(id)
    const { token } = site.lastLink()
    expect((await site.post('cancel-factor-reset', { token: 'made up' })).body.code).toBe('token_invalid')
    expect((await site.post('cancel-factor-reset', { token })).status).toBe(200)
    expect((await site.post('cancel-factor-reset', { token })).body.code).toBe('token_invalid')
    await requestReset(id)
    expect((await site.call('DELETE', '/api/account/factors/reset', {}, cookies)).status).toBe(200)
    await requestReset(id)
    expect((await site.call('DELETE', formatPath(id), {}, adminCookies)).status).toBe(200)
    site.clock.advance(2 * DAY_MS)
    await applyDueResets(site.ctx)
    expect(await hasFactor(email)).toBe(true)
    expect(listSubjectsTo(email).filter((subject) => subject === 'Your second factors stay')).toHaveLength(3)
  })

  test('is not cancelled by the emailed link of an earlier reset that has ended', async () => {
    const { id, cookies } = await createEnrolledAccount()
    await requestReset(id)
    const { token } = site.lastLink()
    expect((await site.call('DELETE', formatPath(id), {}, adminCookies)).status).toBe(200)
    await requestReset(id)
    const answer = await site.post('cancel-factor-reset', { token })
    expect(answer.body).toMatchObject({
      code: 'token_invalid',
      message: 'This link is invalid, or the reset has already ended.',
    })
    expect((await site.get('account/factors', cookies)).body.resetDueAt).not.toBeNull()
  })

  test('is not applied before it is due when it replaces a due reset that was cancelled at the last moment', async () => {
    const { db, clock } = site.ctx
    const { email, id } = await createEnrolledAccount()
    await requestReset(id)
    site.clock.advance(DAY_MS)
    const dueAt = new Date(clock.now().getTime() + DAY_MS)
    const { job } = await db.transaction(async (tx) => {
      await lockAccount(tx, id)
      const job = applyDueResets(site.ctx)
      // The job has read the list of due resets and waits for the lock.
      await expect.poll(countLockWaiters).toBe(1)
      await endReset(site.ctx, tx, id, 'cancelled')
      await tx.insert(factorResets).values({ accountId: id, cancelHash: id, requestedAt: clock.now(), dueAt })
      return { job }
    })
    await job
    expect(await hasFactor(email)).toBe(true)
    expect(await findResetDueAt(db, id)).toEqual(dueAt)
  })

  test.each<[string, (account: { id: string; cookies: Cookies }) => Promise<void>]>([
    [
      'its owner removes the last one',
      async ({ cookies }) => {
        expect((await site.call('DELETE', '/api/account/factors/totp', {}, cookies)).status).toBe(200)
      },
    ],
    [
      'the account becomes staff',
      async ({ id }) => {
        const owner = { email: 'owner@example.com', name: 'Owner', password: 'a bell at the harbour', verified: true }
        const actorId = await createAccount(site.ctx, { ...owner, role: 'owner' })
        const action = { by: { actorId, requestId: 'r' }, permissions: listPermissions('owner'), reason: 'Shift' }
        await changeRole(site.ctx, { ...action, accountId: id, role: 'support' })
      },
    ],
  ])('ends when %s, and does not remove a factor that is enrolled after that', async (_, removeAll) => {
    const account = await createEnrolledAccount()
    expect((await requestReset(account.id)).status).toBe(200)
    await removeAll(account)
    await enrolApp(account.email)
    site.clock.advance(DAY_MS)
    await applyDueResets(site.ctx)
    expect(await hasFactor(account.email)).toBe(true)
  })

  test('is emailed without a reference to an announcement when an operator applies it immediately', async () => {
    const { email } = await createEnrolledAccount()
    await resetFactorsNow(site.ctx, email)
    const mail = site.mails.filter(({ to }) => to === email).at(-1)
    expect(mail?.text).toContain('The second factors of your Tocsin account were removed, and all sessions were ended.')
  })

  test('is refused for the admin’s own account, for accounts without a factor, and when requested by a user', async () => {
    const { id, cookies } = await createEnrolledAccount()
    await signInAdmin()
    const { user } = (await site.get('auth/user', adminCookies)).body
    expect((await requestReset(user.id)).body.code).toBe('own_account')
    const plain = await site.createTestAccount()
    expect((await requestReset(plain.id)).body.code).toBe('not_found')
    expect((await site.call('POST', formatPath(id), { reason: 'mine' }, cookies)).status).toBe(403)
    expect((await site.call('POST', formatPath(id), {}, adminCookies)).status, 'without a reason').toBe(400)
  })
})

describe('the takeover alarm', () => {
  test('is emailed to the former address, even if the address was changed before the factor was removed', async () => {
    const owner = await createEnrolledAccount()
    const newEmail = `moved-${crypto.randomUUID()}@example.com`
    expect((await site.call('PUT', '/api/account/email', { email: newEmail }, owner.cookies)).status).toBe(200)
    expect((await site.get(`auth/verify-email?token=${site.lastLink().token}`, owner.cookies)).body.success).toBe(true)
    expect((await site.call('DELETE', '/api/account/factors/totp', {}, owner.cookies)).status).toBe(200)
    const subject = 'An account may have been taken over'
    expect(listSubjectsTo(owner.email)).toContain(subject)
    expect(listSubjectsTo(newEmail)).not.toContain(subject)
  })

  test('is emailed to the former address when a reset removes the factors within an hour of the address change', async () => {
    const owner = await createEnrolledAccount()
    expect((await requestReset(owner.id)).status).toBe(200)
    site.clock.advance(DAY_MS - 60_000)
    // The owner of the session has just confirmed with the app.
    const factorAt = site.clock.now()
    await site.ctx.db.update(sessions).set({ factorAt }).where(eq(sessions.accountId, owner.id))
    const newEmail = `moved-${owner.email}`
    expect((await site.call('PUT', '/api/account/email', { email: newEmail }, owner.cookies)).status).toBe(200)
    expect((await site.get(`auth/verify-email?token=${site.lastLink().token}`, owner.cookies)).body.success).toBe(true)
    site.clock.advance(60_000)
    await applyDueResets(site.ctx)
    const subject = 'An account may have been taken over'
    expect(listSubjectsTo(owner.email)).toContain(subject)
    expect(listSubjectsTo(newEmail)).not.toContain(subject)
  })

  test('is emailed to admins at most once an hour, and to each address that the owner replaces', async () => {
    const owner = await createEnrolledAccount()
    const subject = 'An account may have been taken over'
    const removeApp = async (cookies: Cookies) =>
      expect((await site.call('DELETE', '/api/account/factors/totp', {}, cookies)).status).toBe(200)
    const changeEmail = async (email: string, cookies: Cookies) => {
      expect((await site.call('PUT', '/api/account/email', { email }, cookies)).status).toBe(200)
      const opened = await site.get(`auth/verify-email?token=${site.lastLink().token}`, cookies)
      expect(opened.body.success).toBe(true)
    }
    const countAlarmsTo = (email: string) =>
      site.mails.filter((mail) => mail.to === email && mail.subject === subject && mail.text.includes(owner.id)).length
    const [secondEmail, thirdEmail] = [1, 2].map((n) => `moved-${n}-${owner.email}`) as [string, string]
    await removeApp(owner.cookies)
    await changeEmail(secondEmail, owner.cookies)
    expect([owner.email, 'root@example.com'].map(countAlarmsTo)).toEqual([1, 1])

    site.clock.advance(60_000)
    const secondCookies = await enrolApp(secondEmail)
    await removeApp(secondCookies)
    expect([owner.email, secondEmail, 'root@example.com'].map(countAlarmsTo)).toEqual([1, 0, 1])
    await changeEmail(thirdEmail, secondCookies)
    expect([owner.email, secondEmail, thirdEmail, 'root@example.com'].map(countAlarmsTo)).toEqual([1, 1, 0, 1])

    site.clock.advance(2 * HOUR_MS)
    const thirdCookies = await enrolApp(thirdEmail)
    await removeApp(thirdCookies)
    await changeEmail(`moved-3-${owner.email}`, thirdCookies)
    expect([thirdEmail, 'root@example.com'].map(countAlarmsTo)).toEqual([1, 2])
  })

  test.each([
    ['within an hour', HOUR_MS - 120_000, 1],
    ['later', HOUR_MS, 0],
  ])('is raised only within an hour of a factor’s removal: address changed %s', async (_, passedMs, alarmCount) => {
    const owner = await createEnrolledAccount()
    const linkedIdentity = {
      issuer: 'https://id.example',
      provider: 'google' as const,
      subject: owner.id,
      email: `linked-${owner.email}`,
    }
    await site.ctx.db.insert(identities).values({ ...linkedIdentity, accountId: owner.id, linkedAt: site.clock.now() })
    expect((await site.call('DELETE', '/api/account/factors/totp', {}, owner.cookies)).status).toBe(200)
    site.clock.advance(passedMs)
    const cookies = await site.signInAs(owner.email)
    const next = `moved-${crypto.randomUUID()}@example.com`
    expect((await site.call('PUT', '/api/account/email', { email: next }, cookies)).status).toBe(200)
    expect((await site.get(`auth/verify-email?token=${site.lastLink().token}`, cookies)).body.success).toBe(true)
    const subject = 'An account may have been taken over'
    for (const to of [owner.email, linkedIdentity.email]) {
      expect(listSubjectsTo(to).filter((one) => one === subject)).toHaveLength(alarmCount)
    }
    const atAdmins = site.mails.filter(({ to, text }) => to === 'root@example.com' && text.includes(owner.id))
    expect(atAdmins).toHaveLength(alarmCount)
    const listOwnAlarms = async () => {
      const found = await listTakeoverAlarms(site.ctx.db, new Date(site.clock.now().getTime() - HOUR_MS))
      return found.filter(({ accountId }) => accountId === owner.id)
    }
    expect(await listOwnAlarms()).toHaveLength(alarmCount)
    await site.ctx.db.update(accounts).set({ suspendedAt: site.clock.now() }).where(eq(accounts.id, owner.id))
    expect(await listOwnAlarms()).toHaveLength(0)
  })
})
