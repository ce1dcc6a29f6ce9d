import { type AlertStream, byWalletSignature, openAlertStream } from '@tocsin/client'
import type { Context } from '@tocsin/server/context.ts'
import { alerts } from '@tocsin/server/db/schema/alerts.ts'
import { addSubscriber, testAccount } from '@tocsin/testkit'
import { WebSocket } from 'ws'

const COUNT = 12
const FIRST_ACCOUNT = 700
const SUBSCRIPTION_MS = 86_400_000
/** Timeout that only ends tests that hang. */
const COMPLETION_TIMEOUT_MS = 120_000
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
  for (const { address } of wallets) await addSubscriber(ctx, address, SUBSCRIPTION_MS)
  const receivedIndexes: number[][] = wallets.map(() => [])
  const streams = wallets.map(
    (wallet, index): AlertStream =>
      openAlertStream({
        url: `${url.replace(/^http/, 'ws')}/ws`,
        WebSocket,
        authenticate: byWalletSignature(wallet),
        // Index 0 is the key list, so the stream starts with the first alert.
        from: { lastIndex: 0 },
        onAlert: ({ logIndex }) => receivedIndexes[index]?.push(logIndex),
        random: () => 0,
      }),
  )
  const probe = () => {
    for (const stream of streams) stream.probe()
  }
  const readExpected = async () => {
    const rows = await ctx.db.select({ logIndex: alerts.logIndex }).from(alerts)
    return rows.map(({ logIndex }) => logIndex).sort((a, b) => a - b)
  }
  return {
    probe,
    async assertComplete() {
      const allIndexes = (await readExpected()).join()
      const deadline = performance.now() + COMPLETION_TIMEOUT_MS
      while (receivedIndexes.some((list) => list.join() !== allIndexes)) {
        if (performance.now() > deadline)
          throw new Error(`Expected alerts ${allIndexes}, but clients received ${receivedIndexes.join(' / ')}`)
        probe()
        await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      }
    },
    close() {
      for (const stream of streams) stream.close()
    },
  }
}
