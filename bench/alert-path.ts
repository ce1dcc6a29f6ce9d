import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashSignal } from '@tocsin/proof'
import { createIssuer } from '@tocsin/server/features/alerts/issue-alerts.ts'
import { findFreePort } from '@tocsin/server/http/free-port.ts'
import { createServer } from '@tocsin/server/server.ts'
import { startTestChain, startTestDatabase, testConfig } from '@tocsin/testkit'
import pg from 'pg'
import { WebSocket } from 'ws'
import { readTree } from '../fault-tests/crash/process-tree.ts'
import { addDestinations } from './channels/destinations.ts'
import { addSubscribers } from './fanout/subscribers.ts'
import { computePercentile } from './percentile.ts'

/**
 * Measures the path of one alert through the whole server with one subscriber: CPU time of the
 * server and of PostgreSQL per alert, and the time from the commit to the frame on the socket.
 * SHOW=1 prints the last statements. PAUSE_MS=200 sets the time between alerts. Without a pause,
 * jobs that read alerts in batches share their queries. DESTINATIONS=10 sets the number of
 * webhooks. INSTANCES=8 runs several servers, each with a subscriber, and measures the time until
 * the last subscriber has the alert.
 * Usage: node --import tsx bench/alert-path.ts [alerts = 500]
 */
const ALERTS = Number(process.argv[2] ?? 500)
const WARM_UP_ALERTS = 200
const PAUSE_MS = Number(process.env.PAUSE_MS ?? 0)
const DESTINATIONS = Number(process.env.DESTINATIONS ?? 0)
const INSTANCES = Number(process.env.INSTANCES ?? 1)

const content = {
  asset: 'BTC/USDT',
  anomalyType: 'Volume spike',
  regime: 'High volatility',
  summary: 'Spot volume reached 3.2 times its norm. '.repeat(13),
  confidence: 91.5,
  priority: 'high',
} as const

const queryTexts: string[] = []
const query = pg.Client.prototype.query
pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
  const [first] = args
  const text = typeof first === 'object' && first !== null && 'text' in first ? first.text : first
  queryTexts.push(String(text).replace(/\s+/g, ' '))
  return Reflect.apply(query, this, args)
}

const webhookServer = createHttpServer((request, response) => request.resume().on('end', () => response.end('{}')))
const dir = await mkdtemp(join(tmpdir(), 'tocsin-alert-path-'))
const [database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
const { payment, anchor } = chain.settings
const databaseUrl = await database.createDatabase()
let committedAt = 0
const servers: { port: number; server: Awaited<ReturnType<typeof createServer>> }[] = []
for (let index = 0; index < INSTANCES; index += 1) {
  const port = await findFreePort()
  const server = await createServer(
    testConfig({
      databaseUrl,
      payment,
      anchor,
      http: { port, host: '127.0.0.1', publicUrl: `http://localhost:${port}`, trustedProxies: 1 },
    }),
    {
      failpoint(at) {
        if (at === 'append: after commit') committedAt = performance.now()
      },
    },
  )
  servers.push({ port, server })
}
const [first] = servers
if (!first) throw new Error('INSTANCES must be at least 1')
const { ctx } = first.server
try {
  const file = join(dir, 'subscriber')
  await addSubscribers(ctx, 1, file)
  if (DESTINATIONS > 0) {
    webhookServer.listen(0, '0.0.0.0')
    await once(webhookServer, 'listening')
    const address = webhookServer.address()
    const hookPort = typeof address === 'object' && address ? address.port : 0
    await addDestinations(ctx, hookPort, [{ kind: 'webhook', count: DESTINATIONS }])
    await ctx.notifications.notify(ctx.db, 'channels')
  }
  const [cookie, walletAddress] = readFileSync(file, 'utf8').trim().split(' ')
  let pendingDeliveries = 0
  let resolveArrival = () => {}
  const openListener = ({ port }: { port: number }) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, {
      origin: `http://localhost:${port}`,
      headers: { cookie },
    })
    socket.on('open', () => socket.send(JSON.stringify({ type: 'authenticate', walletAddress })))
    return new Promise<WebSocket>((resolve) => {
      socket.on('message', (raw) => {
        const { type, isUpdate } = JSON.parse(raw.toString())
        if (type === 'live') resolve(socket)
        if (type !== 'new_alert' || isUpdate) return
        pendingDeliveries -= 1
        if (pendingDeliveries === 0) resolveArrival()
      })
    })
  }
  const sockets = await Promise.all(servers.map(openListener))
  const issue = createIssuer(ctx)
  const delays: number[] = []
  const issueTimes: number[] = []
  const measureAlert = async (at: number) => {
    pendingDeliveries = INSTANCES
    const lastArrival = new Promise<number>((resolve) => {
      resolveArrival = () => resolve(performance.now())
    })
    const raw = `{"number":${at},"x":"${'y'.repeat(300)}"}`
    const startedAt = performance.now()
    await issue({
      content,
      origin: 'feed',
      signalId: `signal-${at}`,
      signalHash: hashSignal(raw),
      signalMessage: raw,
      broadcast: true,
    })
    issueTimes.push(committedAt - startedAt)
    delays.push((await lastArrival) - committedAt)
    if (PAUSE_MS > 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  for (let index = 0; index < WARM_UP_ALERTS; index += 1) await measureAlert(index)
  queryTexts.length = 0
  delays.length = 0
  issueTimes.length = 0
  const cpuBefore = process.cpuUsage()
  const databaseCpuMsBefore = readDatabaseCpuMs()
  const startedAt = performance.now()
  for (let index = 0; index < ALERTS; index += 1) await measureAlert(WARM_UP_ALERTS + index)
  const { user, system } = process.cpuUsage(cpuBefore)
  const seconds = (performance.now() - startedAt) / 1_000
  const databaseCpuMs = readDatabaseCpuMs() - databaseCpuMsBefore
  if (process.env.SHOW)
    console.log(
      queryTexts
        .slice(-60)
        .map((text) => text.slice(0, 170))
        .join('\n'),
    )
  console.log(
    JSON.stringify({
      serverCpuMs: +((user + system) / 1_000 / ALERTS).toFixed(2),
      databaseCpuMs: +(databaseCpuMs / ALERTS).toFixed(2),
      queries: +(queryTexts.length / ALERTS).toFixed(1),
      issueMs: +computePercentile(issueTimes, 0.5).toFixed(2),
      commitToFrameMs: +computePercentile(delays, 0.5).toFixed(2),
      p95Ms: +computePercentile(delays, 0.95).toFixed(2),
      perSecond: Math.round(ALERTS / seconds),
    }),
  )
  for (const socket of sockets) socket.terminate()
} finally {
  webhookServer.close()
  await Promise.all(servers.map(({ server }) => server.close()))
  await Promise.all([database.stop(), chain.stop()])
  await rm(dir, { recursive: true, force: true })
}
process.exit(0)

/** Returns the CPU time of all PostgreSQL processes that this process has started. */
function readDatabaseCpuMs(): number {
  const databaseProcesses = readTree(process.pid).filter(({ program }) => program === 'postgres')
  return 10 * databaseProcesses.reduce((sum, { cpuTicks }) => sum + cpuTicks, 0)
}
