import { type ChildProcess, fork } from 'node:child_process'
import type { Fixture } from './fixture.ts'
import { createJob } from './job.ts'
import type { SenderOrder } from './sender-process.ts'

const entry = new URL('./sender-process.ts', import.meta.url)

export interface SenderRunner {
  /**
   * Does all work that is due at the time of the clock.
   * @param killAtMs from this time on, the sender is killed after its next response, before it
   *   records the response
   * @returns whether the sender was killed
   */
  settle(killAtMs: number | null): Promise<boolean>
  /** Kills the sender now. */
  kill(): void
  stop(): Promise<void>
}

/**
 * Runs the sender inside this process. A kill aborts it, which is fast, but its memory is not lost.
 * @param waitUntilHungUp resolves when the endpoints have read everything that was being sent
 */
export function createInProcessSender(fixture: Fixture, waitUntilHungUp: () => Promise<unknown>): SenderRunner {
  let isKilled = false
  let killAtMs: number | null = null
  const start = () => {
    const abort = new AbortController()
    const onSent = () => {
      if (killAtMs === null || fixture.clock.now().getTime() < killAtMs) return
      killAtMs = null
      kill()
      throw new Error('The process ended here')
    }
    return { abort, job: createJob(fixture.ctx, abort.signal, onSent) }
  }
  const kill = () => {
    isKilled = true
    current.abort.abort()
  }
  let current = start()
  return {
    async settle(atMs) {
      killAtMs = atMs
      await current.job.settle()
      if (!isKilled) return false
      current.job.close()
      await waitUntilHungUp()
      current = start()
      isKilled = false
      return true
    },
    kill,
    async stop() {
      current.abort.abort()
      current.job.close()
    },
  }
}

/**
 * Runs the sender in a separate process, which is killed with SIGKILL.
 * @param waitUntilHungUp resolves when the endpoints have read everything that a killed process
 *   has sent
 */
export function createChildProcessSender(fixture: Fixture, waitUntilHungUp: () => Promise<unknown>): SenderRunner {
  let child: ChildProcess | null = null
  return {
    async settle(killAtMs) {
      const runningChild = child ?? fork(entry, { execArgv: ['--import', 'tsx'] })
      child = runningChild
      const order: SenderOrder = { config: fixture.config, nowMs: fixture.clock.now().getTime(), killAtMs }
      runningChild.send(order)
      const endMessage = await new Promise((resolve) => {
        runningChild.once('message', resolve)
        runningChild.once('exit', (code, signal) => resolve(signal ?? code))
      })
      runningChild.removeAllListeners()
      if (endMessage === 'settled') return false
      child = null
      if (endMessage !== 'SIGKILL') throw new Error(`The sender ended by itself (${endMessage})`)
      await waitUntilHungUp()
      return true
    },
    kill: () => void child?.kill('SIGKILL'),
    stop: async () => void child?.kill('SIGKILL'),
  }
}
