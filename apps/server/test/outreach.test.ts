import { allAlerts, type endpoints, listPermissions, type Segment } from '@tocsin/protocol'
import { DAY_MS, HOUR_MS } from '@tocsin/protocol/durations'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { eq, sql } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { accounts } from '../src/db/schema/accounts.ts'
import { destinations } from '../src/db/schema/channels.ts'
import { messageRecipients, messages } from '../src/db/schema/outreach.ts'
import { unsubscribe } from '../src/features/channels/message-links.ts'
import { createLinkToken } from '../src/features/channels/signed-link.ts'
import * as admin from '../src/features/outreach/admin-routes.ts'
import { findAnnouncements } from '../src/features/outreach/routes.ts'
import { sendBatch } from '../src/features/outreach/run-messages.ts'
import { suppressNews } from '../src/mail/suppressions.ts'
import { type AdminFixture, createAdminFixture, readRefusal } from './admin-fixture.ts'

type Endpoints = typeof endpoints

const database = useTestDatabase()
let fixture: AdminFixture
let owner: string

beforeEach(async () => {
  fixture = await createAdminFixture(database)
  owner = await fixture.addAccount('Owner', { role: 'owner' })
})
afterEach(async () => {
  await fixture.box.close()
})

const inHours = (hours: number) => new Date(fixture.clock.now().getTime() + hours * HOUR_MS).toISOString()
const getVerifiedFields = () => ({ emailVerifiedAt: fixture.clock.now() })

describe('announcements', () => {
  type Body = Parameters<typeof admin.createAnnouncement>[1]['body']
  const createAnnouncement = (body: Partial<Body>) =>
    admin.createAnnouncement(
      fixture.box.ctx,
      fixture.ask<Endpoints['createAnnouncement']>(owner, {
        body: { text: 'Maintenance', audience: 'all', onPublicPages: false, until: inHours(1), ...body },
      }),
    )
  const listTextsFor = async (accountId: string | null, role: 'user' | 'support' = 'user') => {
    const actor = accountId === null ? null : { accountId, permissions: listPermissions(role) }
    const input = { actor } as unknown as Parameters<typeof findAnnouncements>[1]
    return (await findAnnouncements(fixture.box.ctx, input)).map(({ text }) => text)
  }

  test('are refused when they end before they begin, or in the past', async () => {
    for (const times of [{ until: inHours(-1) }, { from: inHours(2), until: inHours(1) }, { until: inHours(0) }]) {
      expect((await readRefusal(createAnnouncement(times))).code).toBe('malformed')
    }
    expect(await fixture.audited()).toEqual([])
  })

  test('are read by their audience only', async () => {
    const subscriber = await fixture.addAccount('Subscriber')
    await fixture.addPeriod(subscriber, -1, 5)
    const free = await fixture.addAccount('Free')
    for (const audience of ['all', 'signed-in', 'with-plan', 'without-plan', 'staff'] as const) {
      await createAnnouncement({ audience, text: audience })
      fixture.clock.advance(1)
    }
    await createAnnouncement({ text: 'public', onPublicPages: true })
    expect(await listTextsFor(null)).toEqual(['public'])
    expect(await listTextsFor(free)).toEqual(['all', 'signed-in', 'without-plan', 'public'])
    expect(await listTextsFor(subscriber)).toEqual(['all', 'signed-in', 'with-plan', 'public'])
    expect(await listTextsFor(free, 'support')).toEqual(['all', 'signed-in', 'without-plan', 'staff', 'public'])
    fixture.clock.advance(1 * HOUR_MS)
    expect(await listTextsFor(subscriber)).toEqual([])
  })

  test('are not visible before they begin, and not after a member of staff has ended them', async () => {
    const { id } = await createAnnouncement({ from: inHours(1), until: inHours(3), onPublicPages: true })
    expect(await listTextsFor(null)).toEqual([])
    fixture.clock.advance(HOUR_MS)
    expect(await listTextsFor(null)).toEqual(['Maintenance'])
    const endAnnouncement = () =>
      admin.endAnnouncement(fixture.box.ctx, fixture.ask<Endpoints['endAnnouncement']>(owner, { params: { id } }))
    await endAnnouncement()
    expect(await listTextsFor(null)).toEqual([])
    expect((await readRefusal(endAnnouncement())).code).toBe('not_found')
    expect(await fixture.audited()).toEqual([
      ['announcement_created', id, null],
      ['announcement_ended', id, null],
    ])
  })
})

const content = {
  via: 'mail' as const,
  kind: 'news' as const,
  segment: { kind: 'all' } as Segment,
  subject: 'News <b>1</b>',
  text: 'First <script>alert(1)</script>\n\nSecond & last',
}
type Content = Partial<Omit<typeof content, 'via' | 'kind'> & { via: 'mail' | 'channel'; kind: 'news' | 'service' }>

