import { once } from 'node:events'
import { createServer } from 'node:http'
import { alertAnchorAbi } from '@tocsin/contracts/abi'
import { bytesToHex, decodeStatement } from '@tocsin/proof'
import { HOUR_MS } from '@tocsin/protocol/durations'
import {
  createTestContext,
  fakeClock,
  startTcpProxy,
  startTestChain,
  type TestChain,
  type TestContext,
  testAnchorer,
  testConfig,
  waitForReceipt,
} from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { sql } from 'drizzle-orm'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { appendSample, appendSamples } from '../../../test/support/sample-entry.ts'
import { createChainClient } from '../../chain/chain-client.ts'
import { systemClock } from '../../clock.ts'
import type { Context } from '../../context.ts'
import { createAnchorSender, MAX_FEE_RAISES } from './anchor-contract.ts'
import { anchorLog } from './anchor-log.ts'
import { assertLogMatchesAnchors, checkLog } from './check-log.ts'
import { mirrorAnchors } from './mirror-anchors.ts'
import { resumeLog } from './resume-log.ts'
import { logHead } from './routes.ts'
import { ensureKeyList, findAnchoringProblem, getAnchorState } from './service.ts'
import { countMaintenanceEntries } from './stats-store.ts'
import { stopLog } from './stop-log.ts'
import { findHead, findStop, listAnchors, listEntries } from './store.ts'

const database = useTestDatabase()
let chain: TestChain
let openContexts: TestContext[]
let ctx: Context

async function openContext(databaseUrl: string, rpcUrl = chain.url, clock = systemClock): Promise<Context> {
  const anchor = { ...chain.settings.anchor, rpcUrl, intervalSeconds: 0.2 }
  const opened = await createTestContext(testConfig({ databaseUrl, anchor }), clock)
  openContexts.push(opened)
  return opened.ctx
}

beforeEach(async () => {
  chain = await startTestChain()
  openContexts = []
  ctx = await openContext(await database.createDatabase())
})
afterEach(async () => {
  await Promise.all(openContexts.map(({ close }) => close()))
  await chain.stop()
})

/** Runs the worker until `condition` holds, then stops it. */
async function anchorUntil(condition: () => Promise<void>, worker = ctx, stuckAfterMs = 10_000) {
  const stop = new AbortController()
  const runningWorker = anchorLog(worker, stop.signal, stuckAfterMs)
  try {
    await eventually(condition)
  } finally {
    stop.abort()
    await runningWorker
  }
}

const expectAnchored = (size: number) => async () => {
  const rows = await listAnchors(ctx.db)
  expect(rows.at(-1)?.size).toBe(size)
}

async function anchorTo(size: number) {
  await anchorUntil(expectAnchored(size))
  await checkLog(ctx)
}

/** Sends and mines an anchor, then crashes before anything is saved. */
async function sendUnsaved() {
  const { size, root } = await findHead(ctx.db)
  // Wait until the transaction is mined, because a later anchor would replace a pending one.
  await waitForReceipt(chain.client, await createAnchorSender(ctx)(size, root, 0))
}

const listEvents = async () =>
  chain.client.getContractEvents({
    address: chain.anchorContract,
    abi: alertAnchorAbi,
    eventName: 'Anchored',
    fromBlock: 0n,
    strict: true,
  })

const listSavedAnchors = async () => (await listAnchors(ctx.db)).map(({ size, txHash }) => `${size} ${txHash}`)
const listChainAnchors = async () =>
  (await listEvents()).map(({ args, transactionHash }) => `${args.size} ${transactionHash}`)

test('a quiet log gets heartbeats, each anchored before the next one is appended', async () => {
  const clock = fakeClock(new Date())
  const opened = await openContext(await database.createDatabase(), chain.url, clock)
  ctx = { ...opened, config: { ...opened.config, anchor: { ...opened.config.anchor, heartbeatSeconds: 20 } } }
  await ensureKeyList(ctx)
  await appendSample(ctx)
  await anchorTo(2)
  for (const size of [3, 4]) {
    clock.advance(20_000)
    await anchorTo(size)
  }
  const last = await listEntries(ctx.db, 2, 2)
  expect(last.map(({ bytes }) => decodeStatement(bytes).kind)).toEqual(['heartbeat', 'heartbeat'])
  expect(await countMaintenanceEntries(ctx.db)).toEqual({ heartbeats: 2, successions: 0 })
  expect((await checkLog(ctx)).unprovenTimes.count).toBe(0)
  // Append another entry, which must be anchored although no heartbeat is due.
  await appendSample(ctx)
  await anchorTo(5)
  expect(await countMaintenanceEntries(ctx.db)).toMatchObject({ heartbeats: 2 })
})

