import { allAlerts, type endpoints, listPermissions, type Segment } from '@tocsin/protocol'
import { DAY_MS, HOUR_MS } from '@tocsin/protocol/durations'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { eq, sql } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { accounts } from '../src/db/schema/accounts.ts'
import { destinations } from '../src/db/schema/channels.ts'
import { messageRecipients, messages } from '../src/db/schema/outreach.ts'
import { unsubscribe } from '../src/features/channels/message-links.ts'
import * as admin from '../src/features/outreach/admin-routes.ts'
import { findAnnouncements } from '../src/features/outreach/routes.ts'
import { sendBatch } from '../src/features/outreach/run-messages.ts'
import { suppressNews } from '../src/mail/suppressions.ts'
import { type AdminScene, createAdminScene, refusalOf } from './admin-scene.ts'

type Endpoints = typeof endpoints

const database = useTestDatabase()
let scene: AdminScene
let owner: string

beforeEach(async () => {
  scene = await createAdminScene(database)
  owner = await scene.addAccount('Owner', { role: 'owner' })
})
afterEach(async () => {
  await scene.box.close()
})

const inHours = (hours: number) => new Date(scene.clock.now().getTime() + hours * HOUR_MS).toISOString()
const verified = () => ({ emailVerifiedAt: scene.clock.now() })

