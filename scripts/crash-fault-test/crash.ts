import { setTimeout as delay } from 'node:timers/promises'
import type { TestClient } from '@tocsin/testkit'
import type { Ledger } from './ledger.ts'
import { startLoad } from './load.ts'
import type { Component, Target } from './target.ts'

const RECOVERED_WITHIN_MS = 60_000

/** Whether it comes back by itself: PostgreSQL and the chain are started again by the server, which goes on. */
const RESTARTED_BY_SERVER: readonly Component[] = ['postgres', 'anvil']

/** @returns ms from the start that counted until it was up */
export async function crashWhileStarting(target: Target, component: Component, afterMs: number): Promise<number> {
  const starting = target.start().then(
    (ms) => ms,
    () => null,
  )
  await Promise.race([delay(afterMs), starting])
  // A program that is not there yet comes a moment later.
  while (target.isRunning() && !target.kill(component)) await delay(20)
  const wentOn = await starting
  if (wentOn !== null && target.isRunning() && RESTARTED_BY_SERVER.includes(component)) return wentOn
  return startAgain(target, component)
}

interface Crash {
  round: number
  component: Component
  afterMs: number
  /** It comes no sooner than this is true, however slow the machine is; half a minute at most. */
  isTime?: () => boolean
}

const NO_LATER_THAN_MS = 30_000

/** @returns ms from the crash, or from the start after it, until it served again */
export async function crashWhileWorking(
  target: Target,
  admin: TestClient,
  ledger: Ledger,
  { round, component, afterMs, isTime = () => true }: Crash,
): Promise<number> {
  const load = startLoad(target, admin, ledger, round)
  await delay(afterMs)
  const deadline = performance.now() + NO_LATER_THAN_MS
  while (!isTime() && performance.now() < deadline) await delay(50)
  const killedAt = performance.now()
  if (!target.kill(component)) throw new Error(`${component} does not run`)
  if (!RESTARTED_BY_SERVER.includes(component)) {
    await load.stop()
    return startAgain(target, component)
  }
  await delay(500)
  await waitUntilReady(target.url)
  await load.stop()
  return performance.now() - killedAt
}

/**
 * At once, as a service manager would: the new run meets what is left of the killed one. After npm alone was killed the
 * server still stops in order, and until then rightly refuses a second one.
 */
async function startAgain(target: Target, component: Component): Promise<number> {
  if (component === 'npm') await target.waitUntilGone()
  const backMs = await target.start()
  await target.waitUntilGone()
  return backMs
}

export async function waitUntilReady(url: string): Promise<void> {
  const deadline = performance.now() + RECOVERED_WITHIN_MS
  while (performance.now() < deadline) {
    const status = await fetch(`${url}/readyz`)
      .then((answer) => answer.status)
      .catch(() => 0)
    if (status === 200) return
    await delay(50)
  }
  throw new Error(`not ready ${RECOVERED_WITHIN_MS / 1000} s after the crash`)
}
