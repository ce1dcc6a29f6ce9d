import { listPermissions } from '@tocsin/protocol'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { eventually } from '@tocsin/testkit/eventually'
import { sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type SmtpServer, startSmtpServer } from '../../../test/support/smtp-test-server.ts'
import { type Cookies, PASSWORD, type Site, startSite } from '../../../test/support/test-site.ts'
import type { Mail } from '../../context.ts'
import { openDatabase } from '../../db/database.ts'
import { totpFactors } from '../../db/schema/factors.ts'
import { createMailer } from '../../mail/mailer.ts'
import { createDelivery } from '../../mail/transport.ts'
import { applyDueResets, cancelResetOf, requestReset } from '../factors/reset.ts'
import { createMailLinks } from './mail-link.ts'

const pollMs = 10
let site: Site
let smtp: SmtpServer
let queue: Awaited<ReturnType<typeof startQueue>>

beforeAll(async () => {
  site = await startSite()
})
afterAll(() => site?.stop())
beforeEach(async () => {
  smtp = await startSmtpServer()
  queue = await startQueue()
})
afterEach(async () => {
  await queue.stop()
  smtp.server.close()
})

/** Starts a queue that sends the emails of the site to the mail server. */
async function startQueue() {
  const opened = openDatabase(site.ctx.config.databaseUrl, () => {})
  const config = { ...site.ctx.config, mail: { ...site.ctx.config.mail, smtpUrl: `smtp://127.0.0.1:${smtp.port}` } }
  const links = createMailLinks(opened.db, site.clock)
  const mailer = createMailer(opened.pool, createDelivery(config, site.clock), site.ctx.logger, { pollMs, links })
  await mailer.prepare()
  mailer.start()
  const listJobs = async () => (await opened.db.execute<{ state: string }>(sql`select state from pgboss.job`)).rows
  return {
    send: (mail: Mail | undefined) => mailer.sendMail(opened.db, mail as Mail),
    /** Waits until every queued email has failed. */
    failed: (count: number) =>
      eventually(async () => expect(await listJobs()).toEqual(Array(count).fill({ state: 'retry' }))),
    /** Repeats the failed emails now and waits until the queue is empty. */
    async sendAgain() {
      await opened.db.execute(sql`update pgboss.job set start_after = now() where state = 'retry'`)
      mailer.look()
      await eventually(async () => expect(await listJobs()).toEqual([]))
    },
    async stop() {
      await mailer.stop()
      await opened.close()
    },
  }
}

const checkToken = async (token: string) => (await site.post('reset-password/check', { token })).body
const countTexts = () => smtp.lines.filter((line) => line === '.').length

/** Requests a reset of the second factors of a new account with an authenticator app. */
async function requestFactorReset() {
  const [{ email, id: accountId }, { id: actorId }] = [await site.createTestAccount(), await site.createTestAccount()]
  const at = site.clock.now()
  const app = { accountId, sealedSecret: '', sessionId: actorId, createdAt: at, confirmedAt: at }
  await site.ctx.db.insert(totpFactors).values(app)
  const action = { by: { actorId, requestId: 'r' }, permissions: listPermissions('owner'), accountId }
  await requestReset(site.ctx, { ...action, reason: 'Lost phone' })
  return { email, ...action }
}

test('a reset link works for a whole hour when the mail server was unreachable for two hours', async () => {
  const { email } = await site.createTestAccount()
  const token = await site.requestResetToken(email)
  smtp.isDown = true
  await queue.send(site.mails.at(-1))
  await queue.failed(1)
  site.clock.advance(2 * HOUR_MS)
  smtp.isDown = false
  await queue.sendAgain()
  expect(countTexts()).toBe(1)
  site.clock.advance(HOUR_MS - 1)
  expect(await checkToken(token)).toMatchObject({ success: true })
  site.clock.advance(1)
  expect(await checkToken(token)).toMatchObject({ success: false, expired: true })
})

test('a link for a change of address works for an hour after a late delivery, and a replaced link is not sent', async () => {
  const { email } = await site.createTestAccount()
  const cookies = await site.signInAs(email)
  smtp.isDown = true
  const tokens: string[] = []
  for (const time of [1, 2]) {
    await site.call('PUT', '/api/account/email', { email: `late${time}-${email}` }, cookies)
    tokens.push(site.lastLink().token)
    await queue.send(site.mails.at(-1))
  }
  await queue.failed(2)
  site.clock.advance(2 * HOUR_MS)
  smtp.isDown = false
  await queue.sendAgain()
  expect(countTexts()).toBe(1)
  expect(smtp.lines.join('\n')).toContain(`To: late2-${email}`)
  site.clock.advance(HOUR_MS - 1)
  const cookiesNow = await site.signInAs(email)
  const [former, latest] = await Promise.all(
    tokens.map((token) => site.call('GET', `/api/auth/verify-email?token=${token}`, undefined, cookiesNow)),
  )
  expect(former?.body).toMatchObject({ success: false })
  expect(latest?.body).toMatchObject({ success: true })
})

