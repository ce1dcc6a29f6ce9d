import { openDatabase } from '@tocsin/server/db/database.ts'
import { createLogger } from '@tocsin/server/logger.ts'
import { createMailer } from '@tocsin/server/mail/mailer.ts'
import { startTestDatabase, testConfig } from '@tocsin/testkit'
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { recordMails } from './customers.ts'

test('recordMails: records the id of an email sent on retry, but no email of a rolled-back transaction', async () => {
  const database = await startTestDatabase()
  const databaseUrl = await database.createDatabase()
  const { db, pool, close } = openDatabase(databaseUrl, () => {})
  const attemptedIds: string[] = []
  const deliverMail = async (id: string) => {
    attemptedIds.push(id)
    if (attemptedIds.length === 1) throw new Error('Try again later')
  }
  const mailer = createMailer(pool, deliverMail, createLogger(testConfig({ databaseUrl })), { pollMs: 100 })
  try {
    await mailer.prepare()
    await recordMails({ db })
    const mail = { to: 'ann@example.com', subject: 'Subject', text: 'Text', html: 'Text' }
    await mailer.sendMail(db, mail)
    const abortedTransaction = db.transaction(async (tx) => {
      await mailer.sendMail(tx, mail)
      throw new Error('The transaction fails')
    })
    await expect(abortedTransaction).rejects.toThrow('The transaction fails')
    mailer.start()
    const listRows = async (query: string) => (await db.execute(sql.raw(query))).rows
    await expect.poll(() => attemptedIds, { timeout: 60_000 }).toHaveLength(2)
    await expect.poll(() => listRows(`select id from pgboss.job where name = 'mail'`)).toEqual([])
    expect(attemptedIds[1]).toBe(attemptedIds[0])
    expect(await listRows('select * from harness.mails')).toEqual([{ id: attemptedIds[0], has_link: false }])
  } finally {
    await mailer.stop()
    await close()
    await database.stop()
  }
})
