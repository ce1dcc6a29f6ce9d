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
const createAlert = (change: Partial<NewAlert['content']> = {}): NewAlert => ({
  content: { ...content, ...change },
  origin: 'admin',
  broadcast: true,
})
const createSignalAlert = (signalId: string): NewAlert => ({
  ...createAlert(),
  origin: 'feed',
  signalId,
  signalHash: `0x${'ab'.repeat(32)}`,
})

async function countStored(): Promise<{ entries: number; alerts: number; deliveries: number }> {
  const { rows } = await opened.ctx.db.execute<Record<string, number>>(sql`
    select (select count(*)::int from log_entries) as entries, (select count(*)::int from alerts) as alerts,
      (select count(*)::int from deliveries) as deliveries`)
  return { entries: rows[0]?.entries ?? 0, alerts: rows[0]?.alerts ?? 0, deliveries: rows[0]?.deliveries ?? 0 }
}

test('group commit: a hundred concurrent alerts take two transactions and keep their order', async () => {
  const issued = await Promise.all(
    Array.from({ length: 100 }, (_, index) => issue(createAlert({ summary: `${index}` }))),
  )
  expect(transactions).toBe(2)
  expect(issued.map(({ alert }) => alert.logIndex)).toEqual(Array.from({ length: 100 }, (_, index) => index))
  expect(await countStored()).toEqual({ entries: 100, alerts: 100, deliveries: 100 })
  await checkLog(opened.ctx)
})

test('group commit: a repeated signal creates one alert, even within one transaction', async () => {
  const earlierAlert = await issue(createSignalAlert('old'))
  const first = issue(createAlert())
  const issuedAlerts = await Promise.all(
    [createSignalAlert('new'), createSignalAlert('old'), createSignalAlert('new'), createSignalAlert('new')].map(issue),
  )
  await first
  expect(issuedAlerts.map(({ isNew }) => isNew)).toEqual([true, false, false, false])
  expect(issuedAlerts[1]?.alert.id).toBe(earlierAlert.alert.id)
  expect(new Set(issuedAlerts.map(({ alert }) => alert.id)).size).toBe(2)
  expect(await countStored()).toMatchObject({ entries: 3, alerts: 3 })
})

test('group commit: an alert that can’t be stored or signed does not fail the others', async () => {
  const firstIssue = issue(createAlert())
  const badAlerts = [createAlert({ summary: 'a\0b' }), createAlert({ asset: '\ud800' })]
  const outcomes = await Promise.allSettled([createAlert(), ...badAlerts, createAlert()].map(issue))
  await firstIssue
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
  expect(await countStored()).toEqual({ entries: 3, alerts: 3, deliveries: 3 })
  await checkLog(opened.ctx)
})

test('group commit: a rejected alert does not fail the others', async () => {
  const { alert } = await issue(createAlert())
  const firstIssue = issue(createAlert())
  const retraction = { kind: 'retraction', targetId: alert.id, reason: 'r', broadcast: false } as const
  const outcomes = await Promise.allSettled([issue(retraction), issue(retraction), issue(createAlert())])
  await firstIssue
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
  const first = issue(createAlert())
  const outcomes = await Promise.allSettled(
    [createSignalAlert('of the feed'), { ...createAlert(), alsoWrite }].map(issue),
  )
  await first
  expect(outcomes).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: { code: 'not_signed_in' } }])
  expect(await countStored()).toMatchObject({ entries: 2, alerts: 2 })
})

test('group commit: an invalid alert among 64 costs a few transactions, not one for each alert', async () => {
  const first = issue(createAlert())
  const batch = Array.from({ length: 64 }, (_, index) => createAlert(index === 40 ? { summary: 'a\0b' } : {}))
  const outcomes = await Promise.allSettled(batch.map(issue))
  await first
  expect(outcomes.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([40])
  // The first alert, the batch, and two halves on each of six levels.
  expect(transactions).toBe(1 + 1 + 2 * 6)
  const indexes = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.alert.logIndex] : []))
  expect(indexes).toEqual(Array.from({ length: 63 }, (_, index) => index + 1))
  await checkLog(opened.ctx)
})

test('group commit: stops the log and stores nothing when the stored log head is behind the entries', async () => {
  const { ctx } = opened
  await appendSample(ctx)
  await ctx.db.execute(sql`create table kept as select * from log_head`)
  // Append an entry after the copy was made. By the copied head, a new alert gets the index of this
  // entry, so the foreign key from alerts to log entries does not reject the alert.
  await appendSample(ctx)
  await ctx.db.execute(sql`delete from log_head`)
  await ctx.db.execute(sql`insert into log_head select * from kept`)
  await expect(issue(createAlert())).rejects.toThrow(/^The head of the log is damaged: it names 1 entries/)
  expect(await countStored()).toEqual({ entries: 2, alerts: 0, deliveries: 0 })
  await expect(issue(createAlert())).rejects.toMatchObject({ code: 'log_stopped' })
})

test('group commit: a lost connection fails its whole batch atomically, and the next batch succeeds', async () => {
  const alsoWrite: NewAlert['alsoWrite'] = async (tx) => {
    await tx.execute(sql`select pg_terminate_backend(pg_backend_pid())`)
  }
  const firstIssue = issue(createAlert())
  const batch = [createAlert(), createAlert(), createAlert(), createAlert(), { ...createAlert(), alsoWrite }]
  const outcomes = await Promise.allSettled(batch.map(issue))
  await firstIssue
  expect(outcomes.map(({ status }) => status)).toEqual(Array(5).fill('rejected'))
  expect(transactions).toBe(2)
  expect(await countStored()).toEqual({ entries: 1, alerts: 1, deliveries: 1 })
  expect((await issue(createAlert())).alert.logIndex).toBe(1)
  await checkLog(opened.ctx)
})
