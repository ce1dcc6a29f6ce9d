import { useTestDatabase } from '@tocsin/testkit/hooks'
import { sql } from 'drizzle-orm'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type OpenDatabase, openDatabase } from './database.ts'
import { pauseUntilDue, selectDueIf } from './leader.ts'
import { type NotificationBus, openNotificationBus } from './notification-bus.ts'

const server = useTestDatabase()
let opened: OpenDatabase
let notifications: NotificationBus

beforeEach(async () => {
  const url = await server.createDatabase()
  opened = openDatabase(url, () => {})
  notifications = await openNotificationBus(url, pino({ level: 'silent' }), 20)
  await opened.db.execute(sql`create table work (due boolean not null)`)
})
afterEach(async () => {
  await notifications.close()
  await opened.close()
})

/** Adds an SQL expression to the heartbeat, and collects the values that the listener gets. */
function watchValue(value: string) {
  const values: unknown[] = []
  const stop = notifications.watch(
    () => sql.raw(value),
    (found) => values.push(found),
  )
  return { values, stop }
}

test('heartbeat: reports each watched value until its watch ends', async () => {
  const [one, two] = [watchValue('1'), watchValue(`'two'`)]
  await expect.poll(() => [one.values[0], two.values[0]]).toEqual([1, 'two'])
  one.stop()
  const countsBefore = [one.values.length, two.values.length + 1]
  await expect.poll(() => two.values.length).toBeGreaterThan(countsBefore[1] ?? 0)
  expect(one.values).toHaveLength(countsBefore[0] ?? 0)
})

test('heartbeat: reports the other watched values when the table of one watched value is locked', async () => {
  await opened.db.transaction(async (tx) => {
    await tx.execute(sql`lock table work in access exclusive mode`)
    const [lockedWatch, freeWatch] = [watchValue('(select count(*) from work)'), watchValue('1')]
    await expect.poll(() => freeWatch.values.length).toBeGreaterThan(1)
    expect(lockedWatch.values).toEqual([])
  })
})

test('heartbeat: ends the pause of a job when work is due', async () => {
  const signal = new AbortController().signal
  let isOver = false
  const pausing = pauseUntilDue(notifications, () => selectDueIf(sql`select from work where due`), signal).then(() => {
    isOver = true
  })
  const { values } = watchValue('1')
  await expect.poll(() => values.length).toBeGreaterThan(2)
  expect(isOver).toBe(false)
  await opened.db.execute(sql`insert into work values (true)`)
  await pausing
})
