import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { systemClock } from '@tocsin/server/clock.ts'
import { channelCursor, channelDeliveries, destinations } from '@tocsin/server/db/schema/channels.ts'
import { findFreePort } from '@tocsin/server/http/free-port.ts'
import { createTestContext, testConfig } from '@tocsin/testkit'
import { eq, sql } from 'drizzle-orm'
import type { Dependencies } from '../fanout/measure.ts'
import { type Server, startNodeProcess } from '../fanout/servers.ts'
import { addSubscribers } from '../fanout/subscribers.ts'
import { addDestinations, type DestinationGroup } from './destinations.ts'

const MS = 1e6

/**
 * Arrival of a message. `to` identifies the destination among those of its kind: host and path, a
 * chat or an email address.
 */
export interface Arrival {
  kind: string
  to: string
  priority: string
  atNs: number
}

export interface Fixture {
  server: Server
  /** Path of a file with a line "cookie wallet" per account, for the load client. */
  file: string
  /** All arrivals since the start. */
  arrivals: Arrival[]
  /** Resolves when `count` messages have arrived. */
  waitForArrivals(count: number): Promise<void>
  /**
   * Turns all destinations on or off. Messages that wait for a destination are dropped when it is
   * turned off.
   */
  switchDestinations(isOn: boolean): Promise<void>
  /** Issues alerts while all destinations are off, then queues each alert for every destination. */
  queue(alerts: number): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts the server and local endpoints, and creates the accounts and destinations.
 * @param dependencies `endpoints` is the path of the compiled `endpoints.c`
 */
export async function startFixture(
  dependencies: Dependencies & { endpoints: string },
  accounts: number,
  wanted: readonly DestinationGroup[],
): Promise<Fixture> {
  const endpoints = spawn(dependencies.endpoints, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface(endpoints.stdout)
  const [ports]: string[] = await once(lines, 'line')
  const [endpointPort = 0, smtpPort] = (ports ?? '').split(' ').map(Number)
  const arrivals: Arrival[] = []
  let notifyArrival = () => {}
  lines.on('line', (line) => {
    const [kind = '', to = '', priority = '', atNs] = line.split(' ')
    arrivals.push({ kind, to, priority, atNs: Number(atNs) })
    notifyArrival()
  })
  const port = await findFreePort()
  const { payment, anchor } = dependencies.chain.settings
  const contract = await dependencies.chain.nextAnchorContract()
  const config = {
    databaseUrl: await dependencies.database.createDatabase(),
    payment,
    anchor: { ...anchor, contract },
    http: { port, host: '127.0.0.1', publicUrl: `http://localhost:${port}`, trustedProxies: 1 },
    mail: { smtpUrl: `smtp://127.0.0.1:${smtpPort}`, from: 'Tocsin <tocsin@example.com>' },
    telegram: { token: `1:${'t'.repeat(35)}`, apiRoot: `http://127.0.0.1:${endpointPort}` },
  }
  const observerContext = await createTestContext(testConfig(config), systemClock)
  const file = join(dependencies.dir, `subscribers-${port}`)
  await addSubscribers(observerContext.ctx, accounts, file)
  await addDestinations(observerContext.ctx, endpointPort, wanted)
  const server = await startNodeProcess('product.ts', config, port)
  // Wait until the sender has started, because it does not send alerts from before its first start.
  while ((await observerContext.ctx.db.$count(channelCursor)) === 0)
    await new Promise((resolve) => setTimeout(resolve, 50))
  const switchDestinations = async (isOn: boolean) => {
    const { db } = observerContext.ctx
    await db.update(destinations).set({ state: isOn ? 'on' : 'unconfirmed' })
    if (isOn) return
    await db.update(channelDeliveries).set({ state: 'skipped' }).where(eq(channelDeliveries.state, 'waiting'))
    // Wait until requests in progress have ended. Then vacuum both tables, as autovacuum would.
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    await db.execute('vacuum analyze channel_deliveries')
    await db.execute('vacuum analyze destinations')
  }
  return {
    server,
    file,
    arrivals,
    async waitForArrivals(count) {
      while (arrivals.length < count) {
        await new Promise<void>((resolve) => {
          notifyArrival = resolve
        })
      }
    },
    switchDestinations,
    async queue(alerts) {
      const { db, notifications } = observerContext.ctx
      await switchDestinations(false)
      await server.publish(alerts)
      await db.execute(sql`
        insert into channel_deliveries (destination_id, log_index, seq, rank, state, reason, created_at, next_at)
        select destinations.id, log_index, seq, 2, 'waiting', 'Waits to be sent', now(), now()
        from deliveries, destinations on conflict do nothing`)
      await db.execute('vacuum analyze channel_deliveries')
      await switchDestinations(true)
      await db.transaction((tx) => notifications.notify(tx, 'channels'))
    },
    async stop() {
      await observerContext.close()
      await server.stop()
      endpoints.stdin.end()
      await once(endpoints, 'exit')
    },
  }
}

/** Returns the times from the commit to each of the arrivals in ms, sorted. */
export function getTimes(arrivals: readonly Arrival[], committedAtNs: number): number[] {
  return arrivals.map(({ atNs }) => (atNs - committedAtNs) / MS).sort((a, b) => a - b)
}
