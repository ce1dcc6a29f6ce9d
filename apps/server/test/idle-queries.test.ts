import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** Number of executions of each statement of the standby instance, by text. */
const executionCounts = new Map<string, number>()
const STANDBY_NAME = 'standby'
/** True for the heartbeat of the connection for notifications, which is sent every two seconds. */
const isHeartbeat = (text: string) => /^select .*clock_timestamp/.test(text)
const HEARTBEAT_COUNT = 8
/** Number of intervals of two heartbeats in which the reads of the start may end. */
const START_INTERVALS = 10

const originalQuery = pg.Client.prototype.query
const servers: TestServer[] = []
const parts = useTestDatabaseAndChain()

beforeAll(async () => {
  // Replace `query` before the servers start, because they wrap this method for each connection.
  pg.Client.prototype.query = function count(this: pg.Client, ...args: unknown[]) {
    const [first] = args
    const { text } = typeof first === 'string' ? { text: first } : (first as { text: string })
    const { application_name: name } = (this as unknown as { connectionParameters: { application_name?: string } })
      .connectionParameters
    if (name === STANDBY_NAME) executionCounts.set(text, (executionCounts.get(text) ?? 0) + 1)
    return Reflect.apply(originalQuery, this, args)
  } as typeof originalQuery
  const leader = await startTestServer(parts)
  servers.push(leader)
  const { databaseUrl, anchor } = leader.ctx.config
  const standbyUrl = new URL(databaseUrl)
  standbyUrl.searchParams.set('application_name', STANDBY_NAME)
  servers.push(await startTestServer(parts, { databaseUrl: standbyUrl.href, anchor }))
})
afterAll(async () => {
  pg.Client.prototype.query = originalQuery
  for (const server of servers.reverse()) await server.close()
})

const countHeartbeats = () => sumCounts([...executionCounts].filter(([text]) => isHeartbeat(text)))
const sumCounts = (entries: [string, number][]) => entries.reduce((total, [, count]) => total + count, 0)

test('idle standby: sends at most two statements for each heartbeat, which it sends every two seconds', async () => {
  // Wait until the standby has updated `instance_samples` some seconds after its start. The next
  // update follows a minute later.
  await expect
    .poll(() => [...executionCounts.keys()].some((text) => /^delete from "instance_samples"/.test(text)))
    .toBe(true)
  // Wait until the reads of the start have ended: two heartbeats with at most two other statements.
  for (let interval = 1; interval <= START_INTERVALS; interval += 1) {
    executionCounts.clear()
    await expect.poll(countHeartbeats).toBeGreaterThanOrEqual(2)
    if (sumCounts([...executionCounts]) - countHeartbeats() <= 2) break
  }
  executionCounts.clear()
  await expect.poll(countHeartbeats).toBeGreaterThanOrEqual(HEARTBEAT_COUNT)
  expect(sumCounts([...executionCounts])).toBeLessThanOrEqual(2 * countHeartbeats())
})
