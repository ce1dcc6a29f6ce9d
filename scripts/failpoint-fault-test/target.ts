import { once } from 'node:events'
import type { Failpoint } from '@tocsin/server/failpoint.ts'
import { createServer } from '@tocsin/server/server.ts'
import { type ConfigOverrides, testConfig } from '@tocsin/testkit'

/** What the scene tells the process that it starts. */
export interface Order {
  config: ConfigOverrides
  failpoint: Failpoint | null
  /** How often the failpoint is passed unhurt. */
  spared: number
}

/**
 * The whole server as a process of its own, which ends itself without a word at a failpoint. Its order comes as JSON by its input, so that it can
 * have read its sources by then.
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
