import { checksumAddress } from '@tocsin/proof'
import { createIssuer } from '@tocsin/server/features/alerts/issue-alerts.ts'
import { receiveSignals } from '@tocsin/server/features/feed/receive-signals.ts'
import { checkLog } from '@tocsin/server/features/tlog/check-log.ts'
import { type FakeClock, fakeClock } from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createOutcomeMessage, createPredictedSignal } from '../../server/test/support/outcome-test-bed.ts'
import { loadRecordSnapshot } from '../../web/src/features/proof/load-record-snapshot.ts'
import { recomputeRecord } from '../../web/src/features/proof/recompute-record.ts'
import { runVerify, runVerifyJson } from '../test/support/command-test-bed.ts'

/**
 * Tests the stated times of outcomes. Two predictions come true. The operator logs the outcome of
 * the first before its deadline. The outcome of the second is logged 20 minutes later by the
 * chain's time, but states a time before its deadline.
 */

const HONEST_INDEX = 1
const BACKDATED_INDEX = 2
const parts = useTestDatabaseAndChain()
let clock: FakeClock
let server: TestServer
let pins: string[]

beforeAll(async () => {
  clock = fakeClock(new Date())
  server = await startTestServer(parts, { publicDelayHours: 0 }, { clock })
  const signals = ['first', 'second'].map((id) => createPredictedSignal(id, clock.now(), { asset: `${id}/USDT` }))
  for (const signal of signals) await receiveSignal(signal)
  clock.advance(420_000)
  await setChainTime()
  await receiveSignal(createOutcomeMessage(signals[0] ?? ''))
  // The chain's time advances by 20 minutes, but the server's clock does not. So the next outcome
  // states a time long before its anchor, like a back-dated one.
  await setChainTime(1_200)
  await receiveSignal(createOutcomeMessage(signals[1] ?? ''))
  clock.advance(3_600_000)
  const { firstSigner, anchor } = await server.createClient().call('publicConfig')
  pins = ['--rpc', parts.chain.url, '--first-signer', firstSigner, '--contract', anchor.contract, '--chain-id', '31337']
})
afterAll(() => server?.close())

async function receiveSignal(text: string): Promise<void> {
  const { ctx } = server
  await receiveSignals(ctx, createIssuer(ctx), [text], new AbortController().signal)
  await eventually(async () => {
    const { size, anchored } = await server.createClient().call('logHead')
    expect(anchored?.size).toBe(size)
  })
}

async function setChainTime(secondsAhead = 0): Promise<void> {
  const now = Math.floor(clock.now().getTime() / 1000) + secondsAhead
  await parts.chain.control.setNextBlockTimestamp({ timestamp: BigInt(now) })
  await parts.chain.mine()
}

async function readBundle(logIndex: number): Promise<string> {
  const client = server.createClient()
  const { items } = await client.call('trackRecordAlerts', { query: { origin: 'feed' } })
  const id = items.find((item) => item.logIndex === logIndex)?.alert?.id ?? ''
  return JSON.stringify(await client.call('alertBundle', { params: { id } }))
}

const logArgs = (...extraArgs: string[]) => ['--from-url', server.url, ...pins, ...extraArgs]

test('the check of the whole log has a separate verdict for a back-dated outcome', async () => {
  const { code, out } = await runVerify(logArgs())
  expect(code, out).toBe(7)
  expect(out).toMatch(
    /^TIME OF OUTCOME NOT PROVEN {2}5 entries up to the newest anchor: none edited.* The time of 1 outcome is not proven\.$/m,
  )
  expect(out).toMatch(/^Outcome 4 says \S+Z, but was anchored only at \S+Z\.$/m)
  const { outcome } = await runVerifyJson(logArgs())
  expect(outcome).toMatchObject({
    verdict: 'outcome-time-not-proven',
    exitCode: 7,
    timesNotProven: 0,
    outcomeTimesNotProven: 1,
    otherTimesNotProven: 0,
    failure: null,
  })
})

test('the check on the server lists the back-dated outcome', async () => {
  const { unprovenTimes, unprovenOutcomes, unprovenOthers } = await checkLog(server.ctx)
  expect([unprovenTimes.count, unprovenOthers.count]).toEqual([0, 0])
  expect(unprovenOutcomes).toMatchObject({ count: 1, unproven: [{ index: 4, reason: 'anchored-late' }] })
})

test('the recomputed record counts the back-dated outcome as the site does, and names its alert', async () => {
  const { code, out } = await runVerify(logArgs('--track-record'))
  expect(code, out).toBe(7)
  expect(out).toContain('The same figures as the site: 2 of 2 counted alerts came true')
  expect(out).toMatch(new RegExp(`^Time of outcome not proven: 1 \\(entries ${BACKDATED_INDEX}\\)\\.$`, 'm'))
  const { outcome } = await runVerifyJson(logArgs('--track-record'))
  expect(outcome).toMatchObject({ recordTrue: 2, recordTimesNotProven: 1, 'status-true': 2 })
})

test('the site and the recomputation in a browser report the back-dated outcome', async () => {
  const client = server.createClient()
  const { record } = await client.call('trackRecord', { query: { origin: 'feed' } })
  expect(record?.overall).toMatchObject({ timesNotProven: 1, strict: { n: 2, count: 2 } })
  const { items } = await client.call('trackRecordAlerts', { query: { origin: 'feed' } })
  expect(items.map(({ logIndex, outcome }) => [logIndex, outcome?.timeProven])).toEqual([
    [BACKDATED_INDEX, false],
    [HONEST_INDEX, true],
  ])
  const query = { origin: 'feed', set: 'time-not-proven' } as const
  const listedAlerts = await client.call('trackRecordAlerts', { query })
  expect(listedAlerts.items.map(({ logIndex }) => logIndex)).toEqual([BACKDATED_INDEX])
  const given = await loadRecordSnapshot(client.call, 'feed')
  if (!given) throw new Error('The record has public alerts')
  const { firstSigner, anchor } = await client.call('publicConfig')
  const domain = { chainId: anchor.chainId, verifyingContract: checksumAddress(anchor.contract) }
  const trust = { firstSigner: checksumAddress(firstSigner), domain }
  const recompute = () => recomputeRecord(given, trust, () => Promise.reject(new Error('offline')))
  expect(await recompute()).toMatchObject({ difference: null, figures: { timesNotProven: 1 } })
  given.siteRecord.recent.figures.timesNotProven = 0
  expect((await recompute()).difference).toMatch(/other figures\.timesNotProven: 0 instead of 1/)
})

test.each([
  [HONEST_INDEX, /^Outcome, entry 3, checked: The log states this outcome, and the chain holds it\.$/m, 0],
  [
    BACKDATED_INDEX,
    /^Outcome, entry 4, TIME OF OUTCOME NOT PROVEN: .* too late to prove .*: it says \S+Z, but is on the chain only since \S+Z\.$/m,
    1,
  ],
])('the bundle of alert %d is verified, and its outcome has a separate verdict', async (index, note, unproven) => {
  const bundle = await readBundle(index)
  const { code, out } = await runVerify(['-', ...pins], bundle)
  expect(code, out).toBe(0)
  expect(out).toMatch(note)
  const { outcome } = await runVerifyJson(['-', ...pins], bundle)
  expect(outcome).toMatchObject({ outcomes: 1, outcomesVerified: 1 - unproven, outcomeTimesNotProven: unproven })
})
