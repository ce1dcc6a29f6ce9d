import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startTestChain, startTestDatabase } from '@tocsin/testkit'
import { startTestServer } from '@tocsin/testkit/server'
import pg from 'pg'
import { describeMachine } from '../scripts/describe-machine.ts'

/**
 * Counts the statements that idle instances send to the database. The first instance runs all
 * background jobs. The other instances try to get the leases of these jobs.
 * Usage: node --import tsx bench/idle.ts [--instances 2] [--seconds 120]
 */
const { values } = parseArgs({
  options: { instances: { type: 'string', default: '2' }, seconds: { type: 'string', default: '120' } },
})
const [instances, seconds] = [Number(values.instances), Number(values.seconds)]
/** Delay before the first measurement. Excludes the work that instances do only once, at start. */
const WARM_UP_MS = 30_000

const counts = new Map<string, number>()
let connections = 0
const originalQuery = pg.Client.prototype.query
const originalConnect = pg.Client.prototype.connect
pg.Client.prototype.query = function count(this: pg.Client, ...args: unknown[]) {
  const [first] = args
  const text = typeof first === 'string' ? first : (first as { text: string }).text
  const key = text.replaceAll(/\s+/g, ' ').trim().slice(0, 110)
  counts.set(key, (counts.get(key) ?? 0) + 1)
  return Reflect.apply(originalQuery, this, args)
} as typeof originalQuery
pg.Client.prototype.connect = function count(this: pg.Client, ...args: unknown[]) {
  connections += 1
  return Reflect.apply(originalConnect, this, args)
} as typeof originalConnect

const [database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
const first = await startTestServer({ database, chain })
const { databaseUrl, anchor } = first.ctx.config
const servers = [first]
while (servers.length < instances) servers.push(await startTestServer({ database, chain }, { databaseUrl, anchor }))
try {
  await delay(WARM_UP_MS)
  for (const count of [0, instances]) {
    // Stop the standby instances before the second round. The difference between the rounds is the
    // load that standby instances cause.
    if (count > 0) for (const standbyServer of servers.splice(1)) await standbyServer.close()
    counts.clear()
    connections = 0
    await delay(seconds * 1_000)
    const total = [...counts.values()].reduce((sum, statementCount) => sum + statementCount, 0)
    console.log(
      `${servers.length} instances: ${(total / seconds).toFixed(2)} statements and ${(connections / seconds).toFixed(2)} connections a second`,
    )
    for (const [text, statementCount] of [...counts].sort(([, a], [, b]) => b - a)) {
      console.log(`${(statementCount / seconds).toFixed(2).padStart(7)}  ${text}`)
    }
  }
  console.log(describeMachine())
} finally {
  for (const server of servers) await server.close()
  await Promise.all([database.stop(), chain.stop()])
}
