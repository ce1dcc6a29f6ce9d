import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { startTcpProxy } from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { sql } from 'drizzle-orm'
import pg from 'pg'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type OpenDatabase, openDatabase } from './database.ts'
import { LeaseLost, leaderLocks, openLeadership, type Term, withFencing } from './leader.ts'
import { openNotificationBus } from './notification-bus.ts'

const logger = pino({ level: 'silent' })
const shortTimes = { ttlMs: 1_500, marginMs: 300, tickMs: 50 }
/** Lease times that are long enough not to expire when a process pauses on a busy machine. */
const longTimes = { ...shortTimes, ttlMs: 60_000 }

const server = useTestDatabase()
let url: string
let opened: OpenDatabase
const closers: (() => Promise<unknown>)[] = []

beforeEach(async () => {
  url = await server.createDatabase()
  opened = openDatabase(url, () => {})
})
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
  await opened.close()
})

const waitForAbort = ({ signal }: Term) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))

/** Starts an instance that leads the job whenever it obtains the lease. */
async function startInstance(
  databaseUrl = url,
  leaseTimes = shortTimes,
  heartbeatMs = leaseTimes.tickMs,
  work: (term: Term) => Promise<void> = waitForAbort,
) {
  const terms: Term[] = []
  const notifications = await openNotificationBus(databaseUrl, logger, heartbeatMs)
  const leadership = openLeadership(databaseUrl, notifications, logger, leaseTimes)
  const stopLeading = leadership.lead('payments', async (term) => {
    terms.push(term)
    await work(term)
  })
  let stopping: Promise<void> | null = null
  const stop = () => {
    stopping ??= stopLeading().then(leadership.close).then(notifications.close)
    return stopping
  }
  closers.push(stop)
  return { terms, stop, leads: () => leadership.held().length > 0 }
}

const waitUntil = (condition: () => boolean) => expect.poll(condition).toBe(true)

async function withProxy() {
  const proxy = await startTcpProxy(url)
  closers.push(proxy.close)
  return { proxy, proxied: proxy.url }
}

test('leadership: another instance takes over immediately, with a higher fencing token, when the leader stops', async () => {
  const first = await startInstance(url, longTimes)
  await waitUntil(first.leads)
  const second = await startInstance(url, longTimes)
  await first.stop()
  await waitUntil(second.leads)
  const { rows } = await opened.db.execute<{ token: string }>(sql`select token from leases where job = 'payments'`)
  expect(rows).toEqual([{ token: '2' }])
})

test('leadership: another instance takes over without waiting for its next heartbeat when the leader stops', async () => {
  const first = await startInstance(url, longTimes)
  await waitUntil(first.leads)
  const second = await startInstance(url, longTimes, HOUR_MS)
  await first.stop()
  await waitUntil(second.leads)
})

test('leadership: another instance takes over between two heartbeats when the lease of an unreachable leader expires', async () => {
  const { proxy, proxied } = await withProxy()
  const cut = await startInstance(proxied)
  await waitUntil(cut.leads)
  const other = await startInstance(url, shortTimes, HOUR_MS)
  proxy.dropData()
  await waitUntil(other.leads)
})

test('leadership: a leader steps down when its network drops packets, and leads again after its successor has stopped', async () => {
  const { proxy, proxied } = await withProxy()
  const cut = await startInstance(proxied)
  await waitUntil(cut.leads)
  const other = await startInstance()
  proxy.dropData()
  await waitUntil(other.leads)
  expect(cut.leads()).toBe(false)
  expect(cut.terms[0]?.signal.aborted).toBe(true)
  proxy.heal()
  await other.stop()
  await waitUntil(cut.leads)
})

test('leadership: a standby uses only the connection of its notification bus while it waits', async () => {
  const { proxy, proxied } = await withProxy()
  const leader = await startInstance(url, longTimes)
  await waitUntil(leader.leads)
  const standby = await startInstance(proxied, longTimes)
  await waitUntil(() => proxy.counts().chunks >= 25)
  expect(proxy.counts().connections).toBe(1)
  expect(standby.leads()).toBe(false)
})

