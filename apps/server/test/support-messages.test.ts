import type { endpoints } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { supportMessages, supportReplies } from '../src/db/schema/support.ts'
import { deleteMessagesOfAccount, listMessagesOfAccount } from '../src/features/support/store.ts'
import * as letters from '../src/features/support/support-message-routes.ts'
import { type AdminFixture, createAdminFixture, readRefusal } from './admin-fixture.ts'

type Endpoints = typeof endpoints

const database = useTestDatabase()
let fixture: AdminFixture
let support: string
let writer: string

beforeAll(async () => {
  fixture = await createAdminFixture(database)
})
afterAll(() => fixture?.box.close())
beforeEach(async () => {
  const { db } = fixture.box.ctx
  await db.delete(supportMessages)
  fixture.box.mails.length = 0
  const name = crypto.randomUUID()
  support = await fixture.addAccount(`Support ${name}`, { role: 'support' })
  writer = await fixture.addAccount(`Ada ${name}`)
})

async function addMessage(change: Partial<typeof supportMessages.$inferInsert> = {}): Promise<number> {
  const [row] = await fixture.box.ctx.db
    .insert(supportMessages)
    .values({
      ...{ name: 'Ada', email: 'ada@example.com', subject: 'My plan <b>', message: 'When does it end?' },
      ...{ category: 'billing', accountId: writer, at: fixture.clock.now(), ...change },
    })
    .returning()
  fixture.clock.advance(1)
  return row?.id ?? 0
}
const asSupport = { role: 'support' as const }
const listMessages = (query: object = {}) =>
  letters.listSupportMessages(
    fixture.box.ctx,
    fixture.ask<Endpoints['listLetters']>(support, { ...asSupport, query: { limit: 50, ...query } }),
  )
const findMessage = (id: number) =>
  letters.findSupportMessage(
    fixture.box.ctx,
    fixture.ask<Endpoints['findLetter']>(support, { ...asSupport, params: { id } }),
  )
const replyToMessage = (id: number, text = 'At noon.', state: 'waiting' | 'closed' = 'waiting') => {
  const input = { ...asSupport, params: { id }, body: { text, state } }
  return letters.replyToSupportMessage(fixture.box.ctx, fixture.ask<Endpoints['answerLetter']>(support, input))
}
const addNote = (id: number, text: string) =>
  letters.noteSupportMessage(
    fixture.box.ctx,
    fixture.ask<Endpoints['noteLetter']>(support, { ...asSupport, params: { id }, body: { text } }),
  )
const changeMessage = (id: number, body: object) =>
  letters.changeSupportMessage(
    fixture.box.ctx,
    fixture.ask<Endpoints['changeLetter']>(support, { ...asSupport, params: { id }, body }),
  )

describe('support messages: requests are rejected', () => {
  test('for an unknown message, and nothing is mailed', async () => {
    for (const attempt of [
      findMessage,
      replyToMessage,
      (id: number) => addNote(id, 'x'),
      (id: number) => changeMessage(id, { state: 'closed' }),
    ]) {
      expect((await readRefusal(attempt(9))).code).toBe('not_found')
    }
    expect(fixture.box.mails).toEqual([])
    expect(await fixture.box.ctx.db.$count(supportReplies)).toBe(0)
  })

  test('for an assignment to an account that may not reply to support messages', async () => {
    const id = await addMessage()
    const publisher = await fixture.addAccount(`Publisher ${id}`, { role: 'publisher' })
    const suspended = await fixture.addAccount(`Gone ${id}`, { role: 'support', suspendedAt: fixture.clock.now() })
    for (const assigneeId of [writer, publisher, suspended, '00000000-0000-4000-8000-000000000000']) {
      expect((await readRefusal(changeMessage(id, { assigneeId }))).code).toBe('not_found')
    }
    expect((await findMessage(id)).assignee).toBeNull()
  })
})

