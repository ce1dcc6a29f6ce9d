import { type ChildProcess, fork } from 'node:child_process'
import type { Scene } from './scene.ts'
import type { SenderOrder } from './sender-process.ts'

const entry = new URL('./sender-process.ts', import.meta.url)

export interface Processes {
  /**
   * Sends what is due, until nothing more can be started.
   * @param killAtMs if this time is reached, the sender ends after a request that it has not
   *   recorded
   * @returns whether it was killed
   */
  settle(killAtMs: number | null): Promise<boolean>
  stop(): Promise<void>
}

/** Ends the sender inside this process: quick, but what it has in memory is not lost. */
export function createInnerProcesses(scene: Scene): Processes {
  return {
    async settle(killAtMs) {
      let wasKilled = false
      scene.failpoint.run = () => {
        if (wasKilled || killAtMs === null || scene.clock.now().getTime() < killAtMs) return
        wasKilled = true
        scene.kill()
        throw new Error('The process ended here')
      }
      await scene.settle()
      return wasKilled
    },
    stop: async () => {},
  }
}

/** The sender is a process of its own that kills itself with SIGKILL. */
export function createKilledProcesses(scene: Scene): Processes {
  let child: ChildProcess | null = null
  return {
    async settle(killAtMs) {
      const running = child ?? fork(entry, { execArgv: ['--import', 'tsx'] })
      child = running
      const order: SenderOrder = { config: scene.config, nowMs: scene.clock.now().getTime(), killAtMs }
      running.send(order)
      const end = await new Promise((resolve) => {
        running.once('message', resolve)
        running.once('exit', (code, signal) => resolve(signal ?? code))
      })
      running.removeAllListeners()
      if (end === 'settled') return false
      child = null
      if (end !== 'SIGKILL') throw new Error(`The sender ended by itself (${end})`)
      await scene.hungUp()
      return true
    },
    stop: async () => void child?.kill('SIGKILL'),
  }
}