test('a worker with a wrong clock appends no heartbeats, but updates the anchors table from the chain', async () => {
  const clock = fakeClock(new Date())
  const machineTime = () => new Date(clock.now().getTime() + HOUR_MS)
  const opened = await openContext(await database.createDatabase(), chain.url, { ...clock, machineTime })
  const anchor = { ...opened.config.anchor, heartbeatSeconds: 20 }
  const wrongClockCtx = { ...opened, config: { ...opened.config, anchor } }
  ctx = { ...opened, clock }
  await ensureKeyList(ctx)
  await anchorTo(1)
  const [anchorBefore] = await listAnchors(ctx.db)
  await ctx.db.execute(sql`update anchors set block_hash = 'of a lost block'`)
  clock.advance(20_000)
  await anchorUntil(async () => expect(await listAnchors(ctx.db)).toEqual([anchorBefore]), wrongClockCtx)
  expect(await findAnchoringProblem(ctx)).toBeNull()
  expect((await findHead(ctx.db)).size).toBe(1)
})

test('one anchor covers all entries since the last, and the anchors table matches the chain', async () => {
  const notifications: string[] = []
  ctx.notifications.on('anchors', (key) => notifications.push(key))
  await appendSamples(ctx, 3)
  await anchorTo(3)
  await appendSamples(ctx, 5)
  await anchorTo(8)
  expect(await listSavedAnchors()).toEqual(await listChainAnchors())
  expect(await listSavedAnchors()).toHaveLength(2)
  await expect.poll(() => notifications).toEqual(['3', '8'])
  const head = await logHead(ctx)
  const [, newestEvent] = await listEvents()
  const block = await chain.client.getBlock({ blockNumber: newestEvent?.blockNumber ?? 0n })
  expect(head.anchored).toEqual({
    size: 8,
    root: head.root,
    transactionHash: newestEvent?.transactionHash,
    blockNumber: Number(block.number),
    blockHash: block.hash,
    at: new Date(Number(block.timestamp) * 1000).toISOString(),
  })
  await assertLogMatchesAnchors(ctx)
})

test('an entry appended while the worker is idle is anchored without a restart', async () => {
  await appendSample(ctx)
  let size = 1
  await anchorUntil(async () => {
    await expectAnchored(size)()
    if (size === 3) return
    size = (await appendSample(ctx)).index + 1
    await expectAnchored(size)()
  })
  await checkLog(ctx)
})

test("anchoring: waits until the block time reaches the entry's timestamp when that timestamp is in the future", async () => {
  const readTimeInAnHour = async () => new Date(Date.now() + HOUR_MS)
  const now = () => new Date(Date.now() + HOUR_MS)
  const aheadCtx = await openContext(ctx.config.databaseUrl, chain.url, { now, readDatabaseTime: readTimeInAnHour })
  await appendSample(aheadCtx)
  await anchorUntil(async () =>
    expect(await findAnchoringProblem(ctx)).toContain('which is later than the current time of the anchor chain'),
  )
  expect(await listEvents()).toHaveLength(0)
  await chain.control.increaseTime({ seconds: 3_600 })
  await anchorTo(1)
})

