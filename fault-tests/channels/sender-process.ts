import { type ConfigOverrides, createTestContext, fakeClock, testConfig } from '@tocsin/testkit'
import { createJob, type Job } from './job.ts'

/** Sends what is due at `nowMs`. */
export interface SenderOrder {
  config: ConfigOverrides
  nowMs: number
  /** From this time on the process kills itself after its next response, before it records it. */
  killAtMs: number | null
}

/**
 * The job of channels in a process of its own, with the clock of its parent. Answers each order
 * with a message when nothing more can be sent.
 */
const clock = fakeClock(new Date(0))
let killAtMs: number | null = null
let started: Promise<Job> | null = null

process.on('message', async (order: SenderOrder) => {
  clock.set(new Date(order.nowMs))
  killAtMs = order.killAtMs
  started ??= start(order.config)
  await (await started).settle()
  process.send?.('settled')
})
// The parent has ended.
process.on('disconnect', () => process.exit())

async function start(config: ConfigOverrides): Promise<Job> {
  const { ctx } = await createTestContext(testConfig(config), clock)
  return createJob(ctx, new AbortController().signal, () => {
    if (killAtMs !== null && clock.now().getTime() >= killAtMs) process.kill(process.pid, 'SIGKILL')
  })
}
