import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { anchors } from '@tocsin/server/db/schema/log.ts'
import { createIssuer } from '@tocsin/server/features/alerts/issue-alerts.ts'
import { getLogSize } from '@tocsin/server/features/tlog/service.ts'
import { findFreePort } from '@tocsin/server/http/free-port.ts'
import { createServer } from '@tocsin/server/server.ts'
import { startTestChain, startTestDatabase, testConfig } from '@tocsin/testkit'
import { gte } from 'drizzle-orm'
import Fastify from 'fastify'
import { describeMachine } from '../scripts/describe-machine.ts'
import { addSubscribers } from './fanout/subscribers.ts'
import { computePercentile } from './percentile.ts'

/**
 * Compares frequent reads of the product with a bare Fastify server that responds with the same
 * bytes. Both run in one process and alternate. Measures the CPU time of this process per request,
 * and the latency. The requests come from another process.
 * Usage: node --import tsx bench/http-reads.ts [requests per round = 300] [rounds = 5]
 */
const REQUESTS = Number(process.argv[2] ?? 300)
const ROUNDS = Number(process.argv[3] ?? 5)
const CONCURRENT_REQUESTS = 4
const ALERTS = 1_000

const paths = {
  config: '/api/config',
  checkpoint: '/api/log/checkpoint',
  recent: '/api/alerts/recent?limit=20',
  'recent, subscriber': '/api/alerts/recent?limit=20',
  search: '/api/alerts/search?q=volume&limit=20',
  status: '/api/status',
}
type Name = keyof typeof paths
const names = Object.keys(paths) as Name[]
const isSignedIn = (name: Name) => name === 'recent, subscriber' || name === 'search' || name === 'status'

type Order = { answers: Record<string, { type: string; body: string }> } | { cpu: true }
type Answer = { port: number; barePort: number; cookie: string } | { ready: true } | { cpuUs: number }

let requestCount = 0

if (process.send) await runServer()
else await measureReads()

async function runServer(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'tocsin-http-reads-'))
  const [database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
  const port = await findFreePort()
  const { payment, anchor } = chain.settings
  const { ctx } = await createServer(
    testConfig({
      databaseUrl: await database.createDatabase(),
      payment,
      anchor,
      http: { port, host: '127.0.0.1', publicUrl: `http://localhost:${port}`, trustedProxies: 1 },
    }),
  )
  const file = join(dir, 'subscriber')
  await addSubscribers(ctx, 1, file)
  const cookie = readFileSync(file, 'utf8').split(' ')[0] ?? ''
  await rm(dir, { recursive: true })
  const issue = createIssuer(ctx)
  const createAlertContent = (at: number) => ({
    content: {
      asset: `A${at % 50}/USDT`,
      anomalyType: 'Volume spike',
      regime: 'Trending',
      summary: 'Spot volume reached 3.2 times its norm. '.repeat(6),
      confidence: 91.5,
      priority: 'high' as const,
    },
    origin: 'admin' as const,
    broadcast: true,
  })
  await Promise.all(Array.from({ length: ALERTS }, (_, index) => issue(createAlertContent(index))))
  // Wait until all alerts are anchored: the bare server repeats the product's first responses, so
  // these must already contain the proofs.
  const size = await getLogSize(ctx)
  while ((await ctx.db.$count(anchors, gte(anchors.size, size))) === 0) await delay(100)
  const bareServer = Fastify()
  const sendReply = (answer: Answer) => process.send?.(answer)
  process.on('message', async (order: Order) => {
    if ('cpu' in order) {
      const { user, system } = process.cpuUsage()
      return sendReply({ cpuUs: user + system })
    }
    for (const [name, { type, body }] of Object.entries(order.answers)) {
      bareServer.get(`/${names.indexOf(name as Name)}`, async (_request, reply) => reply.type(type).send(body))
    }
    await bareServer.listen({ port: barePort, host: '127.0.0.1' })
    sendReply({ ready: true })
  })
  const barePort = await findFreePort()
  process.on('disconnect', async () => {
    await Promise.all([database.stop(), chain.stop()])
    process.exit(0)
  })
  sendReply({ port, barePort, cookie })
}

interface Figures {
  cpuUs: number
  latencies: number[]
}

