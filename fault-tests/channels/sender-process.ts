import type { Context } from '@tocsin/server/context.ts'
import { fillLedger } from '@tocsin/server/features/channels/fill-ledger.ts'
import { createSender } from '@tocsin/server/features/channels/sender.ts'
import { type ConfigOverrides, createTestContext, fakeClock, testConfig } from '@tocsin/testkit'

/** Sends what is due at `nowMs`. */
export interface SenderOrder {
  config: ConfigOverrides
  nowMs: number
  /** From this time on the process kills itself after its next request, before it records it. */
  killAtMs: number | null
}

/**
 * The sender of channels in a process of its own, with the clock of its parent. Answers each order
 * with a message when nothing more can be sent.
 */
const clock = fakeClock(new Date(0))
let killAtMs: number | null = null
let sent = 0
let started: Promise<{ ctx: Context; send: (now: Date) => Promise<void> }> | null = null

process.on('message', async (order: SenderOrder) => {
  clock.set(new Date(order.nowMs))
  killAtMs = order.killAtMs
  started ??= start(order.config)
  const { ctx, send } = await started
  await fillLedger(ctx)
  for (let before = -1; before !== sent; ) {
    before = sent
    await send(clock.now())
  }
  process.send?.('settled')
})
// The parent has ended.
process.on('disconnect', () => process.exit())

async function start(config: ConfigOverrides) {
  const { ctx } = await createTestContext(testConfig(config), clock)
  const observed: Context = {
    ...ctx,
    failpoint(at) {
      if (at !== 'channel: after send') return
      sent += 1
      if (killAtMs !== null && clock.now().getTime() >= killAtMs) process.kill(process.pid, 'SIGKILL')
    },
  }
  const sender = createSender(observed, () => {}, new AbortController().signal)
  return {
    ctx: observed,
    async send(now: Date) {
      await sender.startDue(now)
      await sender.ended()
    },
  }
}
