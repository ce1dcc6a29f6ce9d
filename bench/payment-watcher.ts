import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@tocsin/demo/postgres.ts'
import { migrateDatabase } from '@tocsin/server/db/database.ts'
import { payments, unmatchedTransfers } from '@tocsin/server/db/schema/payments.ts'
import { checkPayments } from '@tocsin/server/features/payments/watcher.ts'
import { createTestContext, fakeClock, startTestChain, testConfig } from '@tocsin/testkit'
import { checkLedger } from '../apps/server/test/check-ledger.ts'
import { describeMachine } from '../scripts/describe-machine.ts'
import { fillChain } from './payment-watcher/fill-chain.ts'

/**
 * Measures how fast the payment watcher catches up from an empty database. Uses anvil, and a
 * private PostgreSQL configured like the demo (every commit synced).
 * Usage: node --import tsx bench/payment-watcher.ts [transfers = 5000] [blocks = 10000]
 */
const TRANSFERS = Number(process.argv[2] ?? 5_000)
const BLOCKS = Number(process.argv[3] ?? 10_000)
const SAMPLE_MS = 50

const dir = await mkdtemp(join(tmpdir(), 'tocsin-bench-'))
const [postgres, chain] = await Promise.all([startPostgres({ dir }), startTestChain()])
try {
  await migrateDatabase(postgres.url)
  const clock = fakeClock(await chain.latestBlockAt())
  const { ctx, close } = await createTestContext(testConfig({ databaseUrl: postgres.url, ...chain.settings }), clock)
  await fillChain(ctx, chain, { transfers: TRANSFERS, blocks: BLOCKS })
  clock.advance((await chain.latestBlockAt()).getTime() - clock.now().getTime())
  console.log(describeMachine())

  const rssMiB = [process.memoryUsage.rss() / 2 ** 20]
  const sampling = setInterval(() => rssMiB.push(process.memoryUsage.rss() / 2 ** 20), SAMPLE_MS)
  const cpuBefore = process.cpuUsage()
  const beganAtMs = performance.now()
  await checkPayments(ctx)
  const seconds = (performance.now() - beganAtMs) / 1_000
  const cpu = process.cpuUsage(cpuBefore)
  clearInterval(sampling)

  const formatRssAt = (share: number) => (rssMiB[Math.floor((rssMiB.length - 1) * share)] ?? 0).toFixed(0)
  console.log(
    `${TRANSFERS} transfers in ${BLOCKS} blocks: ${seconds.toFixed(1)} s, ${Math.round(TRANSFERS / seconds)}/s, of which ${((cpu.user + cpu.system) / 1e6).toFixed(1)} s CPU time of the watcher's process; load average ${formatLoad()}`,
  )
  console.log(
    `RSS MiB: start ${formatRssAt(0)}, ¼ ${formatRssAt(0.25)}, ½ ${formatRssAt(0.5)}, ¾ ${formatRssAt(0.75)}, end ${formatRssAt(1)}, max ${Math.max(...rssMiB).toFixed(0)}`,
  )
  await checkLedger(ctx)
  const paymentCount = await ctx.db.$count(payments)
  const unmatchedCount = await ctx.db.$count(unmatchedTransfers)
  const restartedAtMs = performance.now()
  await checkPayments(ctx)
  console.log(
    `payments ${paymentCount}, unmatched transfers ${unmatchedCount}; the ledger is consistent with the chain; the next round took ${(performance.now() - restartedAtMs).toFixed(0)} ms`,
  )
  await close()
} finally {
  await Promise.all([postgres.stop(), chain.stop()])
  await rm(dir, { recursive: true, force: true })
}

function formatLoad(): string {
  return loadavg()
    .slice(0, 2)
    .map((load) => load.toFixed(1))
    .join(' and ')
}