async function measureReads(): Promise<void> {
  const child = fork(import.meta.filename, { execArgv: [...process.execArgv] })
  const startAnswer = await readAnswer(child)
  if (!('port' in startAnswer)) throw new Error('The server did not start')
  const { port, barePort, cookie } = startAnswer
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENT_REQUESTS })
  const requestProduct = (name: Name) => sendRequest(agent, port, paths[name], isSignedIn(name) ? cookie : null)
  const answers = Object.fromEntries(
    await Promise.all(
      names.map(async (name) => {
        const { status, type, body } = await requestProduct(name)
        if (status !== 200) throw new Error(`${name}: ${status} ${body}`)
        return [name, { type, body }] as const
      }),
    ),
  )
  child.send({ answers } satisfies Order)
  await readAnswer(child)
  const requestBare = (name: Name) => sendRequest(agent, barePort, `/${names.indexOf(name)}`, null)
  const table = new Map(names.map((name) => [name, { ours: [] as Figures[], bare: [] as Figures[] }]))
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const name of names) {
      const figures = {
        bare: await runRequests(child, () => requestBare(name)),
        ours: await runRequests(child, () => requestProduct(name)),
      }
      // The first round is a warm-up.
      if (round > 0)
        for (const serverName of ['bare', 'ours'] as const) table.get(name)?.[serverName].push(figures[serverName])
    }
  }
  console.log(`${describeMachine()}; ${ROUNDS} rounds of ${REQUESTS} requests, medians`)
  console.log('| | bytes | CPU bare | CPU ours | ratio | p50, p95 bare | p50, p95 ours |')
  console.log('|---|---:|---:|---:|---:|---:|---:|')
  for (const [name, { ours, bare }] of table) {
    const [productCpuUs, bareCpuUs] = [ours, bare].map((all) =>
      computePercentile(
        all.map(({ cpuUs }) => cpuUs),
        0.5,
      ),
    ) as [number, number]
    const formatTimes = (all: Figures[]) => {
      const latencies = all.flatMap((each) => each.latencies)
      return `${computePercentile(latencies, 0.5).toFixed(2)}, ${computePercentile(latencies, 0.95).toFixed(2)} ms`
    }
    console.log(
      `| ${name} | ${answers[name]?.body.length} | ${bareCpuUs.toFixed(0)} µs | ${productCpuUs.toFixed(0)} µs | ${(productCpuUs / bareCpuUs).toFixed(1)} | ${formatTimes(bare)} | ${formatTimes(ours)} |`,
    )
  }
  agent.destroy()
  child.disconnect()
}

async function runRequests(child: ChildProcess, send: () => Promise<{ status: number }>): Promise<Figures> {
  const cpuBefore = await readCpu(child)
  const latencies: number[] = []
  let remainingRequests = REQUESTS
  const worker = async () => {
    while (remainingRequests-- > 0) {
      const startedAt = performance.now()
      const { status } = await send()
      if (status !== 200) throw new Error(`Returned ${status}`)
      latencies.push(performance.now() - startedAt)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT_REQUESTS }, worker))
  return { cpuUs: ((await readCpu(child)) - cpuBefore) / REQUESTS, latencies }
}

async function readCpu(child: ChildProcess): Promise<number> {
  child.send({ cpu: true } satisfies Order)
  const answer = await readAnswer(child)
  return 'cpuUs' in answer ? answer.cpuUs : 0
}

async function readAnswer(child: ChildProcess): Promise<Answer> {
  const [answer] = await once(child, 'message')
  return answer
}

/** Sends a request. Each comes from another network, because requests are limited per network. */
async function sendRequest(
  agent: Agent,
  port: number,
  path: string,
  cookie: string | null,
): Promise<{ status: number; type: string; body: string }> {
  requestCount += 1
  const headers = {
    'x-forwarded-for': `10.${(requestCount >> 16) & 255}.${(requestCount >> 8) & 255}.${requestCount & 255}`,
    ...(cookie === null ? {} : { cookie }),
  }
  const sentRequest = request({ agent, port, host: '127.0.0.1', path, headers }).end()
  const [response] = await once(sentRequest, 'response')
  let body = ''
  for await (const chunk of response.setEncoding('utf8')) body += chunk
  return { status: response.statusCode, type: response.headers['content-type'], body }
}
