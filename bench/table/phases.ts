import { setTimeout as delay } from 'node:timers/promises'
import { publishOne, type Subscribers, startSubscribers } from '../fanout/measure.ts'
import type { Protocol } from '../fanout/peers.ts'
import type { Server } from '../fanout/servers.ts'
import { computePercentile } from '../percentile.ts'

/** A server to measure. */
export interface Candidate {
  name: string
  protocol: Protocol
  /** Starts the server for a number of receivers. `startSubscribers` needs the returned `file`. */
  start(receivers: number): Promise<{ server: Server; file: string }>
}

/**
 * `firstMs` and `lastMs` are medians over the alerts of the time from the commit until the kernel
 * has received the alert for the first and for the last receiver.
 */
export interface FanOut {
  firstMs: number
  lastMs: number
  /** CPU time per delivery when one alert is published at a time. */
  cpuUs: number
  /** Deliveries per second with `IN_FLIGHT_ALERTS` alerts outstanding. */
  perSecond: number
  /** CPU time per delivery with `IN_FLIGHT_ALERTS` alerts outstanding. */
  saturatedCpuUs: number
  /** CPU time per receiver until its socket is connected and authenticated. */
  connectCpuUs: number
  memoryKb: number
}

export interface SteadyRate {
  /** CPU usage of the server; 1 is one core. */
  cores: number
  /** Over all deliveries. */
  p99Ms: number
}

/** Number of alerts that have been published and have not reached every receiver. */
export const IN_FLIGHT_ALERTS = 4
/** Number of alerts before the measured ones, so that code is compiled and caches are filled. */
const WARM_UP_ALERTS = 10
/** Number of deliveries per phase. With fewer receivers, a phase publishes more alerts. */
const DELIVERIES = { single: 150_000, saturated: 300_000 }
const ALERTS = { min: 15, max: 600 }
const IDLE_WAIT = { intervalMs: 200, maxShare: 0.05, timeoutMs: 10_000 }

/** Measures the delivery of alerts to a number of receivers. */
export function measureFanOut(program: string, candidate: Candidate, receivers: number): Promise<FanOut> {
  return withReceivers(program, candidate, receivers, async (server, subscribers, connected) => {
    const single = await measureSingle(server, subscribers, receivers)
    return { ...connected, ...single, ...(await measureSaturated(server, subscribers, receivers)) }
  })
}

/**
 * Publishes alerts at a fixed rate without waiting for their delivery. Measures the CPU usage and
 * the delivery times.
 */
export function measureRate(
  program: string,
  candidate: Candidate,
  receivers: number,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<SteadyRate> {
  return withReceivers(program, candidate, receivers, async (server, subscribers) => {
    const publishAt = async (index: number) => {
      await delay((index * 1_000) / perSecond)
      // Keep only the percentiles 0 to 100. The four values before them (first, median, 99 %, last)
      // repeat some of these.
      return (await publishOne(server, subscribers)).slice(4)
    }
    const cpuBefore = await server.getCpuUs()
    const beganAtMs = performance.now()
    const times = await Promise.all(Array.from({ length: perSecond * seconds }, (_, index) => publishAt(index)))
    const elapsedMs = performance.now() - beganAtMs
    const cores = ((await server.getCpuUs()) - cpuBefore) / 1_000 / elapsedMs
    return { cores, p99Ms: computePercentile(times.flat(), 0.99) }
  })
}

type ConnectFigures = Pick<FanOut, 'connectCpuUs' | 'memoryKb'>

/** Starts the candidate, connects the receivers, and publishes the alerts of the warm-up. */
async function withReceivers<T>(
  program: string,
  candidate: Candidate,
  receivers: number,
  measure: (server: Server, subscribers: Subscribers, connected: ConnectFigures) => Promise<T>,
): Promise<T> {
  const { server, file } = await candidate.start(receivers)
  let subscribers: Subscribers | null = null
  try {
    await waitUntilIdle(server)
    const memoryBefore = await server.getMemoryBytes()
    const cpuBefore = await server.getCpuUs()
    const { protocol } = candidate
    const subscriberOptions = { count: receivers, slow: 0, alertsPerReport: 1, file, protocol }
    subscribers = await startSubscribers({ subscribers: program }, server.port, subscriberOptions)
    const connectCpuUs = ((await server.getCpuUs()) - cpuBefore) / receivers
    const memoryKb = ((await server.getMemoryBytes()) - memoryBefore) / receivers / 1024
    await waitUntilIdle(server)
    for (let alert = 0; alert < WARM_UP_ALERTS; alert += 1) await publishOne(server, subscribers)
    return await measure(server, subscribers, { connectCpuUs, memoryKb })
  } finally {
    subscribers?.stop()
    await server.stop()
  }
}

/** Waits, at most ten seconds, until the server is nearly idle, for example after its start. */
async function waitUntilIdle(server: Server): Promise<void> {
  const { intervalMs, maxShare, timeoutMs } = IDLE_WAIT
  const giveUpAtMs = performance.now() + timeoutMs
  for (let cpuUs = await server.getCpuUs(); performance.now() < giveUpAtMs; ) {
    await delay(intervalMs)
    const now = await server.getCpuUs()
    if (now - cpuUs < intervalMs * 1_000 * maxShare) return
    cpuUs = now
  }
}

/** Publishes one alert at a time, each after all receivers have received the previous one. */
async function measureSingle(
  server: Server,
  subscribers: Subscribers,
  receivers: number,
): Promise<Pick<FanOut, 'firstMs' | 'lastMs' | 'cpuUs'>> {
  const alerts = countAlerts(DELIVERIES.single, receivers)
  const firstTimes: number[] = []
  const lastTimes: number[] = []
  const cpuBefore = await server.getCpuUs()
  for (let alert = 0; alert < alerts; alert += 1) {
    const [first = 0, , , last = 0] = await publishOne(server, subscribers)
    firstTimes.push(first)
    lastTimes.push(last)
  }
  const cpuUs = ((await server.getCpuUs()) - cpuBefore) / (alerts * receivers)
  return { firstMs: computePercentile(firstTimes, 0.5), lastMs: computePercentile(lastTimes, 0.5), cpuUs }
}

async function measureSaturated(
  server: Server,
  subscribers: Subscribers,
  receivers: number,
): Promise<Pick<FanOut, 'perSecond' | 'saturatedCpuUs'>> {
  const alerts = countAlerts(DELIVERIES.saturated, receivers)
  let remainingAlerts = alerts
  let firstAtNs = Number.POSITIVE_INFINITY
  let lastAtNs = 0
  const publishNext = async () => {
    while (remainingAlerts > 0) {
      remainingAlerts -= 1
      const [, [first = 0, , , last = 0]] = await Promise.all([server.publish(1), subscribers.next()])
      firstAtNs = Math.min(firstAtNs, first)
      lastAtNs = Math.max(lastAtNs, last)
    }
  }
  const cpuBefore = await server.getCpuUs()
  await Promise.all(Array.from({ length: IN_FLIGHT_ALERTS }, publishNext))
  const cpuUs = (await server.getCpuUs()) - cpuBefore
  const deliveries = alerts * receivers
  return { perSecond: deliveries / ((lastAtNs - firstAtNs) / 1e9), saturatedCpuUs: cpuUs / deliveries }
}

function countAlerts(deliveries: number, receivers: number): number {
  return Math.min(ALERTS.max, Math.max(ALERTS.min, Math.ceil(deliveries / receivers)))
}
