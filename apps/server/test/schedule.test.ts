import { decodeAlert } from '@tocsin/proof'
import type { endpoints } from '@tocsin/protocol'
import { HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { eq } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { accounts } from '../src/db/schema/accounts.ts'
import { alerts } from '../src/db/schema/alerts.ts'
import { logEntries } from '../src/db/schema/log.ts'
import { scheduledAlerts } from '../src/db/schema/schedule.ts'
import { createIssuer } from '../src/features/alerts/issue-alerts.ts'
import * as schedule from '../src/features/schedule/routes.ts'
import { issueDueAlerts } from '../src/features/schedule/run-schedule.ts'
import { type AdminFixture, createAdminFixture, readRefusal } from './admin-fixture.ts'

type Endpoints = typeof endpoints

const database = useTestDatabase()
let fixture: AdminFixture
let publisher: string

beforeEach(async () => {
  fixture = await createAdminFixture(database)
  publisher = await fixture.addAccount('Publisher', { role: 'publisher' })
})
afterEach(async () => {
  await fixture.box.close()
})

const content = {
  ...{ asset: 'ETH', anomalyType: 'Volume spike', regime: 'Trending', summary: 'Funding at 14:00' },
  ...{ confidence: 90, priority: 'high' as const },
}
const asPublisher = { role: 'publisher' as const }
const inMs = (ms: number) => new Date(fixture.clock.now().getTime() + ms).toISOString()
const scheduleTestAlert = (ms: number, change: object = {}, by = publisher) =>
  schedule.scheduleAlert(
    fixture.box.ctx,
    fixture.ask<Endpoints['scheduleAlert']>(by, { ...asPublisher, body: { ...content, issueAt: inMs(ms), ...change } }),
  )
const editScheduled = (id: string, ms: number, summary: string, by = publisher) => {
  const input = { ...asPublisher, params: { id }, body: { ...content, summary, issueAt: inMs(ms) } }
  return schedule.changeScheduledAlert(fixture.box.ctx, fixture.ask<Endpoints['changeScheduledAlert']>(by, input))
}
const cancelScheduled = (id: string) =>
  schedule.cancelScheduledAlert(
    fixture.box.ctx,
    fixture.ask<Endpoints['cancelScheduledAlert']>(publisher, { ...asPublisher, params: { id } }),
  )
const listScheduled = async () => {
  const input = fixture.ask<Endpoints['listScheduledAlerts']>(publisher, { ...asPublisher, query: { limit: 20 } })
  return (await schedule.listScheduledAlerts(fixture.box.ctx, input)).items
}
const run = (ctx = fixture.box.ctx) => issueDueAlerts(ctx, createIssuer(ctx))
const changeAccount = (id: string, to: Partial<typeof accounts.$inferInsert>) =>
  fixture.box.ctx.db.update(accounts).set(to).where(eq(accounts.id, id))
const listSummaries = async () => (await fixture.box.ctx.db.select().from(alerts)).map(({ summary }) => summary)

describe('scheduled alerts: are refused', () => {
  test('when they are created with, or changed to, a time that is now or in the past', async () => {
    for (const ms of [0, -1, -HOUR_MS]) expect((await readRefusal(scheduleTestAlert(ms))).code).toBe('time_in_past')
    const { id } = await scheduleTestAlert(HOUR_MS)
    expect((await readRefusal(editScheduled(id, -1, 'Other'))).code).toBe('time_in_past')
    expect((await listScheduled())[0]).toMatchObject({ summary: content.summary, state: 'waiting' })
  })

  test('when a change or cancellation names an alert that is unknown, already issued or already cancelled', async () => {
    expect((await readRefusal(cancelScheduled('no id'))).code).toBe('not_found')
    const [issuedAlert, cancelledAlert] = [await scheduleTestAlert(1_000), await scheduleTestAlert(2_000)]
    await cancelScheduled(cancelledAlert.id)
    fixture.clock.advance(5_000)
    await run()
    for (const { id } of [issuedAlert, cancelledAlert]) {
      expect((await readRefusal(cancelScheduled(id))).code).toBe('already_resolved')
      expect((await readRefusal(editScheduled(id, HOUR_MS, 'Other'))).code).toBe('already_resolved')
    }
  })
})

describe('scheduled alerts', () => {
  test('are issued and signed with the time of issue once they are due, and add no log entry before that', async () => {
    const { id } = await scheduleTestAlert(HOUR_MS)
    const entriesBefore = await fixture.box.ctx.db.$count(logEntries)
    fixture.clock.advance(HOUR_MS - 1)
    await run()
    expect(await fixture.box.ctx.db.$count(logEntries)).toBe(entriesBefore)
    fixture.clock.advance(90_001)
    await run()
    const [row] = await fixture.box.ctx.db.select().from(alerts)
    const [entry] = await fixture.box.ctx.db
      .select()
      .from(logEntries)
      .where(eq(logEntries.index, row?.logIndex ?? -1))
    expect(entry && decodeAlert(entry.bytes)).toMatchObject({
      summary: content.summary,
      createdAt: fixture.clock.now().toISOString(),
    })
    expect((await listScheduled())[0]).toMatchObject({ id, state: 'issued', alertId: row?.id })
    expect(await fixture.audited()).toEqual([
      ['alert_scheduled', id, null],
      ['alert_created', row?.id, null],
    ])
  })

  test('are issued once when several runs of the schedule are concurrent, and not again by a later run', async () => {
    for (let index = 0; index < 5; index++) await scheduleTestAlert(1_000 + index, { summary: `Alert ${index}` })
    fixture.clock.advance(2_000)
    await Promise.all([run(), run(), run()])
    await run()
    expect((await listSummaries()).sort()).toEqual([0, 1, 2, 3, 4].map((at) => `Alert ${at}`))
  })

  test('are issued by the next run when the process is killed before the commit', async () => {
    await scheduleTestAlert(1_000)
    fixture.clock.advance(1_000)
    const dyingCtx = {
      ...fixture.box.ctx,
      failpoint: (name: string) => {
        if (name === 'append: before commit') throw new Error('killed')
      },
    }
    await run(dyingCtx)
    expect(await listSummaries()).toEqual([])
    expect((await listScheduled())[0]).toMatchObject({
      state: 'waiting',
      problem: expect.stringContaining('could not issue'),
    })
    await run()
    expect(await listSummaries()).toEqual([content.summary])
    expect((await listScheduled())[0]).toMatchObject({ state: 'issued', problem: null })
  })

  test('are shown as issued, without a problem, when the connection breaks after the commit', async () => {
    await scheduleTestAlert(1_000)
    fixture.clock.advance(1_000)
    const failpoint = (name: string) => {
      if (name === 'append: after commit') throw new Error('Connection terminated')
    }
    await run({ ...fixture.box.ctx, failpoint })
    expect(await listSummaries()).toEqual([content.summary])
    expect((await listScheduled())[0]).toMatchObject({ state: 'issued', problem: null })
  })

  test('are shown without the problem of their former content when they are changed before issuing them fails', async () => {
    const { id } = await scheduleTestAlert(1_000)
    fixture.clock.advance(1_000)
    await issueDueAlerts(fixture.box.ctx, async () => {
      await editScheduled(id, HOUR_MS, 'Changed')
      throw new Error('Connection terminated')
    })
    expect((await listScheduled())[0]).toMatchObject({ summary: 'Changed', state: 'waiting', problem: null })
  })

  test('are issued only at the new time and with the new content after a change', async () => {
    const { id } = await scheduleTestAlert(1_000)
    await editScheduled(id, HOUR_MS, 'Changed')
    fixture.clock.advance(5_000)
    await run()
    expect(await listSummaries()).toEqual([])
    fixture.clock.advance(HOUR_MS)
    await run()
    expect(await listSummaries()).toEqual(['Changed'])
  })

  test('are not issued when they are cancelled after the run has read them', async () => {
    const [first, second] = [await scheduleTestAlert(1_000), await scheduleTestAlert(1_000)]
    fixture.clock.advance(1_000)
    const { ctx } = fixture.box
    await issueDueAlerts(ctx, async (issue) => {
      await ctx.db.update(scheduledAlerts).set({ cancelledAt: fixture.clock.now() })
      return createIssuer(ctx)(issue)
    })
    expect(await listSummaries()).toEqual([])
    expect((await listScheduled()).map(({ id, state }) => [id, state]).sort()).toEqual(
      [first.id, second.id].sort().map((id) => [id, 'cancelled']),
    )
  })

  test.each<[string, () => Promise<unknown>]>([
    ['was suspended', () => changeAccount(publisher, { suspendedAt: fixture.clock.now() })],
    ['lost the role', () => changeAccount(publisher, { role: 'support' })],
    ['was deleted', () => fixture.box.ctx.db.delete(accounts).where(eq(accounts.id, publisher))],
  ])('are cancelled instead of issued when their author %s after scheduling them', async (_what, loseRights) => {
    const { id } = await scheduleTestAlert(1_000)
    const other = await fixture.addAccount('Other', { role: 'admin' })
    const { id: ofOther } = await scheduleTestAlert(1_000, { summary: 'Of another author' }, other)
    await loseRights()
    fixture.clock.advance(1_000)
    await run()
    expect(await listSummaries()).toEqual(['Of another author'])
    const byId = Object.fromEntries((await listScheduled()).map((one) => [one.id, one]))
    expect(byId[id]).toMatchObject({ state: 'cancelled', problem: expect.stringContaining('schedule it again') })
    expect(byId[ofOther]).toMatchObject({ state: 'issued' })
    const reason = 'Its author may no longer issue alerts'
    expect(await fixture.audited()).toContainEqual(['scheduled_alert_cancelled', id, reason])
  })

  test('are issued although their author is suspended, when another admin edited them before the suspension', async () => {
    const { id } = await scheduleTestAlert(1_000)
    const other = await fixture.addAccount('Other', { role: 'admin' })
    await editScheduled(id, 2_000, 'Approved', other)
    await changeAccount(publisher, { suspendedAt: fixture.clock.now() })
    fixture.clock.advance(2_000)
    await run()
    expect(await listSummaries()).toEqual(['Approved'])
    expect((await listScheduled())[0]).toMatchObject({ state: 'issued', createdBy: 'Other' })
  })

  test('are issued for their new author when an admin saves them again while they are cancelled for the former author', async () => {
    await scheduleTestAlert(1_000)
    const other = await fixture.addAccount('Other', { role: 'admin' })
    await changeAccount(publisher, { role: 'support' })
    fixture.clock.advance(1_000)
    const { ctx } = fixture.box
    // The request of the other admin began before the alert was due, and ends before the
    // transaction that cancels the alert.
    const transaction: typeof ctx.db.transaction = async (...args) => {
      await ctx.db.update(scheduledAlerts).set({ createdBy: other })
      return ctx.db.transaction(...args)
    }
    const db = new Proxy(ctx.db, {
      get: (target, key) => (key === 'transaction' ? transaction : Reflect.get(target, key)),
    })
    await run({ ...ctx, db })
    expect((await listScheduled())[0]).toMatchObject({ state: 'waiting', problem: null })
    await run()
    expect(await listSummaries()).toEqual([content.summary])
    expect((await listScheduled())[0]).toMatchObject({ state: 'issued', createdBy: 'Other' })
  })

  test('are marked as missed, and not issued, when the schedule first runs more than ten minutes after their time', async () => {
    await scheduleTestAlert(1_000)
    fixture.clock.advance(1_001 + 10 * MINUTE_MS)
    await run()
    expect(await listSummaries()).toEqual([])
    expect((await listScheduled())[0]?.state).toBe('missed')
  })
})
