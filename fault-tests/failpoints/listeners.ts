import { type AlertStream, byWalletSignature, openAlertStream } from '@tocsin/client'
import type { Context } from '@tocsin/server/context.ts'
import { alerts } from '@tocsin/server/db/schema/alerts.ts'
import { addSubscriber, testAccount } from '@tocsin/testkit'
import { WebSocket } from 'ws'

const COUNT = 12
const FIRST_ACCOUNT = 700
const LONG_MS = 86_400_000
/** Timeout that only ends tests that hang. */
const COMPLETE_WITHIN_MS = 120_000
const POLL_MS = 100

/**
 * Clients that stay subscribed to the alert stream through every crash. They record the alerts that
 * they receive.
 */
export interface Listeners {
  /** Makes all clients reconnect at the same time. */
  probe(): void
  /** @throws Error unless every client received each alert exactly once, in log order */
  assertComplete(): Promise<void>
  close(): void
}

export async function createListeners(ctx: Context, url: string): Promise<Listeners> {
  const wallets = Array.from({ length: COUNT }, (_, index) => testAccount(FIRST_ACCOUNT + index))
  for (const { address } of wallets) await addSubscriber(ctx, address, LONG_MS)
  const received: number[][] = wallets.map(() => [])
  const streams = wallets.map(
    (wallet, index): AlertStream =>
      openAlertStream({
        url: `${url.replace(/^http/, 'ws')}/ws`,
        WebSocket,
        authenticate: byWalletSignature(wallet),
        // Index 0 is the key list, so this starts with the first alert.
        from: { lastIndex: 0 },
        onAlert: ({ logIndex }) => received[index]?.push(logIndex),
        random: () => 0,
      }),
  )
  const probe = () => {
    for (const stream of streams) stream.probe()
  }
  const expected = async () => {
    const rows = await ctx.db.select({ logIndex: alerts.logIndex }).from(alerts)
    return rows.map(({ logIndex }) => logIndex).sort((a, b) => a - b)
  }
  return {
    probe,
    async assertComplete() {
      const all = (await expected()).join()
      const deadline = performance.now() + COMPLETE_WITHIN_MS
      while (received.some((list) => list.join() !== all)) {
        if (performance.now() > deadline)
          throw new Error(`Expected alerts ${all}, but clients received ${received.join(' / ')}`)
        probe()
        await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      }
    },
    close() {
      for (const stream of streams) stream.close()
    },
  }
}
