import { setTimeout as delay } from 'node:timers/promises'
import { call, getLoopbackAddress } from './http-client.ts'
import type { Instance } from './instances.ts'
import type { Journal } from './journal.ts'

const READY_EVERY_MS = 250
const READY_TIMEOUT_MS = 3_000
const REQUEST_EVERY_MS = 100
const MEMORY_EVERY_MS = 30_000
const FIRST_ADDRESS = 50_000
const ADDRESSES = 100
const PATHS = ['/api/config', '/api/log/head', '/api/alerts/public', '/api/log/stats', '/api/log/anchors']

/** Requests /readyz of an instance four times a second, as a load balancer does. */
export async function watchReadiness(journal: Journal, instance: Instance, stopped: AbortSignal): Promise<void> {
  while (!stopped.aborted) {
    const atMs = Date.now()
    const { status, body, tookMs } = await call({ port: instance.port, path: '/readyz', timeoutMs: READY_TIMEOUT_MS })
    journal.readiness.push({ instance: instance.name, atMs, tookMs, status, reasons: readReasons(body) })
    await delay(Math.max(0, READY_EVERY_MS - (Date.now() - atMs)), undefined, { signal: stopped }).catch(() => {})
  }
}

/** Samples the resident memory of an instance. An instance that does not respond is not sampled. */
export async function watchMemory(journal: Journal, instance: Instance, stopped: AbortSignal): Promise<void> {
  while (!stopped.aborted) {
    const { body } = await call({ port: instance.port, path: '/metrics', timeoutMs: READY_TIMEOUT_MS })
    const [bytes, startedAt] = ['process_resident_memory_bytes', 'process_start_time_seconds'].map((name) =>
      Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(body)?.[1]),
    )
    if (bytes && startedAt) journal.memory.push({ instance: instance.name, atMs: Date.now(), bytes, startedAt })
    await delay(MEMORY_EVERY_MS, undefined, { signal: stopped }).catch(() => {})
  }
}

function readReasons(body: string): string[] {
  try {
    return Object.keys(Object(JSON.parse(body).reasons))
  } catch {
    return []
  }
}

/** Sends ten requests a second through the reverse proxy, without waiting for their responses. */
export async function sendRequests(journal: Journal, port: number, stopped: AbortSignal): Promise<void> {
  const pendingRequests = new Set<Promise<void>>()
  for (let number = 0; !stopped.aborted; number += 1) {
    const path = PATHS[number % PATHS.length] ?? '/api/config'
    const atMs = Date.now()
    const request = call({ port, path, localAddress: getLoopbackAddress(FIRST_ADDRESS + (number % ADDRESSES)) }).then(
      ({ status, tookMs }) => void journal.requests.push({ atMs, tookMs, status, path }),
    )
    pendingRequests.add(request)
    void request.then(() => pendingRequests.delete(request))
    await delay(REQUEST_EVERY_MS, undefined, { signal: stopped }).catch(() => {})
  }
  await Promise.all(pendingRequests)
}
