import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fakeClock, testConfig } from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { sql } from 'drizzle-orm'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startSmtpServer } from '../../test/support/smtp-test-server.ts'
import { systemClock } from '../clock.ts'
import type { Config } from '../config.ts'
import { type OpenDatabase, openDatabase } from '../db/database.ts'
import { readQueues } from '../features/system/samples.ts'
import { passwordChangedMail, verifyEmailMail } from './account-mails.ts'
import { renderMail } from './layout.ts'
import { createMailer, type Mailer } from './mailer.ts'
import { listOutbox } from './outbox.ts'
import { createDelivery, type Deliver } from './transport.ts'

const logger = pino({ level: 'silent' })
const clock = fakeClock()
const signUp = { device: 'Firefox on Linux', at: clock.now(), expiresAt: clock.now(), hasOthers: false }
const mail = verifyEmailMail('ann@example.com', 'http://localhost:3000/verify-email?token=abc_-123', signUp)
const server = useTestDatabase()
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tocsin-mail-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const mailSettings = (outboxDir: string, smtpUrl: string | null = null): Config =>
  testConfig({ mail: { smtpUrl, outboxDir, from: 'Tocsin <tocsin@example.com>' } })

async function withMailer(
  deliver: Deliver,
  use: (mailer: Mailer, opened: OpenDatabase) => Promise<void>,
  pollMs?: number,
): Promise<void> {
  const opened = openDatabase(await server.createDatabase(), () => undefined)
  const mailer = createMailer(opened.pool, deliver, logger, pollMs === undefined ? {} : { pollMs })
  try {
    await mailer.prepare()
    mailer.start()
    await use(mailer, opened)
  } finally {
    await mailer.stop()
    await opened.close()
  }
}

const countJobs = async ({ db }: OpenDatabase) => {
  const { rows } = await db.execute<{ jobs: number }>(sql`select count(*)::int as jobs from pgboss.job`)
  return rows[0]?.jobs
}

test('sendMail: sends nothing when the transaction rolls back', async () => {
  const deliveredSubjects: string[] = []
  const deliver: Deliver = async (_id, { subject }) => void deliveredSubjects.push(subject)
  await withMailer(deliver, async (mailer, opened) => {
    const rolledBack = opened.db.transaction(async (tx) => {
      await mailer.sendMail(tx, mail)
      throw new Error('changed my mind')
    })
    await expect(rolledBack).rejects.toThrow('changed my mind')
    expect(await countJobs(opened)).toBe(0)
    await opened.db.transaction((tx) => mailer.sendMail(tx, passwordChangedMail('ann@example.com', 'http://x')))
    await expect.poll(() => deliveredSubjects).toEqual(['Your password was changed'])
  })
})

test('sendMail: throws when the queue does not exist yet', async () => {
  const opened = openDatabase(await server.createDatabase(), () => undefined)
  const mailer = createMailer(opened.pool, async () => undefined, logger)
  await expect(mailer.sendMail(opened.db, mail)).rejects.toThrow()
  await opened.close()
})

test('mailer: writes an email to the outbox within a second and deletes it from the database', async () => {
  const outboxDir = join(folder, 'outbox')
  expect(await listOutbox(outboxDir)).toEqual([])
  await withMailer(createDelivery(mailSettings(outboxDir), clock), async (mailer, opened) => {
    await opened.db.transaction((tx) => mailer.sendMail(tx, mail))
    await expect.poll(() => listOutbox(outboxDir)).toHaveLength(1)
    clock.advance(1000)
    await opened.db.transaction((tx) => mailer.sendMail(tx, { ...mail, subject: 'Später — and newer' }))
    await expect.poll(() => countJobs(opened)).toBe(0)
  })
  const [newest, oldest] = await listOutbox(outboxDir)
  expect(newest?.subject).toBe('Später — and newer')
  expect(oldest).toMatchObject({
    to: 'ann@example.com',
    subject: 'Verify your email address',
    links: ['http://localhost:3000/verify-email?token=abc_-123'],
  })
  const names = (await readdir(outboxDir)).sort()
  expect(names.map((name) => name.replace(/^.*\./, ''))).toEqual(['eml', 'json', 'eml', 'json'])
  const source = await readFile(join(outboxDir, names[0] ?? ''), 'utf8')
  expect(source).toMatch(/^From: Tocsin <tocsin@example.com>\r\n/m)
  expect(source).toMatch(/^To: ann@example.com\r\n/m)
})

