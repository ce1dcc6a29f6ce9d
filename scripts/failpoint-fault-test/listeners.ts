import { type AlertStream, byProgram, openAlertStream } from '@tocsin/client'
import type { Context } from '@tocsin/server/context.ts'
import { addSubscriber, testAccount } from '@tocsin/testkit'
import { WebSocket } from 'ws'

const COUNT = 12
const FIRST_ACCOUNT = 700
const LONG_MS = 86_400_000
const COMPLETE_WITHIN_MS = 20_000
const LOOK_MS = 100

/** Programs that listen through every death of the server, each with the list that its client has told it. */
export interface Listeners {
  /** Tries at once to reach the server. */
  probe(): void
  /** @throws Error unless every one was told each alert once, in the order of the log */
  assertComplete(): Promise<void>
  close(): void
}

export async function createListeners(ctx: Context, url: string): Promise<Listeners> {
  const wallets = Array.from({ length: COUNT }, (_, at) => testAccount(FIRST_ACCOUNT + at))
  for (const { address } of wallets) await addSubscriber(ctx, address, LONG_MS)
  const told: number[][] = wallets.map(() => [])
  const streams = wallets.map(
    (wallet, at): AlertStream =>
      openAlertStream({
        url: `${url.replace(/^http/, 'ws')}/ws`,
        WebSocket,
        authenticate: byProgram(wallet),
        // The key list, which is no alert: from the first alert on.
        from: { lastIndex: 0 },
        onAlert: ({ logIndex }) => told[at]?.push(logIndex),
        random: () => 0,
      }),
  )
  const probe = () => {
    for (const stream of streams) stream.probe()
  }
  const expected = async () => {
    const rows = await ctx.db.query.alerts.findMany({ columns: { logIndex: true } })
    return rows.map(({ logIndex }) => logIndex).sort((a, b) => a - b)
  }
  return {
    probe,
    async assertComplete() {
      const all = (await expected()).join()
      const deadline = performance.now() + COMPLETE_WITHIN_MS
      while (told.some((list) => list.join() !== all)) {
        if (performance.now() > deadline) throw new Error(`Alerts ${all}, but listeners were told ${told.join(' / ')}`)
        probe()
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
      }
    },
    close() {
      for (const stream of streams) stream.close()
    },
  }
}