test('support messages: are listed in pages, newest first, and filtered by state, account, assignee and text', async () => {
  const [first, second, third] = [
    await addMessage(),
    await addMessage({ subject: '100% off' }),
    await addMessage({ accountId: null }),
  ]
  await changeMessage(second, { assigneeId: support })
  await replyToMessage(third, 'Done.', 'closed')
  const readIds = async (query: object) => (await listMessages(query)).items.map(({ id }) => id)
  expect(await readIds({})).toEqual([third, second, first])
  expect(await readIds({ state: 'open' })).toEqual([second, first])
  expect(await readIds({ mine: 'true' })).toEqual([third, second])
  expect(await readIds({ account: writer })).toEqual([second, first])
  expect(await readIds({ search: '100% OFF' })).toEqual([second])
  expect(await readIds({ search: '1__% off' })).toEqual([])
  const page = await listMessages({ limit: 2 })
  expect([page.items.length, page.nextCursor, page.openCount]).toEqual([2, second, 2])
  expect(await readIds({ limit: 2, cursor: page.nextCursor })).toEqual([first])
  expect(page.oldestOpenAt).toBe((await findMessage(first)).at)
})

test('support messages: replies are mailed as one thread with escaped HTML, and assign the message to their author', async () => {
  const id = await addMessage()
  await replyToMessage(id, 'At <i>noon</i>.\n\nRegards,\nMara')
  fixture.clock.advance(HOUR_MS)
  const { replies, state, assignee } = await replyToMessage(id, 'Is it solved?', 'closed')
  expect([state, assignee?.id, replies.map(({ text }) => text)]).toEqual([
    'closed',
    support,
    ['At <i>noon</i>.\n\nRegards,\nMara', 'Is it solved?'],
  ])
  const [first, second] = fixture.box.mails
  expect(first).toMatchObject({ to: 'ada@example.com', subject: 'Re: My plan <b>' })
  expect(first?.html).toContain('At &lt;i&gt;noon&lt;/i&gt;.')
  expect(first?.html).toContain('Regards,<br>Mara')
  expect(first?.html).toContain('When does it end?')
  const host = new URL(fixture.box.ctx.config.http.publicUrl).hostname
  const root = `<letter-${id}@${host}>`
  expect(first?.headers).toMatchObject({ 'In-Reply-To': root, References: root })
  expect(second?.headers).toMatchObject({
    'In-Reply-To': first?.headers?.['Message-ID'],
    References: `${root} ${first?.headers?.['Message-ID']}`,
  })
  expect(second?.headers?.['Message-ID']).not.toBe(first?.headers?.['Message-ID'])
})

test('support messages: notes are neither mailed nor part of the sender’s export', async () => {
  const id = await addMessage()
  await addNote(id, 'Asked twice this week.')
  expect(fixture.box.mails).toEqual([])
  expect(await findMessage(id)).toMatchObject({ state: 'open', notes: 1, answers: 0 })
  const exported = JSON.stringify(await listMessagesOfAccount(fixture.box.ctx.db, writer))
  expect(exported).toContain('When does it end?')
  expect(exported).not.toMatch(/Asked twice|assignee|state/)
})

test('support messages: each change is written to the audit log once, without the text', async () => {
  const auditCountBefore = (await fixture.audited()).length
  const id = await addMessage()
  await changeMessage(id, { assigneeId: support, state: 'waiting' })
  await changeMessage(id, { assigneeId: support, state: 'waiting' })
  await addNote(id, 'secret words')
  await replyToMessage(id, 'secret words')
  const newAuditEntries = (await fixture.audited()).slice(auditCountBefore)
  expect(newAuditEntries).toEqual([
    ['letter_changed', String(id), null],
    ['letter_noted', String(id), null],
    ['letter_answered', String(id), null],
  ])
})

test('support messages: are deleted with their replies and notes when the account is deleted', async () => {
  const id = await addMessage()
  await addNote(id, 'A note')
  await fixture.box.ctx.db.transaction((tx) => deleteMessagesOfAccount(tx, writer))
  expect((await readRefusal(findMessage(id))).code).toBe('not_found')
  expect(await fixture.box.ctx.db.$count(supportReplies)).toBe(0)
})
