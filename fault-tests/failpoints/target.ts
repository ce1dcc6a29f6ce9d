import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Clock } from '@tocsin/server/clock.ts'
import type { Failpoint } from '@tocsin/server/failpoint.ts'
import { createServer } from '@tocsin/server/server.ts'
import { type ConfigOverrides, testConfig } from '@tocsin/testkit'

/** Settings that the test sends to the child process. */
export interface TargetSettings {
  config: ConfigOverrides
  failpoint: Failpoint | null
  /** Number of times that the failpoint is passed before the crash. */
  passesBeforeCrash: number
  /**
   * Path of a file to which the test writes the current time. Without it, the server uses real
   * time.
   */
  clockFile?: string
}

/**
 * Short leases, because a killed server keeps its leases and the next server waits until they
 * expire.
 */
const SHORT_LEASES = { ttlMs: 1_500, marginMs: 500, tickMs: 100 }

function createFileClock(path: string): Clock {
  const now = () => new Date(Number(readFileSync(path, 'utf8')))
  return { now, readDatabaseTime: async () => now() }
}

/**
 * Runs the whole server in a child process that kills itself at a failpoint. Reads its settings as
 * JSON from standard input, so that its sources are already loaded when the test sends them.
 */
const [text] = await once(process.stdin, 'data')
const { config, failpoint, passesBeforeCrash, clockFile }: TargetSettings = JSON.parse(String(text))
let remainingPasses = passesBeforeCrash
const server = await createServer(testConfig(config), {
  ...(clockFile === undefined ? {} : { clock: createFileClock(clockFile), leaseTimes: SHORT_LEASES }),
  failpoint(at) {
    if (at !== failpoint) return
    if (remainingPasses === 0) process.kill(process.pid, 'SIGKILL')
    remainingPasses -= 1
  },
})
process.stdout.write('up\n')
process.on('SIGTERM', () => void server.close().then(() => process.exit(0)))