describe('anchoring worker', () => {
  test('saves an anchor without resending it when the worker was killed between sending and saving', async () => {
    await appendSamples(ctx, 4)
    await sendUnsaved()
    expect(await listSavedAnchors()).toEqual([])
    await anchorTo(4)
    expect(await listChainAnchors()).toHaveLength(1)
    expect(await listSavedAnchors()).toEqual(await listChainAnchors())
  })

  test('restores every missing row when it was killed several times', async () => {
    await appendSample(ctx)
    await anchorTo(1)
    for (let i = 0; i < 3; i++) {
      await appendSamples(ctx, 2)
      await sendUnsaved()
    }
    await appendSample(ctx)
    await anchorTo(8)
    expect(await listSavedAnchors()).toEqual(await listChainAnchors())
    expect(await listSavedAnchors()).toHaveLength(5)
  })

  test('finds the newest anchor, even many blocks back, when the anchors table is lost', async () => {
    await appendSamples(ctx, 3)
    await anchorTo(3)
    await ctx.db.execute(sql`delete from anchors`)
    for (let i = 0; i < 3; i++) await chain.mine(700)
    await anchorTo(3)
    expect(await listSavedAnchors()).toEqual(await listChainAnchors())
  })

  test.each([
    ['the log is unchanged', 0],
    ['the log grows', 2],
  ])('replaces a stuck transaction at the same nonce for a higher fee when %s', async (_name, additionalEntries) => {
    await appendSample(ctx)
    await chain.control.setAutomine(false)
    const listPending = async () => {
      const { pending: bySender } = await chain.control.getTxpoolContent()
      return Object.values(bySender).flatMap((byNonce) => Object.values(byNonce))
    }
    await anchorUntil(async () => expect(await listPending()).toHaveLength(1))
    const [firstTransaction] = await listPending()
    await appendSamples(ctx, additionalEntries)
    const expectReplaced = async () => {
      const [second, ...others] = await listPending()
      expect(others).toEqual([])
      expect(second?.nonce).toBe(firstTransaction?.nonce)
      expect(BigInt(second?.maxFeePerGas ?? 0)).toBeGreaterThan(BigInt(firstTransaction?.maxFeePerGas ?? 0))
      expect(second?.hash).not.toBe(firstTransaction?.hash)
    }
    await anchorUntil(expectReplaced, ctx, 100)
    await chain.control.setAutomine(true)
    await chain.mine()
    await anchorTo(1 + additionalEntries)
    expect(await listChainAnchors()).toHaveLength(1)
    expect(await chain.client.getTransactionCount({ address: testAnchorer })).toBe(1)
    expect(await listSavedAnchors()).toEqual(await listChainAnchors())
  })
})

test('a transaction that stays stuck is sent again at the highest fee, and no higher', async () => {
  await appendSample(ctx)
  await chain.control.setAutomine(false)
  const { size, root } = await findHead(ctx.db)
  const send = createAnchorSender(ctx)
  const highestFeeHash = await send(size, root, MAX_FEE_RAISES)
  const listPendingHashes = async () => {
    const { pending: bySender } = await chain.control.getTxpoolContent()
    return Object.values(bySender).flatMap((byNonce) => Object.values(byNonce).map(({ hash }) => hash))
  }
  await expect(send(size, root, MAX_FEE_RAISES + 40)).rejects.toThrow()
  expect(await listPendingHashes()).toEqual([highestFeeHash])
  await chain.control.dropTransaction({ hash: highestFeeHash })
  expect(await send(size, root, MAX_FEE_RAISES + 40)).toBe(highestFeeHash)
  // The transaction stays pending, so the worker waits for it until its timeout.
  await anchorUntil(async () => expect(await findAnchoringProblem(ctx)).toMatch(/^anchoring failed/), ctx, 100)
  await chain.control.setAutomine(true)
  await chain.mine()
  await anchorTo(1)
  expect(await listChainAnchors()).toHaveLength(1)
})

describe('after a chain reorganisation', () => {
  test.each([
    ['longer than before', 5],
    ['shorter than before', 0],
  ])('lost anchors are made again when the chain is %s', async (_name, blocksAfter) => {
    await appendSamples(ctx, 2)
    await anchorTo(2)
    const snapshotBefore = await chain.snapshot()
    await appendSample(ctx)
    await anchorTo(3)
    await appendSample(ctx)
    await anchorTo(4)
    const lostAnchors = await listSavedAnchors()
    await chain.revert(snapshotBefore)
    await chain.control.setNextBlockTimestamp({ timestamp: (await chain.client.getBlock()).timestamp + 100n })
    if (blocksAfter > 0) await chain.mine(blocksAfter)
    await assertLogMatchesAnchors(ctx)
    await anchorUntil(async () => expect(await listChainAnchors()).toHaveLength(2))
    await chain.mine(3)
    await mirrorAnchors(ctx)
    expect(await listSavedAnchors()).toEqual(await listChainAnchors())
    expect(await listSavedAnchors()).not.toContain(lostAnchors.at(-1))
    await checkLog(ctx)
  })
})