test('leadership: an open fenced transaction prevents a takeover, and a fenced transaction that begins after a takeover fails', async () => {
  const { proxy, proxied } = await withProxy()
  const first = await startInstance(proxied)
  await waitUntil(first.leads)
  const [term] = first.terms
  if (!term) throw new Error('no term')
  const second = await startInstance()
  const db = withFencing(opened.db, term)
  await db.transaction(async (tx) => {
    proxy.dropData()
    // Wait until the lease has expired. After that, only the row lock of this transaction prevents
    // the second instance from taking over.
    await eventually(async () => {
      const { rows } = await tx.execute(sql`select 1 from leases where expires_at < clock_timestamp()`)
      expect(rows).toHaveLength(1)
    })
    await eventually(async () => {
      const { rows } = await opened.db.execute(
        sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      expect(rows).toHaveLength(1)
    })
    expect(second.leads()).toBe(false)
  })
  await waitUntil(second.leads)
  await expect(db.transaction(async () => {})).rejects.toThrow(LeaseLost)
  const pipelined = db.pipeline(async (_tx, { begun }) => {
    await begun
    throw new Error('The work went on')
  })
  await expect(pipelined).rejects.toThrow(LeaseLost)
  await expect(db.pipeline(async () => {})).rejects.toThrow(LeaseLost)
})

test('leadership: an instance waits a second before its next term when its work function returns early', async () => {
  const startedAtMs: number[] = []
  await startInstance(url, longTimes, longTimes.tickMs, async () => void startedAtMs.push(performance.now()))
  await waitUntil(() => startedAtMs.length === 3)
  const pausesMs = startedAtMs.slice(1).map((atMs, index) => atMs - (startedAtMs[index] ?? 0))
  // Timers may fire a few milliseconds early.
  expect(Math.min(...pausesMs)).toBeGreaterThan(900)
})

test('leadership: another instance takes over when the work function of the leader returns early', async () => {
  const returningInstance = await startInstance(url, longTimes, longTimes.tickMs, async () => {})
  await waitUntil(() => returningInstance.terms.length > 0)
  const other = await startInstance(url, longTimes, HOUR_MS)
  await waitUntil(other.leads)
  expect(returningInstance.leads()).toBe(false)
})

test('leadership: an instance of an older release, which leads with advisory locks, takes precedence', async () => {
  const instance = await startInstance()
  await waitUntil(instance.leads)
  const olderClient = new pg.Client({ connectionString: url })
  await olderClient.connect()
  await olderClient.query('select pg_advisory_lock($1)', [leaderLocks.payments])
  await waitUntil(() => !instance.leads())
  await olderClient.end()
  await waitUntil(instance.leads)
})

test('leadership: a resumed process writes nothing when it was frozen for longer than its lease', async () => {
  await opened.db.execute(
    sql`create table written (by text not null, at timestamptz not null default clock_timestamp())`,
  )
  const child = startChild()
  const countWrites = async (by: string) =>
    (await opened.db.execute<{ count: number }>(sql`select count(*)::int from written where by = ${by}`)).rows[0]
      ?.count ?? 0
  await expect.poll(() => countWrites('child')).toBeGreaterThan(3)
  child.kill('SIGSTOP')
  const other = await startInstance()
  await waitUntil(other.leads)
  const writesBefore = await countWrites('child')
  const lines: string[] = []
  child.stdout?.on('data', (chunk: Buffer) => lines.push(chunk.toString()))
  child.kill('SIGCONT')
  await expect.poll(() => lines.join('')).toContain('stopped')
  expect(await countWrites('child')).toBe(writesBefore)
  expect(other.leads()).toBe(true)
})

test('leadership: another instance takes over before the lease expires when the leader is killed', async () => {
  await opened.db.execute(sql`create table written (by text not null)`)
  const child = startChild(longTimes)
  await expect.poll(async () => (await opened.db.execute(sql`select from written`)).rows.length).toBeGreaterThan(0)
  const other = await startInstance(url, longTimes)
  child.kill('SIGKILL')
  await waitUntil(other.leads)
  const { rows } = await opened.db.execute<{ token: string }>(sql`select token from leases where job = 'payments'`)
  expect(rows).toEqual([{ token: '2' }])
})

/** Starts a process that writes continuously in fenced transactions while it is the leader. */
function startChild(leaseTimes = shortTimes): ChildProcess {
  const program = fileURLToPath(new URL('../../test/support/leader-test-child.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', program, url, JSON.stringify(leaseTimes)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  closers.push(async () => {
    if (child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  })
  return child
}
