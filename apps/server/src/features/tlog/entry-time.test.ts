import { type AlertStatement, bytesToHex, decodeAlert, encodeAlert, type Hex, hashAlert, hashLeaf } from '@tocsin/proof'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { createTestContext, type FakeClock, fakeClock, type TestContext, testConfig } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { appendSample, appendSamples, signSample } from '../../../test/support/sample-entry.ts'
import { type Clock, systemClock } from '../../clock.ts'
import type { Context } from '../../context.ts'
import { appendEntries, type EntryPosition } from './append-entries.ts'
import { checkLog } from './check-log.ts'
import { findClockProblem } from './entry-time.ts'
import type { Entry } from './log.ts'
import { ensureKeyList, getLogSize, rotateSigner } from './service.ts'
import { listEntries } from './store.ts'

const database = useTestDatabase()
let opened: TestContext[]
let databaseUrl: string
/** The shared clock of instance and database, for tests in which both have the same time. */
let clock: FakeClock
let ctx: Context

beforeEach(async () => {
  opened = []
  databaseUrl = await database.createDatabase()
  clock = fakeClock()
  ctx = await openContext(clock)
})
afterEach(async () => {
  await Promise.all(opened.map(({ close }) => close()))
})

async function openContext(of: Clock): Promise<Context> {
  const context = await createTestContext(testConfig({ databaseUrl }), of)
  opened.push(context)
  return context.ctx
}

const createShiftedClock = (ms: number): Clock => ({ ...systemClock, now: () => new Date(Date.now() + ms) })
const readTime = async (index: number) =>
  decodeAlert((await listEntries(ctx.db, index, 1))[0]?.bytes ?? new Uint8Array()).createdAt

describe('an instance whose clock differs from the real clock of the database issues no entries', () => {
  test.each([
    ['an hour ahead', HOUR_MS],
    ['a minute ahead', MINUTE_MS],
    ['a minute behind', -MINUTE_MS],
    ['a year behind', -365 * DAY_MS],
  ])('when its clock is %s', async (_name, ms) => {
    const rightCtx = await openContext(systemClock)
    const wrongCtx = await openContext(createShiftedClock(ms))
    await ensureKeyList(rightCtx)
    await appendSample(rightCtx)
    for (const appendEntry of [appendSample, rotateSigner]) {
      await expect(appendEntry(wrongCtx)).rejects.toMatchObject({
        code: 'clock_wrong',
        status: 503,
        message: expect.stringMatching(
          /^The clock of this server is \d+ (s|min) (ahead of|behind) the database's clock/,
        ),
      })
    }
    expect(await findClockProblem(wrongCtx)).toMatch(/^The clock of this server/)
    expect(await findClockProblem(rightCtx)).toBeNull()
    await appendSample(rightCtx)
    await checkLog(rightCtx)
  })

  test('until its clock differs by less than 10 s again', async () => {
    let offsetMs = 60_000
    const movingCtx = await openContext({ ...systemClock, now: () => new Date(Date.now() + offsetMs) })
    await expect(appendSample(movingCtx)).rejects.toMatchObject({ code: 'clock_wrong' })
    offsetMs = -9_000
    await appendSample(movingCtx)
    offsetMs = 9_000
    await appendSample(movingCtx)
    await checkLog(movingCtx)
  })

  // Uses fake clocks: with real ones, the query time would reduce the measured difference.
  test.each([
    ['ahead', 1],
    ['behind', -1],
  ])('if its clock is more than 10 s %s', async (_name, sign) => {
    const openDifferingContext = (ms: number) =>
      openContext({ ...clock, now: () => new Date(clock.now().getTime() + sign * ms) })
    await expect(appendSample(await openDifferingContext(10_001))).rejects.toMatchObject({ code: 'clock_wrong' })
    await appendSample(await openDifferingContext(10_000))
  })

  test('even if only the database clock is wrong', async () => {
    const jumpedCtx = await openContext({
      ...clock,
      readDatabaseTime: async () => new Date(clock.now().getTime() + HOUR_MS),
    })
    await expect(appendSample(jumpedCtx)).rejects.toMatchObject({ code: 'clock_wrong' })
    expect(await getLogSize(ctx)).toBe(0)
  })
})

test('entries carry the database time, whichever instance signs them', async () => {
  const behindCtx = await openContext({ ...clock, now: () => new Date(clock.now().getTime() - 9_000) })
  await appendSample(behindCtx)
  expect(await readTime(0)).toBe(clock.now().toISOString())
})

