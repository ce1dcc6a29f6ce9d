import { createTestContext, type TestContext, testConfig } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { sql } from 'drizzle-orm'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { NewAlert } from '../src/features/alerts/alert.ts'
import { createIssuer, type IssueAlert } from '../src/features/alerts/issue-alerts.ts'
import { checkLog } from '../src/features/tlog/check-log.ts'
import { Refusal } from '../src/refusal.ts'
import { appendSample } from './support/sample-entry.ts'

/**
 * Tests that alerts that are issued concurrently share transactions but otherwise do not affect
 * each other.
 */

const database = useTestDatabase()
let opened: TestContext
let transactions: number
let issue: IssueAlert

beforeEach(async () => {
  opened = await createTestContext(testConfig({ databaseUrl: await database.createDatabase() }))
  transactions = 0
  issue = createIssuer({
    ...opened.ctx,
    failpoint(at) {
      if (at === 'append: after lock') transactions += 1
    },
  })
})
afterEach(async () => {
  await opened.close()
})

const content = { asset: 'A', summary: 's', regime: '', anomalyType: '', confidence: 50, priority: 'low' } as const
const newAlert = (change: Partial<NewAlert['content']> = {}): NewAlert => ({
  content: { ...content, ...change },
  origin: 'admin',
  broadcast: true,
})
const signal = (signalId: string): NewAlert => ({
  ...newAlert(),
  origin: 'feed',
  signalId,
  signalHash: `0x${'ab'.repeat(32)}`,
})

async function stored(): Promise<{ entries: number; alerts: number; deliveries: number }> {
  const { rows } = await opened.ctx.db.execute<Record<string, number>>(sql`
    select (select count(*)::int from log_entries) as entries, (select count(*)::int from alerts) as alerts,
      (select count(*)::int from deliveries) as deliveries`)
  return { entries: rows[0]?.entries ?? 0, alerts: rows[0]?.alerts ?? 0, deliveries: rows[0]?.deliveries ?? 0 }
}

test('group commit: a hundred concurrent alerts take two transactions and keep their order', async () => {
  const issued = await Promise.all(Array.from({ length: 100 }, (_, index) => issue(newAlert({ summary: `${index}` }))))
  expect(transactions).toBe(2)
  expect(issued.map(({ alert }) => alert.logIndex)).toEqual(Array.from({ length: 100 }, (_, index) => index))
  expect(await stored()).toEqual({ entries: 100, alerts: 100, deliveries: 100 })
  await checkLog(opened.ctx)
})

test('group commit: a repeated signal creates one alert, even within one transaction', async () => {
  const before = await issue(signal('old'))
  const first = issue(newAlert())
  const issued = await Promise.all([signal('new'), signal('old'), signal('new'), signal('new')].map(issue))
  await first
  expect(issued.map(({ isNew }) => isNew)).toEqual([true, false, false, false])
  expect(issued[1]?.alert.id).toBe(before.alert.id)
  expect(new Set(issued.map(({ alert }) => alert.id)).size).toBe(2)
  expect(await stored()).toMatchObject({ entries: 3, alerts: 3 })
})

test('group commit: an alert that can’t be stored or signed does not fail the others', async () => {
  const first = issue(newAlert())
  const bad = [newAlert({ summary: 'a\0b' }), newAlert({ asset: '\ud800' })]
  const outcomes = await Promise.allSettled([newAlert(), ...bad, newAlert()].map(issue))
  await first
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
  expect(await stored()).toEqual({ entries: 3, alerts: 3, deliveries: 3 })
  await checkLog(opened.ctx)
})

test('group commit: a rejected alert does not fail the others', async () => {
  const { alert } = await issue(newAlert())
  const first = issue(newAlert())
  const retraction = { kind: 'retraction', targetId: alert.id, reason: 'r', broadcast: false } as const
  const outcomes = await Promise.allSettled([issue(retraction), issue(retraction), issue(newAlert())])
  await first
  expect(transactions).toBeLessThan(4)
  expect(outcomes).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: { code: 'alert_retracted' } },
    { status: 'fulfilled' },
  ])
})

test('group commit: an alert of a session that has ended does not fail the others', async () => {
  const alsoWrite = async () => {
    throw new Refusal('not_signed_in', 'Sign in first')
  }
  const first = issue(newAlert())
  const outcomes = await Promise.allSettled([signal('of the feed'), { ...newAlert(), alsoWrite }].map(issue))
  await first
  expect(outcomes).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: { code: 'not_signed_in' } }])
  expect(await stored()).toMatchObject({ entries: 2, alerts: 2 })
})

test('group commit: stores and broadcasts nothing when the head of the log is an older copy', async () => {
  const { ctx } = opened
  await appendSample(ctx)
  await ctx.db.execute(sql`create table kept as select * from log_head`)
  // Append an entry that the copy lacks. Its index is the next one by the copy, so a new alert with
  // this index would satisfy the foreign key to the entries.
  await appendSample(ctx)
  await ctx.db.execute(sql`delete from log_head`)
  await ctx.db.execute(sql`insert into log_head select * from kept`)
  await expect(issue(newAlert())).rejects.toThrow(/^The head of the log is damaged: it names 1 entries/)
  expect(await stored()).toEqual({ entries: 2, alerts: 0, deliveries: 0 })
  await expect(issue(newAlert())).rejects.toMatchObject({ code: 'log_stopped' })
})

test('group commit: a lost connection fails its whole batch atomically, and the next batch succeeds', async () => {
  const alsoWrite: NewAlert['alsoWrite'] = async (tx) => {
    await tx.execute(sql`select pg_terminate_backend(pg_backend_pid())`)
  }
  const first = issue(newAlert())
  const batch = [newAlert(), newAlert(), newAlert(), newAlert(), { ...newAlert(), alsoWrite }]
  const outcomes = await Promise.allSettled(batch.map(issue))
  await first
  expect(outcomes.map(({ status }) => status)).toEqual(Array(5).fill('rejected'))
  expect(transactions).toBe(2)
  expect(await stored()).toEqual({ entries: 1, alerts: 1, deliveries: 1 })
  expect((await issue(newAlert())).alert.logIndex).toBe(1)
  await checkLog(opened.ctx)
})
