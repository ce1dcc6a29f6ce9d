import { type ConfigOverrides, createTestContext, fakeClock, testConfig } from '@tocsin/testkit'
import { createJob, type Job } from './job.ts'

/** An order to do all work that is due at `nowMs`. */
export interface SenderOrder {
  config: ConfigOverrides
  nowMs: number
  /** From this time on, the process kills itself after its next response, before recording it. */
  killAtMs: number | null
}

/**
 * Runs the job of channels in a separate process, with the clock of its parent. When nothing more
 * can be sent, the process responds to the order with a message.
 */
const clock = fakeClock(new Date(0))
let killAtMs: number | null = null
let pendingJob: Promise<Job> | null = null

process.on('message', async (order: SenderOrder) => {
  clock.set(new Date(order.nowMs))
  killAtMs = order.killAtMs
  pendingJob ??= start(order.config)
  await (await pendingJob).settle()
  process.send?.('settled')
})
// End this process when its parent has ended.
process.on('disconnect', () => process.exit())

async function start(config: ConfigOverrides): Promise<Job> {
  const { ctx } = await createTestContext(testConfig(config), clock)
  return createJob(ctx, new AbortController().signal, () => {
    if (killAtMs !== null && clock.now().getTime() >= killAtMs) process.kill(process.pid, 'SIGKILL')
  })
}
