import { once } from 'node:events'
import type { Failpoint } from '@tocsin/server/failpoint.ts'
import { createServer } from '@tocsin/server/server.ts'
import { type ConfigOverrides, testConfig } from '@tocsin/testkit'

/** Settings that the test sends to the child process. */
export interface Order {
  config: ConfigOverrides
  failpoint: Failpoint | null
  /** How many times the failpoint is passed before the crash. */
  spared: number
}

/**
 * Runs the whole server in a child process that kills itself at a failpoint. Reads its settings as
 * JSON from standard input, so that its sources are already loaded when the test sends them.
 */
const [text] = await once(process.stdin, 'data')
const { config, failpoint, spared }: Order = JSON.parse(String(text))
let left = spared
const server = await createServer(testConfig(config), {
  failpoint(at) {
    if (at !== failpoint) return
    if (left === 0) process.kill(process.pid, 'SIGKILL')
    left -= 1
  },
})
process.stdout.write('up\n')
process.on('SIGTERM', () => void server.close().then(() => process.exit(0)))