test('a chain outage is logged once, and the first anchor after the outage covers all entries appended during it', async () => {
  const proxy = await startProxy(chain.url)
  const lines: string[] = []
  const opened = await openContext(ctx.config.databaseUrl, proxy.url)
  const logger = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line).msg) })
  ctx = { ...opened, logger }
  proxy.isDown = true
  await appendSamples(ctx, 2)
  const laterClock = { ...systemClock, now: () => new Date(Date.now() + 60_000) }
  expect(await getAnchorState(ctx)).toMatchObject({ state: 'current', lastAnchoredAt: null })
  expect(await getAnchorState({ ...ctx, clock: laterClock })).toMatchObject({ state: 'delayed', anchoredSize: 0 })
  await assertLogMatchesAnchors(ctx)
  lines.length = 0
  // A round that began before the last entry was appended would anchor without it. So the chain
  // stays down for one more round.
  let awaitedRequests = proxy.requests + 5
  let isAppended = false
  await anchorUntil(async () => {
    if (proxy.requests > awaitedRequests && !isAppended) {
      await appendSample(ctx)
      isAppended = true
      awaitedRequests = proxy.requests + 5
    } else if (proxy.requests > awaitedRequests) {
      proxy.isDown = false
    }
    await expectAnchored(3)()
  })
  expect(lines.filter((line) => line !== 'anchored the log')).toEqual(['anchoring is delayed', 'anchoring works again'])
  expect(await listChainAnchors()).toHaveLength(1)
  expect(await getAnchorState(ctx)).toMatchObject({ state: 'current', anchoredSize: 3 })
  await checkLog(ctx)
  await proxy.close()
})

test('after the chain was unreachable for 24 hours, its first anchor covers every entry of that time', async () => {
  const proxy = await startProxy(chain.url)
  let aheadMs = 0
  const now = () => new Date(Date.now() + aheadMs)
  ctx = await openContext(ctx.config.databaseUrl, proxy.url, { now, readDatabaseTime: async () => now() })
  proxy.isDown = true
  const indexes: number[] = []
  for (let hour = 0; hour < 24; hour += 1) {
    indexes.push((await appendSample(ctx)).index)
    aheadMs += HOUR_MS
  }
  expect(await getAnchorState(ctx)).toMatchObject({ state: 'delayed', anchoredSize: 0 })
  await chain.control.increaseTime({ seconds: aheadMs / 1_000 })
  const recoverAfterRequest = proxy.requests + 3
  await anchorUntil(async () => {
    // The chain comes back only after the worker has failed.
    if (proxy.requests > recoverAfterRequest) proxy.isDown = false
    expect(await getAnchorState(ctx)).toMatchObject({ state: 'current' })
  })
  const [firstEvent] = await listEvents()
  expect(Number(firstEvent?.args.size)).toBeGreaterThan(Math.max(...indexes))
  await checkLog(ctx)
  await proxy.close()
})

test('a node that does not respond is reported before a request to it times out', async () => {
  const proxy = await startTcpProxy(chain.url)
  const context = await openContext(ctx.config.databaseUrl, proxy.url)
  // The worker ends when its request times out, which is soon only with the client of a server.
  const silentCtx = { ...context, anchorChain: createChainClient([proxy.url]) }
  proxy.dropData()
  await appendSample(ctx)
  const problem = 'the anchor chain does not respond within 2 s'
  await anchorUntil(async () => expect(await findAnchoringProblem(ctx)).toBe(problem), silentCtx)
  proxy.heal()
  await anchorUntil(async () => expect(await findAnchoringProblem(ctx)).toBeNull())
  await proxy.close()
})

test('an empty wallet is reported to the operator on every instance until it can pay again', async () => {
  const { control } = chain
  await control.setBalance({ address: testAnchorer, value: 0n })
  await appendSamples(ctx, 1)
  const problem = `the wallet ${testAnchorer} has too little to pay for an anchor`
  await anchorUntil(async () => expect(await findAnchoringProblem(ctx)).toBe(problem))
  const otherCtx = await openContext(ctx.config.databaseUrl)
  expect(await findAnchoringProblem(otherCtx)).toBe(problem)
  await control.setBalance({ address: testAnchorer, value: 10n ** 18n })
  await anchorUntil(async () => expect(await findAnchoringProblem(ctx)).toBeNull(), otherCtx)
  expect(await listChainAnchors()).toHaveLength(1)
})