test('mailer: retries failed deliveries until they succeed, even after a restart', async () => {
  let isBroken = true
  const deliveredIds: string[] = []
  const deliver: Deliver = async (id) => {
    if (isBroken) throw new Error('the mail server is down')
    deliveredIds.push(id)
  }
  const opened = openDatabase(await server.createDatabase(), () => undefined)
  const firstMailer = createMailer(opened.pool, deliver, logger)
  await firstMailer.prepare()
  firstMailer.start()
  await firstMailer.sendMail(opened.db, mail)
  const listJobs = async () => {
    const { rows } = await opened.db.execute<{ state: string; delay: number; limit: number }>(
      sql`select state, retry_limit as limit, extract(epoch from start_after - now())::float as delay from pgboss.job`,
    )
    return rows
  }
  const [retry] = await eventually(async () => {
    const rows = await listJobs()
    expect(rows).toMatchObject([{ state: 'retry', limit: 15 }])
    return rows
  })
  expect(retry?.delay).toBeLessThanOrEqual(6)
  const queue = { queue: 'mail' }
  const quietMetric = { name: 'tocsin_queue_age_seconds', value: 0, labels: queue }
  expect(await readQueues({ db: opened.db, clock: systemClock })).toContainEqual(quietMetric)
  await opened.db.execute(sql`update pgboss.job set start_after = now() - interval '1 minute'`)
  const delayedMetric = { name: 'tocsin_queue_age_seconds', value: expect.closeTo(60, -1), labels: queue }
  expect(await readQueues({ db: opened.db, clock: systemClock })).toContainEqual(delayedMetric)
  await firstMailer.stop()
  isBroken = false
  await opened.db.execute(sql`update pgboss.job set start_after = now()`)
  const secondMailer = createMailer(opened.pool, deliver, logger)
  await secondMailer.prepare()
  secondMailer.start()
  await expect.poll(() => deliveredIds).toHaveLength(1)
  await secondMailer.stop()
  expect(await listJobs()).toEqual([])
  await opened.close()
})

test('mailer: loses no email when the mail server is down for an hour', async () => {
  const pollMs = 10
  const smtp = await startSmtpServer()
  smtp.isDown = true
  const deliver = createDelivery(mailSettings('/nonexistent', `smtp://127.0.0.1:${smtp.port}`), clock)
  await withMailer(
    deliver,
    async (mailer, opened) => {
      const getRecipient = (index: number) => `person${index}@example.com`
      for (let index = 0; index < 5; index++) await mailer.sendMail(opened.db, { ...mail, to: getRecipient(index) })
      let simulatedSeconds = 0
      while (simulatedSeconds < 3_600) {
        // Wait until all emails have failed again. Then add the shortest time until a retry to the
        // simulated time, and make all retries due.
        const waitingSql = sql`select min(extract(epoch from start_after - now()))::float as wait, count(*)::int as jobs
        from pgboss.job where state = 'retry' and start_after > now()`
        const rows = await eventually(async () => {
          const found = await opened.db.execute<{ wait: number; jobs: number }>(waitingSql)
          expect(found.rows[0]?.jobs).toBe(5)
          return found.rows
        })
        simulatedSeconds += rows[0]?.wait ?? 0
        await opened.db.execute(sql`update pgboss.job set start_after = now()`)
      }
      smtp.isDown = false
      const listRecipients = () => smtp.lines.filter((line) => line.startsWith('RCPT TO')).sort()
      // A retry that was due while the server was down may have failed again.
      await eventually(async () => {
        await opened.db.execute(sql`update pgboss.job set start_after = now() where state = 'retry'`)
        expect(listRecipients()).toEqual([0, 1, 2, 3, 4].map((index) => `RCPT TO:<${getRecipient(index)}>`))
      })
      await expect.poll(() => countJobs(opened)).toBe(0)
      smtp.server.close()
    },
    pollMs,
  )
})

test('createDelivery: sends an email by SMTP to exactly one recipient', async () => {
  const { server: smtp, port, lines } = await startSmtpServer()
  const deliver = createDelivery(mailSettings('/nonexistent', `smtp://127.0.0.1:${port}`), clock)
  await deliver('id-1', { ...mail, to: 'ann@example.com' })
  smtp.close()
  expect(lines.filter((line) => /^(MAIL FROM|RCPT TO)/.test(line))).toEqual([
    'MAIL FROM:<tocsin@example.com>',
    'RCPT TO:<ann@example.com>',
  ])
  expect(lines).toContain('Message-ID: <id-1@localhost>')
})

test('createDelivery: throws when the SMTP server rejects the recipient', async () => {
  const { server: smtp, port } = await startSmtpServer('550 no such mailbox')
  const deliver = createDelivery(mailSettings('/nonexistent', `smtp://127.0.0.1:${port}`), clock)
  await expect(deliver('id-2', mail)).rejects.toThrow('550')
  smtp.close()
})

test('renderMail: escapes all content', () => {
  const evilText = `"><script>alert(1)</script>&'`
  const { html } = renderMail({
    preview: evilText,
    heading: evilText,
    paragraphs: [evilText],
    action: { label: evilText, url: `http://x/?a=1&b="${evilText}` },
    note: evilText,
  })
  expect(html).not.toContain('<script')
  expect(html.match(/&lt;script&gt;/g)).toHaveLength(8)
})

test('renderMail: keeps the line breaks within a paragraph in HTML', () => {
  const { html, text } = renderMail({ preview: '', heading: 'Reply', paragraphs: ['1. <Open>\n2. Link'], note: '' })
  expect(html).toContain('1. &lt;Open&gt;<br>2. Link</p>')
  expect(text).toContain('1. <Open>\n2. Link')
})
