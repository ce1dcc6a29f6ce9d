import { hashSignal } from '@tocsin/proof'
import { eq } from 'drizzle-orm'
import { createTestClient, http } from 'viem'
import { createChainClient } from '../chain/chain-client.ts'
import type { Context } from '../context.ts'
import { alerts, settings } from '../db/schema.ts'
import { createAccount } from '../features/accounts/service.ts'
import { issueAlert } from '../features/alerts/issue-alerts.ts'
import { createAnchorSender } from '../features/tlog/anchor-contract.ts'
import { appendEntries } from '../features/tlog/append-entries.ts'
import { mirrorAnchors } from '../features/tlog/mirror-anchors.ts'
import { findHead } from '../features/tlog/store.ts'
import { makeSignal } from './demo-signal.ts'
import type { LocalChain } from './local-chain.ts'
import { waitUntilMined } from './wait-until-mined.ts'

interface SeedPlan {
  chain: LocalChain
  genesisAt: Date
  users: { name: string; email: string; password: string }[]
  /** 30 unless given. */
  days?: number
  /** Ends it between two alerts; the next start goes on from there. */
  signal: AbortSignal
  say(line: string): void
}

const SEEDED = 'demo.seeded'
const DAY_MS = 86_400_000
const DAYS = 30
const ALERTS_A_DAY = 8
const MIRROR_EVERY = 40

/**
 * Two verified traders, and 30 days of history: alerts that say of themselves that they are demo data, signed and logged like any other and anchored in blocks of their own
 * days. Whatever was done before an interruption is kept and gone on from; then the chain's clock is brought to the present.
 */
export async function seedDemo(
  ctx: Context,
  { chain, genesisAt, users, days = DAYS, signal, say }: SeedPlan,
): Promise<void> {
  const [seeded] = await ctx.db.select().from(settings).where(eq(settings.name, SEEDED))
  if (!seeded) {
    say(`Making ${days} days of demo history`)
    for (const user of users) await createAccount(ctx, { ...user, role: 'user', verified: true })
    await makeHistory(ctx, chain, { genesisAt, days, signal, say })
    await ctx.db
      .insert(settings)
      .values({ name: SEEDED, value: true, updatedAt: ctx.clock.now() })
      .onConflictDoNothing()
  }
  await chain.followClock()
}

async function makeHistory(
  ctx: Context,
  chain: LocalChain,
  { genesisAt, days, signal, say }: Required<Omit<SeedPlan, 'chain' | 'users'>>,
): Promise<void> {
  const random = createRandom(20_261_121)
  const moments = planMoments(random, genesisAt, days)
  const done = await ctx.db.$count(alerts)
  const anchor = createHistoricAnchorer(ctx, chain)
  for (const [index, at] of moments.entries()) {
    const made = makeSignal(random, at)
    const anchoredAt = new Date(at.getTime() + 2_000 + Math.floor(random() * 2_500))
    if (index < done) continue
    signal.throwIfAborted()
    const { id: _id, observedAt: _observedAt, series: _series, ...content } = made
    const signalMessage = JSON.stringify(made)
    const signalHash = hashSignal(signalMessage)
    await issueAlert(ctx, appendEntries, {
      content,
      origin: 'demo',
      signalHash,
      signalMessage,
      createdAt: at,
      broadcast: true,
    })
    await anchor.anchorAt(anchoredAt)
    if ((index + 1) % MIRROR_EVERY !== 0) continue
    await anchor.save()
    say(`  ${index + 1} of ${moments.length} past alerts signed, logged and anchored`)
  }
  await anchor.save()
}

/** Anchors the newest head in a block of a past moment. Talks to the node itself: nobody was told of these anchors before `save`. */
function createHistoricAnchorer(ctx: Context, chain: LocalChain) {
  const direct: Context = {
    ...ctx,
    anchorChain: createChainClient([chain.directUrl]),
    config: { ...ctx.config, anchor: { ...ctx.config.anchor, rpcUrl: chain.directUrl } },
  }
  const send = createAnchorSender(direct)
  const node = createTestClient({ mode: 'anvil', transport: http(chain.directUrl) })
  return {
    async anchorAt(at: Date) {
      const { size, root } = await findHead(ctx.db)
      await node.setNextBlockTimestamp({ timestamp: BigInt(Math.floor(at.getTime() / 1000)) })
      await waitUntilMined(direct.anchorChain, await send(size, root, 0))
    },
    async save() {
      await mirrorAnchors(direct)
      await chain.persist()
    },
  }
}

/** Moments of the days from `genesisAt` on, in order, none closer than a minute to the next. */
function planMoments(random: () => number, genesisAt: Date, days: number): Date[] {
  const slots = days * ALERTS_A_DAY
  const slotMs = (days * DAY_MS) / slots
  return Array.from({ length: slots }, (_, slot) => {
    const withinSlot = random() * (slotMs - 120_000)
    return new Date(genesisAt.getTime() + Math.floor(slot * slotMs + withinSlot) + 60_000)
  })
}

/** mulberry32: the same history for the same seed, so that an interrupted one goes on as it was begun. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
