import { setTimeout as delay } from 'node:timers/promises'
import { publishOne, type Subscribers, startSubscribers } from '../fanout/measure.ts'
import type { Protocol } from '../fanout/peers.ts'
import type { Server } from '../fanout/servers.ts'

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
  /** Deliveries per second with `OUTSTANDING` alerts outstanding. */
  perSecond: number
  /** CPU time per delivery with `OUTSTANDING` alerts outstanding. */
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
export const OUTSTANDING = 4
/** Number of alerts before the measured ones, so that code is compiled and caches are filled. */
const WARM_UP = 10
/** Number of deliveries per phase. With fewer receivers, a phase publishes more alerts. */
const DELIVERIES = { single: 150_000, saturated: 300_000 }
const ALERTS = { min: 15, max: 600 }
const SETTLE = { intervalMs: 200, maxShare: 0.05, timeoutMs: 10_000 }

/** Measures the delivery of alerts to a number of receivers. */
export function measureFanOut(program: string, candidate: Candidate, receivers: number): Promise<FanOut> {
  return withReceivers(program, candidate, receivers, async (server, subscribers, connected) => {
    const single = await measureSingle(server, subscribers, receivers)
    return { ...connected, ...single, ...(await saturate(server, subscribers, receivers)) }
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
    const cpuBefore = await server.cpuUs()
    const beganAtMs = performance.now()
    const times = await Promise.all(Array.from({ length: perSecond * seconds }, (_, index) => publishAt(index)))
    const elapsedMs = performance.now() - beganAtMs
    const cores = ((await server.cpuUs()) - cpuBefore) / 1_000 / elapsedMs
    return { cores, p99Ms: percentile(times.flat(), 0.99) }
  })
}

type Connected = Pick<FanOut, 'connectCpuUs' | 'memoryKb'>

/** Starts the candidate, connects the receivers, and publishes the alerts of the warm-up. */
async function withReceivers<T>(
  program: string,
  candidate: Candidate,
  receivers: number,
  measure: (server: Server, subscribers: Subscribers, connected: Connected) => Promise<T>,
): Promise<T> {
  const { server, file } = await candidate.start(receivers)
  let subscribers: Subscribers | null = null
  try {
    await settle(server)
    const memoryBefore = await server.memory()
    const cpuBefore = await server.cpuUs()
    const { protocol } = candidate
    const gathering = { count: receivers, slow: 0, perBatch: 1, file, protocol }
    subscribers = await startSubscribers({ subscribers: program }, server.port, gathering)
    const connectCpuUs = ((await server.cpuUs()) - cpuBefore) / receivers
    const memoryKb = ((await server.memory()) - memoryBefore) / receivers / 1024
    await settle(server)
    for (let alert = 0; alert < WARM_UP; alert += 1) await publishOne(server, subscribers)
    return await measure(server, subscribers, { connectCpuUs, memoryKb })
  } finally {
    subscribers?.stop()
    await server.stop()
  }
}

/** Waits, at most ten seconds, until the server is nearly idle, for example after its start. */
async function settle(server: Server): Promise<void> {
  const { intervalMs, maxShare, timeoutMs } = SETTLE
  const giveUpAtMs = performance.now() + timeoutMs
  for (let cpuUs = await server.cpuUs(); performance.now() < giveUpAtMs; ) {
    await delay(intervalMs)
    const now = await server.cpuUs()
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
  const firsts: number[] = []
  const lasts: number[] = []
  const cpuBefore = await server.cpuUs()
  for (let alert = 0; alert < alerts; alert += 1) {
    const [first = 0, , , last = 0] = await publishOne(server, subscribers)
    firsts.push(first)
    lasts.push(last)
  }
  const cpuUs = ((await server.cpuUs()) - cpuBefore) / (alerts * receivers)
  return { firstMs: percentile(firsts, 0.5), lastMs: percentile(lasts, 0.5), cpuUs }
}

async function saturate(
  server: Server,
  subscribers: Subscribers,
  receivers: number,
): Promise<Pick<FanOut, 'perSecond' | 'saturatedCpuUs'>> {
  const alerts = countAlerts(DELIVERIES.saturated, receivers)
  let left = alerts
  let firstAtNs = Number.POSITIVE_INFINITY
  let lastAtNs = 0
  const publishNext = async () => {
    while (left > 0) {
      left -= 1
      const [, [first = 0, , , last = 0]] = await Promise.all([server.publish(1), subscribers.next()])
      firstAtNs = Math.min(firstAtNs, first)
      lastAtNs = Math.max(lastAtNs, last)
    }
  }
  const cpuBefore = await server.cpuUs()
  await Promise.all(Array.from({ length: OUTSTANDING }, publishNext))
  const cpuUs = (await server.cpuUs()) - cpuBefore
  const deliveries = alerts * receivers
  return { perSecond: deliveries / ((lastAtNs - firstAtNs) / 1e9), saturatedCpuUs: cpuUs / deliveries }
}

function countAlerts(deliveries: number, receivers: number): number {
  return Math.min(ALERTS.max, Math.max(ALERTS.min, Math.ceil(deliveries / receivers)))
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
