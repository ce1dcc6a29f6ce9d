import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { alertAnchorAbi } from '@tocsin/contracts/abi'
import { appendLeaf, bytesToHex, emptyFrontier, frontierRoot, hashLeaf } from '@tocsin/proof'
import type { AdminAlert } from '@tocsin/protocol'
import { systemClock } from '@tocsin/server/clock.ts'
import type { Context } from '@tocsin/server/context.ts'
import { alerts } from '@tocsin/server/db/schema/alerts.ts'
import type { Failpoint } from '@tocsin/server/failpoint.ts'
import { checkLog } from '@tocsin/server/features/tlog/check-log.ts'
import { listAnchors, listEntries } from '@tocsin/server/features/tlog/store.ts'
import { findFreePort } from '@tocsin/server/http/free-port.ts'
import {
  ApiError,
  createTestClient,
  createTestContext,
  startTestChain,
  startTestDatabase,
  testConfig,
} from '@tocsin/testkit'
import { root } from '../../scripts/build-stamp.mjs'
import { groupBy } from '../group-by.ts'
import { createListeners } from './listeners.ts'
import { prepareTargets } from './target-process.ts'

/**
 * Fault test of the log: the server kills itself at failpoints, while the database and the chain
 * keep running.
 */

const CONCURRENCY = 4
/**
 * Pause between two requests of one issuer. All issuers together send 300 requests per minute, half
 * the rate limit of a network.
 */
const PAUSE_MS = (CONCURRENCY * 60_000) / 300
/** Number of first requests without a pause, so that several are in flight at the same time. */
const INITIAL_BURST_REQUESTS = 40
const ANCHOR_TIMEOUT_MS = 120_000
const POLL_MS = 50
/**
 * Path of the bundled server. Like the product's own bundle, it is in a subfolder of apps/server,
 * because the server locates its migrations relative to the bundle.
 */
const targetBundle = join(root, 'apps/server/.cache', `failpoint-target-${process.pid}.js`)
const admin = { email: 'admin@example.com', password: 'a bell that rings at night' }

export interface FailpointFixture {
  /**
   * Starts the server, issues alerts until it has killed itself, and checks the log.
   * @returns the number of acknowledged alerts
   * @throws Error that names the failed check
   */
  crashAt(failpoint: Failpoint, passesBeforeCrash: number): Promise<number>
  /**
   * Starts the server without a failpoint. Checks that everything gets anchored, all acknowledged
   * alerts exist, and every client has received each alert once and in order.
   */
  settle(): Promise<{ size: number; acknowledgedAlerts: number; anchors: number }>
  stop(): Promise<void>
}