test('a pending email address is removed from the profile at the same time whether the address is free or taken', async () => {
  const { email: takenEmail } = await site.createTestAccount()
  smtp.isDown = true
  const browsers: Cookies[] = []
  for (const newEmail of ['free-address@example.com', takenEmail]) {
    const { email } = await site.createTestAccount()
    const cookies = await site.signInAs(email)
    browsers.push(cookies)
    await site.call('PUT', '/api/account/email', { email: newEmail }, cookies)
    await queue.send(site.mails.at(-1))
  }
  const listPendingEmails = async () => {
    const profiles = await Promise.all(browsers.map((cookies) => site.get('account', cookies)))
    return profiles.map(({ body }) => body.pendingEmail)
  }
  await queue.failed(2)
  site.clock.advance(30 * MINUTE_MS)
  smtp.isDown = false
  await queue.sendAgain()
  expect(countTexts()).toBe(2)
  site.clock.advance(HOUR_MS - 1)
  expect(await listPendingEmails()).toEqual(['free-address@example.com', takenEmail])
  site.clock.advance(1)
  expect(await listPendingEmails()).toEqual([null, null])
})

test('a link is sent again when its delivery is uncertain, but its expiry is not extended', async () => {
  const { email } = await site.createTestAccount()
  const token = await site.requestResetToken(email)
  site.clock.advance(MINUTE_MS)
  smtp.textAnswer = null
  await queue.send(site.mails.at(-1))
  await queue.failed(1)
  site.clock.advance(40 * MINUTE_MS)
  smtp.textAnswer = '250 ok'
  await queue.sendAgain()
  expect(countTexts()).toBe(2)
  site.clock.advance(20 * MINUTE_MS)
  expect(await checkToken(token)).toMatchObject({ success: false, expired: true })
})

test('a link is not sent again when its delivery is uncertain and the link has expired', async () => {
  const { email } = await site.createTestAccount()
  await site.requestResetToken(email)
  smtp.textAnswer = null
  await queue.send(site.mails.at(-1))
  await queue.failed(1)
  site.clock.advance(HOUR_MS + 1)
  smtp.textAnswer = '250 ok'
  await queue.sendAgain()
  expect(countTexts()).toBe(1)
})

test('a link whose email was rejected works for a whole hour after a later attempt', async () => {
  const { email } = await site.createTestAccount()
  const token = await site.requestResetToken(email)
  smtp.textAnswer = '451 try again later'
  await queue.send(site.mails.at(-1))
  await queue.failed(1)
  site.clock.advance(2 * HOUR_MS)
  smtp.textAnswer = '250 ok'
  await queue.sendAgain()
  site.clock.advance(HOUR_MS - 1)
  expect(await checkToken(token)).toMatchObject({ success: true })
})

test('second factors are removed a day after the warning was sent when the mail server was down for two days', async () => {
  const { email } = await requestFactorReset()
  const signsInWithoutFactor = async () => {
    await applyDueResets(site.ctx)
    return (await site.post('login', { email, password: PASSWORD })).body.success
  }
  smtp.isDown = true
  await queue.send(site.mails.at(-1))
  await queue.failed(1)
  site.clock.advance(2 * DAY_MS)
  expect(await signsInWithoutFactor(), 'before the warning').toBe(false)
  smtp.isDown = false
  await queue.sendAgain()
  site.clock.advance(DAY_MS - 1)
  expect(await signsInWithoutFactor(), 'before the delay has ended').toBe(false)
  site.clock.advance(1)
  expect(await signsInWithoutFactor()).toBe(true)
})

test('a warning about a reset of second factors is not sent when the reset was cancelled before', async () => {
  const { accountId, by, permissions } = await requestFactorReset()
  const warning = site.mails.at(-1)
  await cancelResetOf(site.ctx, by, accountId, permissions)
  await queue.send(warning)
  await queue.sendAgain()
  expect(countTexts()).toBe(0)
})

test('a delayed email with a reset link is not sent when the link was already used', async () => {
  const { email } = await site.createTestAccount()
  const token = await site.requestResetToken(email)
  smtp.isDown = true
  await queue.send(site.mails.at(-1))
  await queue.failed(1)
  expect((await site.post('reset-password', { token, newPassword: 'kelp79' })).status).toBe(200)
  smtp.isDown = false
  await queue.sendAgain()
  expect(countTexts()).toBe(0)
})
