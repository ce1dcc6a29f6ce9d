import { spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { systemClock } from '@tocsin/server/clock.ts'
import { findFreePort } from '@tocsin/server/http/free-port.ts'
import { createTestContext, type TestChain, type TestDatabase, testConfig } from '@tocsin/testkit'
import { computePercentile } from '../percentile.ts'
import type { ComparisonServer, Protocol } from './peers.ts'
import { createQueue } from './queue.ts'
import { ALERT_BYTES, type Server, startLineServer, startNodeProcess } from './servers.ts'
import { addSubscribers } from './subscribers.ts'

export interface Dependencies {
  database: TestDatabase
  chain: TestChain
  dir: string
  subscribers: string
  floor: string
}

/**
 * Times from the commit until the kernel receives the alert for a subscriber. `deliveriesPerSecond`
 * is measured while alerts are published faster than they can be sent.
 */
export interface DeliveryFigures {
  firstMs: number
  medianMs: number
  p99Ms: number
  lastMs: number
  deliveriesPerSecond: number
  /** Resident memory of the server per connection. */
  kbPerConnection: number
}

const ALERTS = 15
const BURST_SIZE = 200
const MS = 1e6

export async function measureProduct(dependencies: Dependencies, count: number): Promise<DeliveryFigures> {
  const { server, file } = await startProduct(dependencies, count)
  return measure(dependencies, server, count, file)
}

export async function measurePeer(
  dependencies: Dependencies,
  peer: ComparisonServer,
  count: number,
): Promise<DeliveryFigures> {
  return measure(
    dependencies,
    await peer.start(),
    count,
    await writePlaceholderSubscribers(dependencies, count),
    peer.protocol,
  )
}

export async function measureFloor(dependencies: Dependencies, count: number): Promise<DeliveryFigures> {
  return measure(
    dependencies,
    await startFloor(dependencies),
    count,
    await writePlaceholderSubscribers(dependencies, count),
  )
}

export async function startFloor({ floor }: Pick<Dependencies, 'floor'>): Promise<Server> {
  const port = await findFreePort()
  return startLineServer(floor, [String(port), String(ALERT_BYTES)], port)
}

/** Measures how subscribers that never read affect the other subscribers and the server. */
export async function measureSlowReaders(
  dependencies: Dependencies,
  count: number,
  slow: number,
): Promise<{ readerFigures: DeliveryFigures; disconnectedAfterSeconds: number; memoryGrowthMiB: number }> {
  const { server, file } = await startProduct(dependencies, count)
  const memoryBefore = await server.getMemoryBytes()
  const subscribers = await startSubscribers(dependencies, server.port, { count, slow, alertsPerReport: 1, file })
  const kbPerConnection = ((await server.getMemoryBytes()) - memoryBefore) / count / 1024
  const steadyMemory = await server.getMemoryBytes()
  const beganAt = performance.now()
  const times: number[][] = []
  let grownBytes = 0
  while (subscribers.getClosedCount() < slow && performance.now() - beganAt < 60_000) {
    times.push(await publishOne(server, subscribers))
    grownBytes = Math.max(grownBytes, (await server.getMemoryBytes()) - steadyMemory)
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  const disconnectedAfterSeconds = (performance.now() - beganAt) / 1_000
  subscribers.stop()
  await server.stop()
  return {
    readerFigures: { ...summarise(times), deliveriesPerSecond: 0, kbPerConnection },
    disconnectedAfterSeconds,
    memoryGrowthMiB: grownBytes / 2 ** 20,
  }
}

export interface SteadyFigures {
  alerts: number
  /**
   * Figures over all alerts: the median of their medians, the worst 99th percentile and the latest
   * last delivery.
   */
  medianMs: number
  worstP99Ms: number
  worstLastMs: number
  /**
   * Resident memory of the server after a quarter, a half and three quarters of the time, and at
   * the end.
   */
  rssMiB: number[]
  /** CPU usage of the server; 1 is one core. */
  cores: number
}

/**
 * Publishes one alert per second and waits until every subscriber has it. A missed alert ends the
 * measurement with an error.
 */
export async function measureSteadyLoad(
  dependencies: Dependencies,
  count: number,
  seconds: number,
): Promise<SteadyFigures> {
  const { server, file } = await startProduct(dependencies, count)
  const subscribers = await startSubscribers(dependencies, server.port, { count, slow: 0, alertsPerReport: 1, file })
  const times: number[][] = []
  const rssMiB: number[] = []
  const cpuBefore = await server.getCpuUs()
  const beganAt = performance.now()
  for (let second = 0; second < seconds; second += 1) {
    times.push(await publishOne(server, subscribers))
    if ((second + 1) % Math.ceil(seconds / 4) === 0 || second + 1 === seconds) {
      rssMiB.push((await server.getMemoryBytes()) / 2 ** 20)
    }
    const remainingMs = beganAt + (second + 1) * 1_000 - performance.now()
    if (remainingMs > 0) await new Promise((resolve) => setTimeout(resolve, remainingMs))
  }
  const cores = ((await server.getCpuUs()) - cpuBefore) / 1_000 / (performance.now() - beganAt)
  subscribers.stop()
  await server.stop()
  const findWorst = (position: number) => Math.max(...times.map((each) => each[position] ?? 0))
  const { medianMs } = summarise(times)
  return { alerts: times.length, medianMs, worstP99Ms: findWorst(2), worstLastMs: findWorst(3), rssMiB, cores }
}

async function measure(
  dependencies: Dependencies,
  server: Server,
  count: number,
  file: string,
  protocol: Protocol = 'websocket',
): Promise<DeliveryFigures> {
  const memoryBefore = await server.getMemoryBytes()
  const subscribers = await startSubscribers(dependencies, server.port, {
    count,
    slow: 0,
    alertsPerReport: 1,
    file,
    protocol,
  })
  const kbPerConnection = ((await server.getMemoryBytes()) - memoryBefore) / count / 1024
  const times: number[][] = []
  for (let alert = 0; alert < ALERTS; alert += 1) times.push(await publishOne(server, subscribers))
  const burstPublish = server.publish(BURST_SIZE)
  let [firstAt] = await subscribers.next()
  let lastAt = 0
  for (let alert = 1; alert < BURST_SIZE; alert += 1) [, , , lastAt = 0] = await subscribers.next()
  firstAt ??= lastAt
  await burstPublish
  subscribers.stop()
  await server.stop()
  // The rate includes the first alert, although the delivery of this alert started before
  // `firstAt`. The error is one in 200.
  return {
    ...summarise(times),
    deliveriesPerSecond: (BURST_SIZE * count) / ((lastAt - firstAt) / 1e9),
    kbPerConnection,
  }
}

/**
 * Publishes one alert and returns its delivery times in ms: first, median, 99th percentile and
 * last, then each percentile from 0 to 100.
 */
export async function publishOne(server: Server, subscribers: Subscribers): Promise<number[]> {
  const [committedAt, arrived] = await Promise.all([server.publish(1), subscribers.next()])
  return arrived.map((at) => (at - committedAt) / MS)
}

function summarise(times: number[][]): Pick<DeliveryFigures, 'firstMs' | 'medianMs' | 'p99Ms' | 'lastMs'> {
  const computeMedian = (position: number) =>
    computePercentile(
      times.map((each) => each[position] ?? 0),
      0.5,
    )
  return { firstMs: computeMedian(0), medianMs: computeMedian(1), p99Ms: computeMedian(2), lastMs: computeMedian(3) }
}

export interface Subscribers {
  /**
   * Waits until the next alert has reached every subscriber that reads. Returns its arrival times
   * in ns of the monotonic clock, in the order of `publishOne`.
   */
  next(): Promise<number[]>
  /** Returns the number of subscribers that were disconnected because they did not read. */
  getClosedCount(): number
  stop(): void
}

interface SubscriberOptions {
  count: number
  /** Number of the subscribers that never read. */
  slow: number
  /** Number of alerts after which the delivery times are reported. */
  alertsPerReport: number
  file: string
  protocol?: Protocol
}

/** Starts the subscribers. Uses the first `count` lines of `file`. */
export async function startSubscribers(
  dependencies: Pick<Dependencies, 'subscribers'>,
  port: number,
  { count, slow, alertsPerReport, file, protocol = 'websocket' }: SubscriberOptions,
): Promise<Subscribers> {
  const args = [port, count, slow, alertsPerReport, file, ...(protocol === 'socket.io' ? [protocol] : [])]
  const child = spawn(dependencies.subscribers, args.map(String), { stdio: ['ignore', 'pipe', 'inherit'] })
  const ready = createQueue<true>(child)
  const arrivals = createQueue<number[]>(child)
  let closed = 0
  createInterface(child.stdout).on('line', (line) => {
    if (line === 'ready') ready.push(true)
    else if (line.startsWith('closed')) closed = Number(line.split(' ')[1])
    else arrivals.push(line.split(' ').map(Number))
  })
  await ready.next()
  return {
    next: arrivals.next,
    getClosedCount: () => closed,
    stop: () => child.kill(),
  }
}

export async function startProduct(
  dependencies: Dependencies,
  count: number,
): Promise<{ server: Server; file: string }> {
  const [instance] = await startInstances(dependencies, count, 1)
  if (!instance) throw new Error('No instance was started')
  return instance
}

/**
 * Starts several instances of one product. Each gets a file with `count` subscribers of its own.
 */
async function startInstances(
  dependencies: Dependencies,
  count: number,
  instances: number,
): Promise<{ server: Server; file: string }[]> {
  const databaseUrl = await dependencies.database.createDatabase()
  const { payment, anchor } = dependencies.chain.settings
  const contract = await dependencies.chain.nextAnchorContract()
  const shared = { databaseUrl, payment, anchor: { ...anchor, contract } }
  const observerContext = await createTestContext(testConfig(shared), systemClock)
  const file = join(dependencies.dir, `subscribers-${contract}`)
  await addSubscribers(observerContext.ctx, count * instances, file)
  await observerContext.close()
  const lines = (await readFile(file, 'utf8')).split('\n')
  const startedInstances: { server: Server; file: string }[] = []
  for (let index = 0; index < instances; index += 1) {
    const port = await findFreePort()
    const http = { port, host: '127.0.0.1', publicUrl: `http://localhost:${port}`, trustedProxies: 1 }
    const instanceFile = `${file}-${index}`
    await writeFile(instanceFile, `${lines.slice(index * count, (index + 1) * count).join('\n')}\n`)
    startedInstances.push({
      server: await startNodeProcess('product.ts', { ...shared, http }, port),
      file: instanceFile,
    })
  }
  return startedInstances
}

/**
 * Measures delivery times over the subscribers of all instances. The first instance issues the
 * alerts, and the others read them from the database.
 */
export async function measureInstances(
  dependencies: Dependencies,
  count: number,
  instances: number,
): Promise<number[][]> {
  const startedInstances = await startInstances(dependencies, count, instances)
  const groups = await Promise.all(
    startedInstances.map(({ server, file }) =>
      startSubscribers(dependencies, server.port, { count, slow: 0, alertsPerReport: 1, file }),
    ),
  )
  const [issuingInstance] = startedInstances
  const times: number[][][] = groups.map(() => [])
  for (let alert = 0; alert < 2 * ALERTS; alert += 1) {
    const publication = issuingInstance?.server.publish(1)
    const arrivalTimes = await Promise.all(groups.map((group) => group.next()))
    const committedAt = (await publication) ?? 0
    arrivalTimes.forEach((groupTimes, index) => {
      times[index]?.push(groupTimes.map((time) => (time - committedAt) / MS))
    })
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  for (const group of groups) group.stop()
  await Promise.all(startedInstances.map(({ server }) => server.stop()))
  return times.map((each) => {
    const { firstMs, medianMs, p99Ms, lastMs } = summarise(each)
    return [firstMs, medianMs, p99Ms, lastMs]
  })
}

/** Writes the file of `startSubscribers` for servers that do not authenticate. */
export async function writePlaceholderSubscribers(
  dependencies: Pick<Dependencies, 'dir'>,
  count: number,
): Promise<string> {
  const file = join(dependencies.dir, `names-${count}`)
  await writeFile(file, 'none=none 0x0000000000000000000000000000000000000000\n'.repeat(count))
  return file
}