describe('announcements', () => {
  type Body = Parameters<typeof admin.createAnnouncement>[1]['body']
  const announce = (body: Partial<Body>) =>
    admin.createAnnouncement(
      scene.box.ctx,
      scene.ask<Endpoints['createAnnouncement']>(owner, {
        body: { text: 'Maintenance', audience: 'all', onPublicPages: false, until: inHours(1), ...body },
      }),
    )
  const seenBy = async (accountId: string | null, role: 'user' | 'support' = 'user') => {
    const actor = accountId === null ? null : { accountId, permissions: listPermissions(role) }
    const input = { actor } as unknown as Parameters<typeof findAnnouncements>[1]
    return (await findAnnouncements(scene.box.ctx, input)).map(({ text }) => text)
  }

  test('are refused when they end before they begin, or in the past', async () => {
    for (const times of [{ until: inHours(-1) }, { from: inHours(2), until: inHours(1) }, { until: inHours(0) }]) {
      expect((await refusalOf(announce(times))).code).toBe('malformed')
    }
    expect(await scene.audited()).toEqual([])
  })

  test('are read by their audience only', async () => {
    const subscriber = await scene.addAccount('Subscriber')
    await scene.addPeriod(subscriber, -1, 5)
    const free = await scene.addAccount('Free')
    for (const audience of ['all', 'signed-in', 'with-plan', 'without-plan', 'staff'] as const) {
      await announce({ audience, text: audience })
      scene.clock.advance(1)
    }
    await announce({ text: 'public', onPublicPages: true })
    expect(await seenBy(null)).toEqual(['public'])
    expect(await seenBy(free)).toEqual(['all', 'signed-in', 'without-plan', 'public'])
    expect(await seenBy(subscriber)).toEqual(['all', 'signed-in', 'with-plan', 'public'])
    expect(await seenBy(free, 'support')).toEqual(['all', 'signed-in', 'without-plan', 'staff', 'public'])
    scene.clock.advance(1 * HOUR_MS)
    expect(await seenBy(subscriber)).toEqual([])
  })

  test('are not visible before they begin, and not after a member of staff has ended them', async () => {
    const { id } = await announce({ from: inHours(1), until: inHours(3), onPublicPages: true })
    expect(await seenBy(null)).toEqual([])
    scene.clock.advance(HOUR_MS)
    expect(await seenBy(null)).toEqual(['Maintenance'])
    const end = () =>
      admin.endAnnouncement(scene.box.ctx, scene.ask<Endpoints['endAnnouncement']>(owner, { params: { id } }))
    await end()
    expect(await seenBy(null)).toEqual([])
    expect((await refusalOf(end())).code).toBe('not_found')
    expect(await scene.audited()).toEqual([
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

const preview = (change: Content = {}) =>
  admin.previewMessage(
    scene.box.ctx,
    scene.ask<Endpoints['previewMessage']>(owner, { body: { ...content, ...change } }),
  )
const send = (count: number, change: Content = {}) =>
  admin.createMessage(
    scene.box.ctx,
    scene.ask<Endpoints['createMessage']>(owner, { body: { ...content, ...change, count } }),
  )
const cancel = (id: string) =>
  admin.cancelMessage(scene.box.ctx, scene.ask<Endpoints['cancelMessage']>(owner, { params: { id } }))
const list = async () =>
  admin.listMessages(scene.box.ctx, scene.ask<Endpoints['listMessages']>(owner, { query: { limit: 50 } }))

async function sendAll(limit = 20): Promise<void> {
  for (let round = 0; round < 1_000; round++) if ((await sendBatch(scene.box.ctx, limit)) === 'idle') return
  throw new Error('The message does not end')
}
const mailed = () => scene.box.mails.map(({ to }) => to).sort()

describe('segments', () => {
  test('count exactly the accounts that meet the condition, without suspended and unverified ones', async () => {
    const people = {
      never: await scene.addAccount('Never', verified()),
      ending: await scene.addAccount('Ending', verified()),
      running: await scene.addAccount('Running', verified()),
      ended: await scene.addAccount('Ended', verified()),
      longAgo: await scene.addAccount('Long Ago', verified()),
      suspended: await scene.addAccount('Suspended', { ...verified(), suspendedAt: scene.clock.now() }),
      unverified: await scene.addAccount('Unverified'),
    }
    await scene.addPeriod(people.ending, -1, 5)
    await scene.addPeriod(people.running, -1, 23, { planId: '24h' })
    // The next period begins when the first one ends, so access continues.
    await scene.addPeriod(people.running, 23, 95, { planId: '3d' })
    await scene.addPeriod(people.ended, -30, -24)
    await scene.addPeriod(people.longAgo, -1_000, -994)
    for (const id of [people.suspended, people.unverified]) await scene.addPeriod(id, -1, 5)
    const counted = async (segment: Segment) => (await preview({ segment })).count
    expect(await counted({ kind: 'all' })).toBe(5)
    expect(await counted({ kind: 'with-plan' })).toBe(2)
    expect(await counted({ kind: 'ending', days: 1 })).toBe(1)
    expect(await counted({ kind: 'ending', days: 4 })).toBe(2)
    expect(await counted({ kind: 'ended', days: 1 })).toBe(0)
    expect(await counted({ kind: 'ended', days: 2 })).toBe(1)
    expect(await counted({ kind: 'ended', days: 365 })).toBe(2)
    expect(await counted({ kind: 'never-bought' })).toBe(1)
    expect(await counted({ kind: 'by-plan', planType: '24h' })).toBe(1)
    expect(await counted({ kind: 'by-plan', planType: '3d' })).toBe(0)
    expect(await counted({ kind: 'by-chain', chainId: 31337 })).toBe(4)
    expect(await counted({ kind: 'by-chain', chainId: 1 })).toBe(0)
  })
})

describe('messages to a segment', () => {
  const addPeople = async (count: number) => {
    const at = scene.clock.now()
    await scene.box.ctx.db.insert(accounts).values(
      Array.from({ length: count }, (_, index) => ({
        name: `Person ${index}`,
        email: `person-${index}@example.com`,
        createdAt: at,
        emailVerifiedAt: at,
      })),
    )
  }

  test('are refused when the segment is not the one that was previewed, and nothing is stored', async () => {
    await addPeople(3)
    expect(await refusalOf(send(2))).toMatchObject({ code: 'segment_changed', details: { count: 3 } })
    expect(await scene.box.ctx.db.$count(messages)).toBe(0)
    expect(await scene.box.ctx.db.$count(messageRecipients)).toBe(0)
    expect(await sendBatch(scene.box.ctx, 20)).toBe('idle')
  })

  test('reach each recipient once although the process is killed in the middle of batches', async () => {
    await addPeople(55)
    await send(55)
    const { ctx } = scene.box
    let calls = 0
    const dying = {
      ...ctx,
      sendMail: async (...args: Parameters<typeof ctx.sendMail>) => {
        calls += 1
        if (calls % 33 === 0) throw new Error('killed')
        // The queue of the test is in memory, so it is filled only when the transaction can no
        // longer fail.
        queued.push(args[1].to)
      },
    }
    const queued: string[] = []
    const sent: string[] = []
    for (let round = 0; round < 100; round++) {
      const before = queued.length
      const result = await sendBatch(dying, 20).catch(() => 'killed')
      if (result === 'killed') queued.length = before
      else sent.push(...queued.slice(before))
      if (result === 'idle') break
    }
    expect(new Set(sent).size).toBe(55)
    expect(sent).toHaveLength(55)
    expect((await list()).items[0]).toMatchObject({ state: 'done', total: 55, sent: 55, skipped: 0 })
  })

  test('are sent once by two instances at the same time', async () => {
    await addPeople(40)
    await send(40)
    await Promise.all([sendAll(7), sendAll(7)])
    expect(mailed()).toHaveLength(40)
    expect(new Set(mailed()).size).toBe(40)
  })

  test('escape markup, and news can be ended by one click', async () => {
    await addPeople(1)
    expect((await preview()).preview).toContain('token=…')
    await send(1)
    await sendAll()
    const [mail] = scene.box.mails
    expect(mail?.html).toContain('News &lt;b&gt;1&lt;/b&gt;')
    expect(mail?.html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(mail?.html).not.toContain('<script>')
    expect(mail?.headers?.['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click')
    const token = /unsubscribe\/([^>]+)>/.exec(mail?.headers?.['List-Unsubscribe'] ?? '')?.[1] ?? ''
    await unsubscribe(scene.box.ctx, token)
    await unsubscribe(scene.box.ctx, token)
    expect((await refusalOf(unsubscribe(scene.box.ctx, `${token.slice(0, -2)}xx`))).code).toBe('not_found')
    expect((await preview()).count).toBe(0)
    expect((await preview({ kind: 'service' })).count).toBe(1)
    expect((await list()).unsubscribed).toBe(1)
    await send(1, { kind: 'service' })
    await sendAll()
    expect(scene.box.mails).toHaveLength(2)
    expect(scene.box.mails[1]?.headers).toBeUndefined()
  })

  test('skip those who unsubscribe, are suspended or lose their address after it was created', async () => {
    await addPeople(4)
    await send(4)
    const { db } = scene.box.ctx
    await suppressNews(db, 'person-0@example.com', scene.clock.now())
    await db.update(accounts).set({ suspendedAt: scene.clock.now() }).where(eq(accounts.email, 'person-1@example.com'))
    await db.update(accounts).set({ emailVerifiedAt: null }).where(eq(accounts.email, 'person-2@example.com'))
    await sendAll()
    expect(mailed()).toEqual(['person-3@example.com'])
    expect((await list()).items[0]).toMatchObject({ state: 'done', sent: 1, skipped: 3 })
  })

  test('stop when they are cancelled', async () => {
    await addPeople(30)
    const { id } = await send(30)
    await sendBatch(scene.box.ctx, 10)
    await cancel(id)
    expect(await sendBatch(scene.box.ctx, 10)).toBe('idle')
    expect(mailed()).toHaveLength(10)
    expect((await list()).items[0]).toMatchObject({ state: 'cancelled', sent: 10, total: 30 })
    expect((await refusalOf(cancel(id))).code).toBe('already_resolved')
    expect((await refusalOf(cancel('no id'))).code).toBe('not_found')
    expect(await scene.audited()).toEqual([
      ['message_sent', id, null],
      ['message_cancelled', id, null],
    ])
  })

  test('by channel are stored for one healthy destination of each account with a plan', async () => {
    const { db } = scene.box.ctx
    const [anna, bert, chris] = [
      await scene.addAccount('Anna'),
      await scene.addAccount('Bert'),
      await scene.addAccount('Chris'),
    ]
    const destination = (accountId: string, change: Partial<typeof destinations.$inferInsert> = {}) => ({
      ...{ accountId, kind: 'webhook' as const, name: 'Bot', host: 'example.com', sealed: '', state: 'on' as const },
      ...{ createdAt: scene.clock.now(), rules: allAlerts, ...change },
    })
    for (const id of [anna, bert]) await scene.addPeriod(id, -1, 5)
    await db
      .insert(destinations)
      .values([
        destination(anna, { state: 'failing', failingSince: scene.clock.now() }),
        destination(anna, { notice: 'An earlier notice' }),
        destination(anna),
        destination(bert, { notice: 'An earlier notice' }),
        destination(chris),
      ])
    await send(2, { via: 'channel' })
    await sendBatch(scene.box.ctx, 20)
    const notices = async (accountId: string) =>
      (await db.select().from(destinations).where(eq(destinations.accountId, accountId))).map(({ notice }) => notice)
    const text = `${content.subject}\n\n${content.text}`
    expect((await notices(anna)).filter((notice) => notice === text)).toHaveLength(1)
    // Bert's only destination has another notice. The message to him waits and does not replace the
    // notice.
    expect(await notices(bert)).toEqual(['An earlier notice'])
    expect((await list()).items[0]).toMatchObject({ state: 'running', sent: 1 })
    await db.update(destinations).set({ notice: null }).where(eq(destinations.accountId, bert))
    await sendAll()
    expect(await notices(bert)).toEqual([text])
    expect(await notices(chris)).toEqual([null])
    expect((await list()).items[0]).toMatchObject({ state: 'done', sent: 2, skipped: 0 })
  })

  test('by channel do not hold up later messages while a recipient is busy, and give up after a day', async () => {
    const anna = await scene.addAccount('Anna')
    await scene.addPeriod(anna, -1, 5)
    await scene.box.ctx.db.insert(destinations).values({
      ...{ accountId: anna, kind: 'webhook' as const, name: 'Bot', host: 'example.com', sealed: '' },
      ...{ state: 'on' as const, createdAt: scene.clock.now(), notice: 'A notice that its endpoint refuses' },
    })
    const { id } = await send(1, { via: 'channel' })
    expect(await sendBatch(scene.box.ctx, 20)).toBe('busy')
    await addPeople(1)
    await send(1)
    await sendBatch(scene.box.ctx, 20)
    expect(mailed()).toEqual(['person-0@example.com'])
    const byChannel = async () => (await list()).items.find((message) => message.id === id)
    scene.clock.advance(DAY_MS - 1)
    expect(await sendBatch(scene.box.ctx, 20)).toBe('busy')
    expect(await byChannel()).toMatchObject({ state: 'running', skipped: 0 })
    scene.clock.advance(1)
    await sendAll()
    expect(await byChannel()).toMatchObject({ state: 'done', sent: 0, skipped: 1 })
  })

  test('read one batch of recipients at a time when there are 5,000', async () => {
    await scene.box.ctx.db.execute(sql`
      insert into accounts (name, email, email_verified_at, created_at)
      select 'Person', 'person-' || n || '@example.com', now(), now() from generate_series(1, 5000) n`)
    expect((await preview()).count).toBe(5_000)
    await send(5_000)
    await sendBatch(scene.box.ctx, 20)
    expect(mailed()).toHaveLength(20)
    expect((await list()).items[0]).toMatchObject({ state: 'running', total: 5_000, sent: 20 })
  })
})