test('an entry repeats the newest time when the clock is up to 10 s behind it, and is rejected when it is further behind', async () => {
  await appendSample(ctx)
  const first = clock.now()
  clock.advance(-10_000)
  await appendSample(ctx)
  expect(await readTime(1)).toBe(first.toISOString())
  clock.advance(-1)
  await expect(appendSample(ctx)).rejects.toMatchObject({
    code: 'clock_wrong',
    message: expect.stringContaining('times in the log never go back'),
  })
  expect(await findClockProblem(ctx)).toContain('times in the log never go back')
  clock.set(new Date(first.getTime() + 1))
  await appendSample(ctx)
  expect(await readTime(2)).toBe(new Date(first.getTime() + 1).toISOString())
  await checkLog(ctx)
})

test('an entry time is rejected when it is in the future or more than 10 s before the newest entry', async () => {
  const appendAt = (ms: number) =>
    ctx.db.transaction((tx) =>
      appendEntries(ctx, tx, async () => [
        (position) =>
          signSample(ctx, { ...position, decideTime: () => position.decideTime(new Date(clock.now().getTime() + ms)) }),
      ]),
    )
  await appendAt(-HOUR_MS)
  await appendAt(-1_800_000)
  await appendAt(-1_805_000)
  expect(await readTime(2)).toBe(await readTime(1))
  await expect(appendAt(-1_811_000)).rejects.toMatchObject({ code: 'clock_wrong' })
  await expect(appendAt(1)).rejects.toMatchObject({ code: 'clock_wrong', message: expect.stringContaining('future') })
  await checkLog(ctx)
})

describe('an entry that verifiers would reject is not appended:', () => {
  const signChanged = (
    position: EntryPosition,
    change: Partial<AlertStatement>,
    domainChain = ctx.config.anchor.chainId,
  ): Entry => {
    const statement: AlertStatement = { ...decodeAlert(signSample(ctx, position).bytes), ...change }
    const digest = hashAlert({ chainId: domainChain, verifyingContract: ctx.config.anchor.contract }, statement)
    return { bytes: encodeAlert(statement), signature: position.signer.signDigest(digest) }
  }
  const decodeText = ({ bytes }: Entry) => Buffer.from(bytes).toString()

  const invalidEntries: [string, (position: EntryPosition, leafHashOf: (index: number) => Hex) => Entry, RegExp][] = [
    ['another index', (position) => signChanged(position, { index: position.index + 1 }), /says that it is entry 4/],
    ['a signature for another chain', (position) => signChanged(position, {}, 5), /signature of entry 3 leads to/],
    [
      'a malformed signature',
      (position) => ({ ...signChanged(position, {}), signature: '0x00' }),
      /signature of entry 3 is malformed/,
    ],
    [
      'bytes that are not canonical',
      (position) => ({ ...signChanged(position, {}), bytes: Buffer.from(` ${decodeText(signChanged(position, {}))}`) }),
      /canonical/,
    ],
    [
      'a time before the newest entry',
      (position) => signChanged(position, { createdAt: '2026-01-15T11:58:00.000Z' }),
      /Entry 3 is of/,
    ],
    [
      'a target with another leaf hash',
      (position) =>
        signChanged(position, {
          kind: 'correction',
          targetIndex: 2,
          targetLeafHash: bytesToHex(hashLeaf(new Uint8Array())),
        }),
      /another leaf hash/,
    ],
    [
      'a retraction with another confidence than its target',
      (position, leafHashOf) =>
        signChanged(position, { kind: 'retraction', targetIndex: 1, targetLeafHash: leafHashOf(1), confidence: 1 }),
      /names another confidence/,
    ],
    [
      'a correction of a key list',
      (position, leafHashOf) =>
        signChanged(position, { kind: 'correction', targetIndex: 0, targetLeafHash: leafHashOf(0) }),
      /which is a key list/,
    ],
  ]
  test.each(invalidEntries)('%s', async (_name, build, sentence) => {
    await ensureKeyList(ctx)
    await appendSamples(ctx, 2)
    const leafHashes = (await listEntries(ctx.db, 0, 3)).map(({ leafHash }) => bytesToHex(leafHash))
    const append = ctx.db.transaction((tx) =>
      appendEntries(ctx, tx, async () => [(position) => build(position, (index) => leafHashes[index] ?? '0x')]),
    )
    await expect(append).rejects.toThrow(/^Verifiers would reject an entry, so nothing was appended\. /)
    await expect(append).rejects.toThrow(sentence)
    expect(await getLogSize(ctx)).toBe(3)
    await appendSample(ctx)
    await checkLog(ctx)
  })
})
