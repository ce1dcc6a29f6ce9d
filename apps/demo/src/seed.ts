import { hashSignal } from '@tocsin/proof'
import { DAY_MS } from '@tocsin/protocol/durations'
import { createChainClient } from '@tocsin/server/chain/chain-client.ts'
import type { Context } from '@tocsin/server/context.ts'
import { alerts } from '@tocsin/server/db/schema/alerts.ts'
import { settings } from '@tocsin/server/db/schema/server.ts'
import { createAccount } from '@tocsin/server/features/accounts/service.ts'
import { issueAlert } from '@tocsin/server/features/alerts/issue-alerts.ts'
import { createAnchorSender } from '@tocsin/server/features/tlog/anchor-contract.ts'
import { mirrorAnchors } from '@tocsin/server/features/tlog/mirror-anchors.ts'
import { findHead } from '@tocsin/server/features/tlog/store.ts'
import { createRandom } from '@tocsin/server/seeded-random.ts'
import { eq } from 'drizzle-orm'
import { createTestClient, http } from 'viem'
import { makeSignal } from './demo-signal.ts'
import type { LocalChain } from './local-chain.ts'
import { waitUntilMined } from './wait-until-mined.ts'

interface SeedPlan {
  chain: LocalChain
  genesisAt: Date
  users: { name: string; email: string; password: string }[]
  /** The default is 30. */
  days?: number
  /** Stops between two alerts. The next start continues from there. */
  signal: AbortSignal
  say(line: string): void
}

const SEEDED = 'demo.seeded'
const DAYS = 30
const ALERTS_A_DAY = 8
const MIRROR_EVERY = 40

/**
 * Creates two verified traders and 30 days of history: alerts that are marked as demo data, signed
 * and logged like any other and anchored in blocks with matching past times. Continues after an
 * interruption. Finally sets the chain's clock to the present.
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
  // An interrupted history continues with the same numbers.
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
    await issueAlert(ctx, {
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

/**
 * Anchors the newest head in a block with a past time. Bypasses the durability proxy for speed,
 * because these anchors are visible to others only after `save`.
 */
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

/** Alert times from `genesisAt` on, in order, at least a minute apart. */
function planMoments(random: () => number, genesisAt: Date, days: number): Date[] {
  const slots = days * ALERTS_A_DAY
  const slotMs = (days * DAY_MS) / slots
  return Array.from({ length: slots }, (_, slot) => {
    const withinSlot = random() * (slotMs - 120_000)
    return new Date(genesisAt.getTime() + Math.floor(slot * slotMs + withinSlot) + 60_000)
  })
}
