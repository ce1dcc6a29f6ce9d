import { hashLeaf, hexToBytes, verifyInclusion } from '@tocsin/proof'
import { createTestContext, type TestContext, testConfig } from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { sql } from 'drizzle-orm'
import { createPublicClient, custom, numberToHex } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { appendSample, appendSamples, signSample, signSampleAt } from '../../../test/support/sample-entry.ts'
import type { Tx } from '../../db/database.ts'
import { proveInclusions } from '../../inclusion-proofs.ts'
import { mapLimit } from '../../map-limit.ts'
import { appendEntries } from './append-entries.ts'
import { checkLog } from './check-log.ts'
import { resumeLog } from './resume-log.ts'
import { logHead } from './routes.ts'
import { getAnchorState } from './service.ts'
import { findRoot, insertStop } from './store.ts'

/** An anchor chain whose contract has no anchors. */
const anchorChain = createPublicClient({ transport: custom({ request: async () => numberToHex(0, { size: 32 }) }) })

const database = useTestDatabase()
let firstContext: TestContext
let secondContext: TestContext

beforeEach(async () => {
  const config = testConfig({ databaseUrl: await database.createDatabase() })
  firstContext = await createTestContext(config)
  secondContext = await createTestContext(config)
})
afterEach(async () => {
  await Promise.all([firstContext.close(), secondContext.close()])
})

test('the empty log has the root of the empty tree', async () => {
  const root = '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
  expect(await logHead(firstContext.ctx)).toEqual({ size: 0, root, anchored: null })
  expect(await checkLog(firstContext.ctx)).toMatchObject({ size: 0 })
  expect(await getAnchorState(firstContext.ctx)).toEqual({
    state: 'current',
    reason: null,
    lastAnchoredAt: null,
    anchoredSize: 0,
    oldestWaitingAt: null,
  })
})

describe('a failed transaction leaves nothing in the log when', () => {
  const endings: [string, (tx: Tx) => Promise<unknown>][] = [
    ['the caller throws', () => Promise.reject(new Error('stop'))],
    ['a later statement fails', (tx) => tx.execute(sql`select 1 / 0`)],
    ['the connection dies', (tx) => tx.execute(sql`select pg_terminate_backend(pg_backend_pid())`)],
  ]
  test.each(endings)('%s', async (_name, endTransaction) => {
    await appendSamples(firstContext.ctx, 3)
    const headBefore = await logHead(firstContext.ctx)
    const attempt = firstContext.ctx.db.transaction(async (tx) => {
      await appendEntries(firstContext.ctx, tx, async () => [(position) => signSample(firstContext.ctx, position)])
      await endTransaction(tx)
    })
    await expect(attempt).rejects.toThrow()
    expect(await logHead(firstContext.ctx)).toEqual(headBefore)
    await checkLog(firstContext.ctx)
    expect(await appendSample(secondContext.ctx)).toMatchObject({ index: 3 })
    await checkLog(firstContext.ctx)
  })

  test('the signer throws', async () => {
    await appendSample(firstContext.ctx)
    const failingSigner = () => {
      throw new Error('the key is gone')
    }
    await expect(
      firstContext.ctx.db.transaction((tx) => appendEntries(firstContext.ctx, tx, async () => [failingSigner])),
    ).rejects.toThrow('the key is gone')
    expect(await checkLog(firstContext.ctx)).toMatchObject({ size: 1 })
  })
})

describe('the log stops when the head has', () => {
  const damages: [string, ReturnType<typeof sql>][] = [
    ['a size that is too large', sql`update log_head set size = size + 1`],
    ['a size that is too small', sql`update log_head set size = 2`],
    ['a wrong root', sql`update log_head set root = sha256('x')`],
    ['a wrong frontier', sql`update log_head set frontier = set_byte(frontier, 4, 255 - get_byte(frontier, 4))`],
    ['a truncated frontier', sql`update log_head set frontier = substr(frontier, 2)`],
  ]
  test.each(damages)('%s', async (_name, damage) => {
    await appendSamples(firstContext.ctx, 5)
    await firstContext.ctx.db.execute(damage)
    await expect(appendSample(firstContext.ctx)).rejects.toThrow(/^The head of the log.* is damaged/)
    await expect(appendSample(secondContext.ctx)).rejects.toMatchObject({ code: 'log_stopped' })
    expect(await getAnchorState(secondContext.ctx)).toMatchObject({
      state: 'stopped',
      reason: expect.stringContaining('damaged'),
    })
  })

  test('been restored from an older copy', async () => {
    await appendSample(firstContext.ctx)
    await firstContext.ctx.db.execute(sql`create table kept as select * from log_head`)
    await appendSample(firstContext.ctx)
    await firstContext.ctx.db.execute(sql`delete from log_head`)
    await firstContext.ctx.db.execute(sql`insert into log_head select * from kept`)
    await expect(appendSample(firstContext.ctx)).rejects.toThrow(/^The head of the log is damaged/)
    await resumeLog({ ...firstContext.ctx, anchorChain })
    await firstContext.ctx.db.execute(sql`delete from log_head`)
    await expect(appendSample(firstContext.ctx)).rejects.toThrow(/^The head of the log is damaged/)
  })
})