const previewMessage = (change: Content = {}) =>
  admin.previewMessage(
    fixture.box.ctx,
    fixture.ask<Endpoints['previewMessage']>(owner, { body: { ...content, ...change } }),
  )
const createMessage = (count: number, change: Content = {}) =>
  admin.createMessage(
    fixture.box.ctx,
    fixture.ask<Endpoints['createMessage']>(owner, { body: { ...content, ...change, count } }),
  )
const cancelMessage = (id: string) =>
  admin.cancelMessage(fixture.box.ctx, fixture.ask<Endpoints['cancelMessage']>(owner, { params: { id } }))
const listMessages = async () =>
  admin.listMessages(fixture.box.ctx, fixture.ask<Endpoints['listMessages']>(owner, { query: { limit: 50 } }))

async function sendAll(limit = 20): Promise<void> {
  for (let round = 0; round < 1_000; round++) if ((await sendBatch(fixture.box.ctx, limit)) === 'idle') return
  throw new Error('The message does not end')
}
const listRecipients = () => fixture.box.mails.map(({ to }) => to).sort()
const readUnsubscribeToken = () =>
  /unsubscribe\/([^>]+)>/.exec(fixture.box.mails[0]?.headers?.['List-Unsubscribe'] ?? '')?.[1] ?? ''

describe('segments', () => {
  test('count exactly the accounts that meet the condition, without suspended and unverified ones', async () => {
    const accounts = {
      never: await fixture.addAccount('Never', getVerifiedFields()),
      ending: await fixture.addAccount('Ending', getVerifiedFields()),
      running: await fixture.addAccount('Running', getVerifiedFields()),
      ended: await fixture.addAccount('Ended', getVerifiedFields()),
      longAgo: await fixture.addAccount('Long Ago', getVerifiedFields()),
      suspended: await fixture.addAccount('Suspended', { ...getVerifiedFields(), suspendedAt: fixture.clock.now() }),
      unverified: await fixture.addAccount('Unverified'),
    }
    await fixture.addPeriod(accounts.ending, -1, 5)
    await fixture.addPeriod(accounts.running, -1, 23, { planId: '24h' })
    // The next period begins when the first one ends, so access continues.
    await fixture.addPeriod(accounts.running, 23, 95, { planId: '3d' })
    await fixture.addPeriod(accounts.ended, -30, -24)
    await fixture.addPeriod(accounts.longAgo, -1_000, -994)
    for (const id of [accounts.suspended, accounts.unverified]) await fixture.addPeriod(id, -1, 5)
    const countSegment = async (segment: Segment) => (await previewMessage({ segment })).count
    expect(await countSegment({ kind: 'all' })).toBe(5)
    expect(await countSegment({ kind: 'with-plan' })).toBe(2)
    expect(await countSegment({ kind: 'ending', days: 1 })).toBe(1)
    expect(await countSegment({ kind: 'ending', days: 4 })).toBe(2)
    expect(await countSegment({ kind: 'ended', days: 1 })).toBe(0)
    expect(await countSegment({ kind: 'ended', days: 2 })).toBe(1)
    expect(await countSegment({ kind: 'ended', days: 365 })).toBe(2)
    expect(await countSegment({ kind: 'never-bought' })).toBe(1)
    expect(await countSegment({ kind: 'by-plan', planType: '24h' })).toBe(1)
    expect(await countSegment({ kind: 'by-plan', planType: '3d' })).toBe(0)
    expect(await countSegment({ kind: 'by-chain', chainId: 31337 })).toBe(4)
    expect(await countSegment({ kind: 'by-chain', chainId: 1 })).toBe(0)
  })
})

