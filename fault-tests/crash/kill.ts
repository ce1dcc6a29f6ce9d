import { setTimeout as delay } from 'node:timers/promises'
import type { TestClient } from '@tocsin/testkit'
import type { AcknowledgedData } from './ledger.ts'
import { startLoad } from './load.ts'
import type { Component, Target } from './target.ts'

/** Timeout that only ends tests that hang. */
const RECOVERY_TIMEOUT_MS = 300_000
/**
 * Interval of readiness polls. With the requests of `startLoad`, they stay below the 600 requests
 * per minute that the server allows one network.
 */
const READY_POLL_MS = 250
/** Time after which the server no longer reuses the result of a readiness check. */
const READY_CACHE_MS = 500

/** Components that the running server restarts by itself. */
const RESTARTED_BY_SERVER: readonly Component[] = ['postgres', 'anvil']

/** @returns ms from the successful start until the target was ready */
export async function crashWhileStarting(target: Target, component: Component, afterMs: number): Promise<number> {
  const startResult = target.start().then(
    (ms) => ms,
    () => null,
  )
  await Promise.race([delay(afterMs), startResult])
  // Repeat the kill, because the component may not have started yet.
  while (target.isRunning() && !target.kill(component)) await delay(20)
  const startMs = await startResult
  if (startMs !== null && target.isRunning() && RESTARTED_BY_SERVER.includes(component)) return startMs
  return restartProduct(target, component)
}

interface Crash {
  round: number
  component: Component
  afterMs: number
  /** The crash is delayed until this returns true, for at most two minutes. */
  isTime?: () => boolean
}

const MAX_DELAY_MS = 120_000

/** @returns ms from the crash, or from the restart after it, until the target was ready */
export async function crashWhileWorking(
  target: Target,
  admin: TestClient,
  ledger: AcknowledgedData,
  { round, component, afterMs, isTime = () => true }: Crash,
): Promise<number> {
  const load = startLoad(target, admin, ledger, round)
  await delay(afterMs)
  const deadline = performance.now() + MAX_DELAY_MS
  while (!isTime() && performance.now() < deadline) await delay(50)
  const killedAt = performance.now()
  if (!target.kill(component)) throw new Error(`${component} does not run`)
  if (!RESTARTED_BY_SERVER.includes(component)) {
    await load.stop()
    return restartProduct(target, component)
  }
  // Wait until the server can notice the crash. Before that, /readyz still reports it as ready.
  await target.waitUntilKilled()
  await delay(READY_CACHE_MS)
  await waitUntilReady(target.url)
  await load.stop()
  return performance.now() - killedAt
}

/**
 * Restarts the product immediately, as a service manager would, while processes of the killed run
 * may still exist. If only npm was killed, the server shuts down gracefully and rejects a second
 * instance until it has ended, so the restart waits for its end.
 */
async function restartProduct(target: Target, component: Component): Promise<number> {
  if (component === 'npm') await target.waitUntilExited()
  const recoveryMs = await target.start()
  await target.waitUntilExited()
  return recoveryMs
}

export async function waitUntilReady(url: string): Promise<void> {
  const deadline = performance.now() + RECOVERY_TIMEOUT_MS
  while (performance.now() < deadline) {
    const status = await fetch(`${url}/readyz`)
      .then((answer) => answer.status)
      .catch(() => 0)
    if (status === 200) return
    await delay(READY_POLL_MS)
  }
  throw new Error(`not ready ${RECOVERY_TIMEOUT_MS / 1000} s after the crash`)
}