describe('checkLog finds', () => {
  const changes: [string, ReturnType<typeof sql>, RegExp][] = [
    [
      'a changed byte of an entry',
      sql`update log_entries set bytes = overlay(bytes placing 'x' from 20) where index = 2`,
      /leaf hash of entry 2 /,
    ],
    ['a wrong leaf hash', sql`update log_entries set leaf_hash = sha256('x') where index = 4`, /leaf hash of entry 4/],
    [
      'a wrong signature',
      sql`update log_entries set signature = (select signature from log_entries where index = 1) where index = 3`,
      /signature of entry 3/,
    ],
    ['a missing entry', sql`delete from log_entries where index = 1`, /Entry 1 is missing/],
    ['a missing last entry', sql`delete from log_entries where index = 6`, /head does not match/],
    [
      'a swapped entry',
      sql`update log_entries set bytes = o.bytes, leaf_hash = o.leaf_hash, signature = o.signature from log_entries o where log_entries.index + o.index = 5 and log_entries.index in (2, 3)`,
      /content of entry 2 says that it is entry 3/,
    ],
    ['a wrong node', sql`update log_nodes set hash = sha256('x') where level = 1 and index = 1`, /Node 1\/1/],
    ['a missing node', sql`delete from log_nodes where level = 2`, /has no node 2\/0/],
    ['an extra node', sql`insert into log_nodes values (3, 9, sha256('x'))`, /no entry/],
    [
      'a wrong anchor',
      sql`insert into anchors values (4, sha256('x'), '0x', 1, '0x', now())`,
      /root at size 4 differs|root at size 4 .* differs/,
    ],
    [
      'an anchor above the log',
      sql`insert into anchors values (8, sha256('x'), '0x', 1, '0x', now())`,
      /size 8 is larger/,
    ],
  ]
  test.each(changes)('%s', async (_name, change, expectedError) => {
    await appendSamples(firstContext.ctx, 7)
    await checkLog(firstContext.ctx)
    await firstContext.ctx.db.execute(change)
    await expect(checkLog(firstContext.ctx)).rejects.toThrow(expectedError)
  })
})

test('checkLog: accepts a log to which an entry is appended during the check', async () => {
  await appendSamples(firstContext.ctx, 3)
  let runningCheck: ReturnType<typeof checkLog> | undefined
  await secondContext.ctx.db.transaction(async (tx) => {
    // The check reads the head after the entries, so it waits at this lock until the entry is
    // committed.
    await tx.execute(sql`lock table log_head in access exclusive mode`)
    runningCheck = checkLog(firstContext.ctx)
    await eventually(async () => {
      const { rows } = await firstContext.ctx.db.execute(
        sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      expect(rows).toHaveLength(1)
    })
    await appendEntries(secondContext.ctx, tx, async () => [(position) => signSample(secondContext.ctx, position)])
  })
  expect(await runningCheck).toMatchObject({ size: 3 })
  expect(await checkLog(firstContext.ctx)).toMatchObject({ size: 4 })
})

test('a log that is stopped while an append waits for its lock does not get the entry', async () => {
  const { ctx } = firstContext
  await appendSample(ctx)
  const heldLock = await database.openTransaction(ctx.config.databaseUrl, 'select from log_head for update')
  const refusal = expect(appendSample(ctx)).rejects.toMatchObject({ code: 'log_stopped' })
  await expect.poll(heldLock.countWaiting).toBe(1)
  await insertStop(secondContext.ctx.db, 'A fault was found', ctx.clock.now())
  await heldLock.release()
  await refusal
  expect(await checkLog(ctx)).toMatchObject({ size: 1 })
})

test('50 concurrent appends on two instances make one log without gaps', async () => {
  const indexes: number[] = []
  const numbers = Array.from({ length: 50 }, (_, i) => i)
  // At most ten run concurrently: on a busy machine, the last would wait too long for a database
  // connection.
  await mapLimit(10, numbers, async (i) =>
    indexes.push((await appendSample(i % 2 ? firstContext.ctx : secondContext.ctx)).index),
  )
  expect(indexes.sort((a, b) => a - b)).toEqual(numbers)
  expect(await checkLog(firstContext.ctx)).toMatchObject({ size: 50 })
})

test('every entry has an inclusion proof in every tree that contains it', async () => {
  const { ctx } = firstContext
  await appendSamples(ctx, 13)
  for (let size = 1; size <= 13; size++) {
    const root = await findRoot(ctx.db, size)
    for (let index = 0; index < size; index++) {
      const [path = []] = await proveInclusions(ctx.db, [{ index, size }])
      const leafHash = hashLeaf(signSampleAt(ctx, index).bytes)
      expect(verifyInclusion({ leafHash, index, size, path: path.map(hexToBytes), root })).toBe(true)
    }
  }
  await expect(proveInclusions(ctx.db, [{ index: 13, size: 13 }])).rejects.toThrow(RangeError)
  await expect(proveInclusions(ctx.db, [{ index: 3, size: 14 }])).rejects.toThrow('has no node')
})