describe('messages to a segment', () => {
  const addAccounts = async (count: number) => {
    const at = fixture.clock.now()
    await fixture.box.ctx.db.insert(accounts).values(
      Array.from({ length: count }, (_, index) => ({
        name: `Person ${index}`,
        email: `person-${index}@example.com`,
        createdAt: at,
        emailVerifiedAt: at,
      })),
    )
  }

  test('are refused and not stored when the number of recipients differs from the preview', async () => {
    await addAccounts(3)
    expect(await readRefusal(createMessage(2))).toMatchObject({ code: 'segment_changed', details: { count: 3 } })
    expect(await fixture.box.ctx.db.$count(messages)).toBe(0)
    expect(await fixture.box.ctx.db.$count(messageRecipients)).toBe(0)
    expect(await sendBatch(fixture.box.ctx, 20)).toBe('idle')
  })

  test('reach each recipient once although the process is killed in the middle of batches', async () => {
    await addAccounts(55)
    await createMessage(55)
    const { ctx } = fixture.box
    let calls = 0
    const dyingCtx = {
      ...ctx,
      sendMail: async (...args: Parameters<typeof ctx.sendMail>) => {
        calls += 1
        if (calls % 33 === 0) throw new Error('killed')
        // This queue is in memory and not part of the transaction, so the loop below removes the
        // recipients of a failed batch.
        queuedRecipients.push(args[1].to)
      },
    }
    const queuedRecipients: string[] = []
    const sentRecipients: string[] = []
    for (let round = 0; round < 100; round++) {
      const queuedBefore = queuedRecipients.length
      const result = await sendBatch(dyingCtx, 20).catch(() => 'killed')
      if (result === 'killed') queuedRecipients.length = queuedBefore
      else sentRecipients.push(...queuedRecipients.slice(queuedBefore))
      if (result === 'idle') break
    }
    expect(new Set(sentRecipients).size).toBe(55)
    expect(sentRecipients).toHaveLength(55)
    expect((await listMessages()).items[0]).toMatchObject({ state: 'done', total: 55, sent: 55, skipped: 0 })
  })

  test('are sent once by two instances at the same time', async () => {
    await addAccounts(40)
    await createMessage(40)
    await Promise.all([sendAll(7), sendAll(7)])
    expect(listRecipients()).toHaveLength(40)
    expect(new Set(listRecipients()).size).toBe(40)
  })

  test('keep a link with a token in the preview, which masks only the unsubscribe token', async () => {
    const text = 'Open https://x.example/?token=abc'
    const { preview } = await previewMessage({ text })
    expect(preview).toContain(text)
    expect(preview).toMatch(/\/unsubscribe\?token=…$/m)
  })

  test('escape markup, and one click unsubscribes from news but not from service messages', async () => {
    await addAccounts(1)
    expect((await previewMessage()).preview).toContain('token=…')
    await createMessage(1)
    await sendAll()
    const [mail] = fixture.box.mails
    expect(mail?.html).toContain('News &lt;b&gt;1&lt;/b&gt;')
    expect(mail?.html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(mail?.html).not.toContain('<script>')
    expect(mail?.headers?.['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click')
    const token = readUnsubscribeToken()
    // Routes refuse longer path parameters.
    expect(token.length).toBeLessThanOrEqual(100)
    await unsubscribe(fixture.box.ctx, token)
    await unsubscribe(fixture.box.ctx, token)
    expect((await readRefusal(unsubscribe(fixture.box.ctx, `${token.slice(0, -2)}xx`))).code).toBe('not_found')
    expect((await previewMessage()).count).toBe(0)
    expect((await previewMessage({ kind: 'service' })).count).toBe(1)
    expect((await listMessages()).unsubscribed).toBe(1)
    await createMessage(1, { kind: 'service' })
    await sendAll()
    expect(fixture.box.mails).toHaveLength(2)
    expect(fixture.box.mails[1]?.headers).toBeUndefined()
  })

  test('are still sent to the new address of an account when a link in an email to its former address is opened', async () => {
    await addAccounts(1)
    await createMessage(1)
    await sendAll()
    const { ctx } = fixture.box
    const isFormer = eq(accounts.email, 'person-0@example.com')
    await ctx.db.update(accounts).set({ email: 'new@example.com' }).where(isFormer)
    await unsubscribe(ctx, readUnsubscribeToken())
    // The former address belongs to another account now, and has unsubscribed.
    await addAccounts(1)
    await createMessage(1)
    await sendAll()
    expect(listRecipients()).toEqual(['new@example.com', 'person-0@example.com'])
  })

  test('are not sent to an account that has opened a link in an email of an earlier version', async () => {
    const accountId = await fixture.addAccount('Anna', getVerifiedFields())
    const { ctx } = fixture.box
    await unsubscribe(ctx, createLinkToken(ctx.config, 'messages', accountId))
    expect((await previewMessage()).count).toBe(0)
  })

  test('skip those who unsubscribe, are suspended or lose their address after the message was created', async () => {
    await addAccounts(4)
    await createMessage(4)
    const { db } = fixture.box.ctx
    await suppressNews(db, 'person-0@example.com', fixture.clock.now())
    await db
      .update(accounts)
      .set({ suspendedAt: fixture.clock.now() })
      .where(eq(accounts.email, 'person-1@example.com'))
    await db.update(accounts).set({ emailVerifiedAt: null }).where(eq(accounts.email, 'person-2@example.com'))
    await sendAll()
    expect(listRecipients()).toEqual(['person-3@example.com'])
    expect((await listMessages()).items[0]).toMatchObject({ state: 'done', sent: 1, skipped: 3 })
  })

  test('stop when they are cancelled', async () => {
    await addAccounts(30)
    const { id } = await createMessage(30)
    await sendBatch(fixture.box.ctx, 10)
    await cancelMessage(id)
    expect(await sendBatch(fixture.box.ctx, 10)).toBe('idle')
    expect(listRecipients()).toHaveLength(10)
    expect((await listMessages()).items[0]).toMatchObject({ state: 'cancelled', sent: 10, total: 30 })
    expect((await readRefusal(cancelMessage(id))).code).toBe('already_resolved')
    expect((await readRefusal(cancelMessage('no id'))).code).toBe('not_found')
    expect(await fixture.audited()).toEqual([
      ['message_sent', id, null],
      ['message_cancelled', id, null],
    ])
  })

  test('are queued for one healthy destination of each account with a plan when they are sent by channel', async () => {
    const { db } = fixture.box.ctx
    const [anna, bert, chris] = [
      await fixture.addAccount('Anna'),
      await fixture.addAccount('Bert'),
      await fixture.addAccount('Chris'),
    ]
    const createDestination = (accountId: string, change: Partial<typeof destinations.$inferInsert> = {}) => ({
      ...{ accountId, kind: 'webhook' as const, name: 'Bot', host: 'example.com', sealed: '', state: 'on' as const },
      ...{ createdAt: fixture.clock.now(), rules: allAlerts, ...change },
    })
    for (const id of [anna, bert]) await fixture.addPeriod(id, -1, 5)
    await db
      .insert(destinations)
      .values([
        createDestination(anna, { state: 'failing', failingSince: fixture.clock.now() }),
        createDestination(anna, { notice: 'An earlier notice' }),
        createDestination(anna),
        createDestination(bert, { notice: 'An earlier notice' }),
        createDestination(chris),
      ])
    await createMessage(2, { via: 'channel' })
    await sendBatch(fixture.box.ctx, 20)
    const listNotices = async (accountId: string) =>
      (await db.select().from(destinations).where(eq(destinations.accountId, accountId))).map(({ notice }) => notice)
    const text = `${content.subject}\n\n${content.text}`
    expect((await listNotices(anna)).filter((notice) => notice === text)).toHaveLength(1)
    // Bert's only destination has another notice. The message to him waits and does not replace the
    // notice.
    expect(await listNotices(bert)).toEqual(['An earlier notice'])
    expect((await listMessages()).items[0]).toMatchObject({ state: 'running', sent: 1 })
    await db.update(destinations).set({ notice: null }).where(eq(destinations.accountId, bert))
    await sendAll()
    expect(await listNotices(bert)).toEqual([text])
    expect(await listNotices(chris)).toEqual([null])
    expect((await listMessages()).items[0]).toMatchObject({ state: 'done', sent: 2, skipped: 0 })
  })

  test('sent by channel skip an account after its destination had an unsent notice for a day, and do not delay later messages', async () => {
    const anna = await fixture.addAccount('Anna')
    await fixture.addPeriod(anna, -1, 5)
    await fixture.box.ctx.db.insert(destinations).values({
      ...{ accountId: anna, kind: 'webhook' as const, name: 'Bot', host: 'example.com', sealed: '' },
      ...{ state: 'on' as const, createdAt: fixture.clock.now(), notice: 'A notice that its endpoint refuses' },
    })
    const { id } = await createMessage(1, { via: 'channel' })
    expect(await sendBatch(fixture.box.ctx, 20)).toBe('busy')
    await addAccounts(1)
    await createMessage(1)
    await sendBatch(fixture.box.ctx, 20)
    expect(listRecipients()).toEqual(['person-0@example.com'])
    const findChannelMessage = async () => (await listMessages()).items.find((message) => message.id === id)
    fixture.clock.advance(DAY_MS - 1)
    expect(await sendBatch(fixture.box.ctx, 20)).toBe('busy')
    expect(await findChannelMessage()).toMatchObject({ state: 'running', skipped: 0 })
    fixture.clock.advance(1)
    await sendAll()
    expect(await findChannelMessage()).toMatchObject({ state: 'done', sent: 0, skipped: 1 })
  })

  test('are sent to one batch of 20 recipients per run when there are 5,000', async () => {
    await fixture.box.ctx.db.execute(sql`
      insert into accounts (name, email, email_verified_at, created_at)
      select 'Person', 'person-' || n || '@example.com', now(), now() from generate_series(1, 5000) n`)
    expect((await previewMessage()).count).toBe(5_000)
    await createMessage(5_000)
    await sendBatch(fixture.box.ctx, 20)
    expect(listRecipients()).toHaveLength(20)
    expect((await listMessages()).items[0]).toMatchObject({ state: 'running', total: 5_000, sent: 20 })
  })
})