export async function openFailpointFixture(): Promise<FailpointFixture> {
  const [database, chain, targets] = await Promise.all([
    startTestDatabase(),
    startTestChain(),
    prepareTargets(targetBundle),
  ])
  const port = await findFreePort()
  const url = `http://localhost:${port}`
  const settings = {
    databaseUrl: await database.createDatabase(),
    payment: chain.settings.payment,
    anchor: { ...chain.settings.anchor, intervalSeconds: 0.1 },
    http: { port, host: 'localhost', publicUrl: url },
    firstAdmin: admin,
  }
  const observerContext = await createTestContext(testConfig(settings), systemClock)
  const { ctx } = observerContext
  const client = createTestClient(url)
  const listeners = await createListeners(ctx, url)
  const acknowledgedAlerts: AdminAlert[] = []
  let issuedCount = 0

  async function issueAlert(): Promise<boolean> {
    issuedCount += 1
    const body = { asset: 'BTC/USD', summary: `Alert ${issuedCount}`, confidence: 50, priority: 'low' } as const
    try {
      acknowledgedAlerts.push((await client.call('createAlert', { body })).alert)
      return true
    } catch (error) {
      if (error instanceof ApiError) throw error
      // The server has crashed. The alert may or may not exist.
      return false
    }
  }

  async function issueUntilExit(): Promise<void> {
    const unpausedUntil = issuedCount + INITIAL_BURST_REQUESTS
    const issueInLoop = async () => {
      while (await issueAlert()) if (issuedCount > unpausedUntil) await delay(PAUSE_MS)
    }
    if (client.cookie() === '') await client.call('login', { body: admin })
    await Promise.all(Array.from({ length: CONCURRENCY }, issueInLoop))
  }

  async function checkLogAndAlerts(): Promise<void> {
    await checkLog(ctx)
    await assertAcknowledged(ctx, acknowledgedAlerts)
  }

  return {
    async crashAt(failpoint, passesBeforeCrash) {
      const acknowledgedBefore = acknowledgedAlerts.length
      await targets.takeNext().runUntilCrash({ config: settings, failpoint, passesBeforeCrash }, async () => {
        listeners.probe()
        await issueUntilExit()
      })
      await checkLogAndAlerts()
      return acknowledgedAlerts.length - acknowledgedBefore
    },
    async settle() {
      let size = 0
      await targets.takeNext().runServer(settings, async () => {
        size = (await checkLog(ctx)).size
        await waitUntilAnchored(ctx, size)
        await listeners.assertComplete()
      })
      await checkLogAndAlerts()
      const events = await chain.client.getContractEvents({
        address: chain.anchorContract,
        abi: alertAnchorAbi,
        eventName: 'Anchored',
        fromBlock: 0n,
        strict: true,
      })
      const onChain = events.map(({ args, transactionHash }) => `${args.size} ${args.root} ${transactionHash}`)
      await assertAnchors(ctx, onChain)
      return { size, acknowledgedAlerts: acknowledgedAlerts.length, anchors: onChain.length }
    },
    async stop() {
      await targets.close()
      listeners.close()
      await observerContext.close()
      await Promise.all([database.stop(), chain.stop()])
    },
  }
}

async function waitUntilAnchored(ctx: Context, size: number): Promise<void> {
  const deadline = performance.now() + ANCHOR_TIMEOUT_MS
  while ((await listAnchors(ctx.db)).at(-1)?.size !== size) {
    if (performance.now() > deadline) throw new Error(`The log of ${size} entries is not anchored`)
    await delay(POLL_MS)
  }
}

/**
 * Checks that each acknowledged alert exists once and unchanged, and that an alert without a
 * response exists at most once.
 */
async function assertAcknowledged(ctx: Context, acknowledgedAlerts: readonly AdminAlert[]): Promise<void> {
  const rows = await ctx.db.select().from(alerts)
  const rowsBySummary = groupBy(rows, ({ summary }) => summary)
  for (const [summary, found] of rowsBySummary) {
    if (found.length > 1) throw new Error(`"${summary}" exists ${found.length} times`)
  }
  for (const { summary, id, logIndex } of acknowledgedAlerts) {
    const [row] = rowsBySummary.get(summary) ?? []
    if (row?.id !== id || row.logIndex !== logIndex) throw new Error(`"${summary}" was acknowledged and is lost`)
  }
}

/**
 * Checks that the anchors in the database and on chain are equal, and that every root matches the
 * entries.
 * @param onChain size, root and transaction hash of each anchor
 */
async function assertAnchors(ctx: Context, onChain: readonly string[]): Promise<void> {
  const anchors = await listAnchors(ctx.db)
  const savedAnchors = anchors.map(({ size, root, txHash }) => `${size} ${bytesToHex(root)} ${txHash}`)
  if (savedAnchors.join() !== onChain.join())
    throw new Error(`Saved anchors ${savedAnchors} differ from those on chain ${onChain}`)
  const uncheckedRoots = new Map(anchors.map(({ size, root }) => [size, bytesToHex(root)]))
  let frontier = emptyFrontier
  for (const { bytes } of await listEntries(ctx.db, 0, Number.MAX_SAFE_INTEGER)) {
    frontier = appendLeaf(frontier, hashLeaf(bytes)).frontier
    const root = uncheckedRoots.get(frontier.size)
    if (root && root !== bytesToHex(frontierRoot(frontier))) throw new Error(`The anchor of ${frontier.size} is wrong`)
    uncheckedRoots.delete(frontier.size)
  }
  if (uncheckedRoots.size > 0) throw new Error('There are anchors beyond the end of the log')
}
