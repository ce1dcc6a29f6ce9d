import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { localChainId } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import { systemClock } from '@tocsin/server/clock.ts'
import { alerts } from '@tocsin/server/db/schema/alerts.ts'
import { assertLogMatchesAnchors, checkLog } from '@tocsin/server/features/tlog/check-log.ts'
import { ensureKeyList } from '@tocsin/server/features/tlog/service.ts'
import { createTestContext, startTestDatabase, testAnchorer, testAnchorKey, testConfig } from '@tocsin/testkit'
import { afterEach, expect, test } from 'vitest'
import { demoContracts, deployDemoContracts } from './demo-contracts.ts'
import { startLocalChain } from './local-chain.ts'
import { seedDemo } from './seed.ts'

const DAYS = 2
const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

test('seedDemo: the anchors of the demo history prove every time of issue', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'tocsin-seed-'))
  stops.push(() => rmSync(dir, { recursive: true, force: true }))
  const database = await startTestDatabase()
  stops.push(() => database.stop())
  const genesisAt = new Date(Date.now() - DAYS * DAY_MS)
  const chain = await startLocalChain({ dir, port: 0, genesisAt })
  stops.push(() => chain.stop())
  await deployDemoContracts(chain.directUrl, testAnchorer)
  const contract = demoContracts().alertAnchor
  const base = { chainId: localChainId, rpcUrl: chain.url, contract, key: testAnchorKey }
  const anchor = { ...base, intervalSeconds: 1, heartbeatSeconds: 0 }
  const opened = await createTestContext(
    testConfig({ databaseUrl: await database.createDatabase(), anchor }),
    systemClock,
  )
  stops.push(() => opened.close())
  const { ctx } = opened

  await ensureKeyList(ctx, genesisAt)
  const { signal } = new AbortController()
  await seedDemo(ctx, { chain, genesisAt, users: [], days: DAYS, signal, say: () => undefined })

  expect(await ctx.db.$count(alerts)).toBe(8 * DAYS)
  expect(await checkLog(ctx)).toMatchObject({ size: 8 * DAYS + 1, unprovenTimes: { count: 0, unproven: [] } })
  await assertLogMatchesAnchors(ctx)
})
