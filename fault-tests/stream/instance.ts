import { startInstance, type TestAccounts } from '@tocsin/server/test/support/live-test-bed.ts'
import { testActor } from '@tocsin/server/test/support/test-actor.ts'
import { fakeClock } from '@tocsin/testkit'

/** Number of clients per attack. */
export const SOCKETS = 50

/** Current and peak memory, in bytes. */
export interface Memory {
  rss: number
  maxRss: number
}

// Runs the stream in a child process, so that its memory can be measured. The first message is the
// database URL; the reply to each empty message is the memory usage.
process.on('message', async (databaseUrl: string) => {
  if (databaseUrl === '') {
    const memory: Memory = { rss: process.memoryUsage.rss(), maxRss: process.resourceUsage().maxRSS * 1024 }
    process.send?.(memory)
    return
  }
  const clock = fakeClock()
  const accounts: TestAccounts = { actors: new Map(), entitlements: new Map(), owners: new Map() }
  for (let index = 0; index < SOCKETS; index += 1) {
    const sessionId = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
    const actor = testActor(`account ${index}`, { sessionId, authenticatedAt: clock.now() })
    accounts.actors.set(`person ${index}`, actor)
  }
  const { url } = await startInstance(databaseUrl, clock, accounts)
  process.send?.(url)
})
process.on('disconnect', () => process.exit(0))
