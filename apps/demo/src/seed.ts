import { maxAnchorDelayMs } from '@tocsin/proof'
import type { Context } from '@tocsin/server/context.ts'
import { alertOutcomes, alerts } from '@tocsin/server/db/schema/alerts.ts'
import { settings } from '@tocsin/server/db/schema/server.ts'
import { createAccount } from '@tocsin/server/features/accounts/service.ts'
import { receiveCandles } from '@tocsin/server/features/feed/receive-candles.ts'
import { findHead } from '@tocsin/server/features/tlog/store.ts'
import { eq } from 'drizzle-orm'
import { isEntry, type PastEntry, type PastMessage } from './engine-history.ts'
import { openHistoricAnchors } from './historic-anchors.ts'
import { issuePast } from './issue-past.ts'
import type { LocalChain } from './local-chain.ts'

interface SeedPlan {
  chain: LocalChain
  /** The engine's messages until now, in time order. */
  history: AsyncIterable<PastMessage[]>
  users: { name: string; email: string; password: string }[]
  /** Aborts the seed between two messages. The next start continues from there. */
  signal: AbortSignal
  print(line: string): void
}

const SEEDED_SETTING = 'demo.seeded'
const BATCH_SIZE = 200
/** Number of anchors after which the chain is saved. */
const ANCHORS_PER_SAVE = 200
const ANCHOR_AFTER_MS = 2_000
/**
 * Maximum time between the first and the last outcome that share an anchor. The times of outcomes
 * count as proven only if the anchor follows within `maxAnchorDelayMs`.
 */
const OUTCOMES_WAIT_MS = maxAnchorDelayMs - 60_000

/**
 * Creates two verified traders and the history: signs and logs the engine's past signals and
 * outcomes with the times at which they would have arrived, and anchors them in blocks with
 * matching times. Continues after an interruption. Finally sets the chain's clock to the present.
 */
export async function seedDemo(ctx: Context, { chain, history, users, signal, print }: SeedPlan): Promise<void> {
  const [seeded] = await ctx.db.select().from(settings).where(eq(settings.name, SEEDED_SETTING))
  if (!seeded) {
    for (const user of users) await createAccount(ctx, { ...user, role: 'user', verified: true })
    await makeHistory(ctx, chain, { history, signal, print })
    await ctx.db
      .insert(settings)
      .values({ name: SEEDED_SETTING, value: true, updatedAt: ctx.clock.now() })
      .onConflictDoNothing()
  }
  await chain.followClock()
}

/** Stores candles of past days, from which base rates are computed. Idempotent. */
async function storeCandles(ctx: Context, messages: readonly PastMessage[], signal: AbortSignal): Promise<void> {
  const texts = messages.flatMap(({ kind, text }) => (kind === 'candles' ? [text] : []))
  const [refusedMessage] = await receiveCandles(ctx, texts, signal)
  if (refusedMessage) throw new Error(`Candles of the past are not valid: ${refusedMessage.reason}`)
}

/** The entries that one anchor covers. */
interface AnchorGroup {
  firstAt: number
  lastAt: number
  hasAlert: boolean
  /** Size of the log after the last entry of the group. */
  size: number
}

async function makeHistory(
  ctx: Context,
  chain: LocalChain,
  { history, signal, print }: Pick<SeedPlan, 'history' | 'signal' | 'print'>,
): Promise<void> {
  const existingEntries = (await ctx.db.$count(alerts)) + (await ctx.db.$count(alertOutcomes))
  const sizeBefore = (await findHead(ctx.db)).size - existingEntries
  const anchors = await openHistoricAnchors(ctx, chain)
  const counts = { signal: 0, outcome: 0 }
  let group: AnchorGroup | null = null
  let readCount = 0

  const saveAnchors = async (at: number) => {
    await anchors.save()
    const day = new Date(at).toISOString().slice(0, 10)
    print(`  until ${day}: ${counts.signal} alerts and ${counts.outcome} outcomes signed, logged and anchored`)
  }
  const anchorGroups = async (entries: readonly PastEntry[]) => {
    for (const { kind, at } of entries) {
      signal.throwIfAborted()
      if (group && endsBefore(group, at)) {
        await anchors.anchorAt(group.size, group.lastAt + ANCHOR_AFTER_MS)
        if (anchors.unsaved() >= ANCHORS_PER_SAVE) await saveAnchors(group.lastAt)
        group = null
      }
      counts[kind] += 1
      const { firstAt, hasAlert } = group ?? { firstAt: at, hasAlert: false }
      const size = sizeBefore + counts.signal + counts.outcome
      group = { firstAt, lastAt: at, hasAlert: hasAlert || kind === 'signal', size }
    }
  }
  // The next entries are written while the previous ones are anchored.
  let anchoring = Promise.resolve()
  try {
    for await (const messages of history) {
      signal.throwIfAborted()
      const entries = messages.filter(isEntry)
      const newEntries = entries.slice(Math.max(0, existingEntries - readCount))
      readCount += entries.length
      for (let from = 0; from < newEntries.length; from += BATCH_SIZE)
        await issuePast(ctx, newEntries.slice(from, from + BATCH_SIZE))
      await storeCandles(ctx, messages, signal)
      await anchoring
      anchoring = anchorGroups(entries)
      // The rejection is handled where the promise is awaited.
      anchoring.catch(() => {})
    }
    await anchoring
  } finally {
    await anchoring.catch(() => {})
  }
  const lastGroup = group as AnchorGroup | null
  if (!lastGroup) return
  await anchors.anchorAt(lastGroup.size, lastGroup.lastAt + ANCHOR_AFTER_MS)
  await saveAnchors(lastGroup.lastAt)
}

/**
 * True if the group must be anchored before an entry at this time is added. An alert counts as late
 * if it is anchored long after its prediction has started.
 */
function endsBefore({ firstAt, lastAt, hasAlert }: AnchorGroup, at: number): boolean {
  return hasAlert ? at > lastAt : at - firstAt > OUTCOMES_WAIT_MS
}