describe('the start is refused for', () => {
  test('a log shorter than the anchored one', async () => {
    await appendSamples(ctx, 3)
    const backup = await copyDatabase()
    await appendSamples(ctx, 2)
    await anchorTo(5)
    const oldCtx = await openContext(backup)
    await expect(assertLogMatchesAnchors(oldCtx)).rejects.toThrow('has 3 entries, but 5 are anchored')
    await expect(mirrorAnchors(oldCtx)).rejects.toThrow('has 3 entries, but 5 are anchored')
    await appendSamples(oldCtx, 4)
    await expect(assertLogMatchesAnchors(oldCtx)).rejects.toThrow('The first 5 entries')
  })

  test('a log that differs from the anchored one', async () => {
    await appendSamples(ctx, 2)
    await anchorTo(2)
    const otherCtx = await openContext(await database.createDatabase())
    await appendSample(otherCtx, 'another')
    await appendSample(otherCtx, 'history')
    await expect(assertLogMatchesAnchors(otherCtx)).rejects.toThrow('The first 2 entries')
    const lines: string[] = []
    const logger = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line).msg) })
    await appendSample(otherCtx)
    await anchorUntil(async () => expect(lines).toHaveLength(1), { ...otherCtx, logger })
    expect(lines).toEqual(['the log is stopped: it is damaged or differs from the anchored log'])
    expect(await listChainAnchors()).toHaveLength(1)
    await expect(appendSample(otherCtx)).rejects.toMatchObject({ code: 'log_stopped' })
    expect(await findAnchoringProblem(otherCtx)).toMatch(/^the log is stopped: The first 2 entries/)
    await expect(resumeLog(otherCtx)).rejects.toThrow('The first 2 entries')
    expect(await findAnchoringProblem(otherCtx)).not.toBeNull()
  })

  test('a contract that does not exist', async () => {
    const anchor = { ...ctx.config.anchor, contract: testAnchorer }
    const otherContractCtx = { ...ctx, config: { ...ctx.config, anchor } }
    await expect(assertLogMatchesAnchors(otherContractCtx)).rejects.toThrow('There is no AlertAnchor contract')
  })
})

test('resumeLog: the log stays stopped when the anchor chain is unreachable', async () => {
  await appendSample(ctx)
  await stopLog(ctx, 'A test stopped it')
  const unreachableCtx = await openContext(ctx.config.databaseUrl, 'http://127.0.0.1:9')
  await assertLogMatchesAnchors(unreachableCtx)
  await expect(resumeLog(unreachableCtx)).rejects.toThrow('could not be compared with the chain')
  expect(await findStop(ctx.db)).toMatchObject({ reason: 'A test stopped it' })
  expect(await resumeLog(ctx)).toMatchObject({ reason: 'A test stopped it' })
})

test('two concurrent workers, which the lock normally prevents, still anchor each size once', async () => {
  const otherCtx = await openContext(ctx.config.databaseUrl)
  for (let size = 1; size <= 3; size++) {
    await appendSample(ctx)
    await Promise.all([anchorUntil(expectAnchored(size)), anchorUntil(expectAnchored(size), otherCtx)])
  }
  expect(await listSavedAnchors()).toEqual(await listChainAnchors())
  const { root } = await checkLog(ctx)
  expect((await listEvents()).at(-1)?.args.root).toBe(bytesToHex(root))
})

async function copyDatabase(): Promise<string> {
  const copy = await database.createDatabase()
  const target = await openContext(copy)
  for (const table of ['log_head', 'log_entries', 'log_nodes', 'anchors']) {
    const { rows } = await ctx.db.execute<{ rows: unknown }>(
      sql`select coalesce(json_agg(t), '[]'::json)::text as rows from ${sql.identifier(table)} t`,
    )
    await target.db.execute(
      sql`insert into ${sql.identifier(table)} select * from json_populate_recordset(null::${sql.identifier(table)}, ${rows[0]?.rows}::json)`,
    )
  }
  return copy
}

/** Starts a proxy of the chain. While `isDown` is true, it closes connections unanswered. */
async function startProxy(target: string) {
  const state = { url: '', isDown: false, requests: 0, close: async () => {} }
  const server = createServer(async (request, response) => {
    state.requests += 1
    if (state.isDown) return request.socket.destroy()
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(target, { method: 'POST', headers, body: Buffer.concat(chunks) })
    response.writeHead(answer.status, headers).end(await answer.text())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  state.url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  state.close = async () => {
    server.closeAllConnections()
    server.close()
  }
  return state
}
