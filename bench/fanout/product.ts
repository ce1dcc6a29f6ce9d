import type { Priority } from '@tocsin/protocol'
import { createIssuer } from '@tocsin/server/features/alerts/issue-alerts.ts'
import { createServer } from '@tocsin/server/server.ts'
import { type ConfigOverrides, testConfig } from '@tocsin/testkit'

/**
 * Runs the whole server in a child process, controlled by messages: a configuration first, then
 * `publish` and `collect`, which collects garbage.
 */
export type Order = { config: ConfigOverrides } | { publish: number; priority?: Priority } | { collect: true }
export type Answer = { up: true } | { committedAt: string } | { collected: true }

const sendAnswer = (answer: Answer) => process.send?.(answer)
let committedAt = 0n

/** Content of an alert with about 1,200 bytes on the wire. */
const content = {
  asset: 'BTC/USDT',
  anomalyType: 'Volume spike',
  regime: 'High volatility',
  summary: 'Spot volume reached 3.2 times its norm. '.repeat(13),
  confidence: 91.5,
  priority: 'high',
} as const

const getPriority = ({ priority }: { priority?: Priority }) => (priority === undefined ? {} : { priority })

async function start(overrides: ConfigOverrides): Promise<(order: Order) => Promise<void>> {
  const { ctx } = await createServer(testConfig(overrides), {
    failpoint(at) {
      if (at === 'append: commit sent') committedAt = process.hrtime.bigint()
    },
  })
  const issueAlert = createIssuer(ctx)
  sendAnswer({ up: true })
  return async (order) => {
    if ('publish' in order) {
      const alertsToIssue = Array.from(
        { length: order.publish },
        () => ({ content: { ...content, ...getPriority(order) }, origin: 'admin', broadcast: true }) as const,
      )
      await Promise.all(alertsToIssue.map(issueAlert))
      sendAnswer({ committedAt: String(committedAt) })
    } else if ('collect' in order) {
      globalThis.gc?.()
      sendAnswer({ collected: true })
    }
  }
}

let commandHandler: Promise<(order: Order) => Promise<void>> | null = null
process.on('message', (order: Order) => {
  if ('config' in order) commandHandler = start(order.config)
  else void commandHandler?.then((handle) => handle(order))
})
process.on('disconnect', () => process.exit(0))
