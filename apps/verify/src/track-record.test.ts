import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Address, type Candle, formatDay, type Rpc } from '@tocsin/proof'
import { createIssuer } from '@tocsin/server/features/alerts/issue-alerts.ts'
import { receiveSignals } from '@tocsin/server/features/feed/receive-signals.ts'
import { type FakeClock, fakeClock } from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  createCandles,
  createOutcomeMessage,
  createPredictedSignal,
} from '../../server/test/support/outcome-test-bed.ts'
import { loadRecordSnapshot } from '../../web/src/features/proof/load-record-snapshot.ts'
import type { RecordSnapshot } from '../../web/src/features/proof/proof-task.ts'
import { recomputeRecord } from '../../web/src/features/proof/recompute-record.ts'
import { runVerify, runVerifyJson, startProxy, startSite, type TestSite } from '../test/support/command-test-bed.ts'

/**
 * The log has four predictions: one came true, one did not, one has no outcome, one is still open.
 */

const parts = useTestDatabaseAndChain()
let clock: FakeClock
let server: TestServer
let folder: string
let pins: string[]
let signals: { yes: string; no: string }
let site: TestSite | null = null

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tocsin-record-'))
  clock = fakeClock(new Date())
  server = await startTestServer(parts, { publicDelayHours: 0 }, { clock })
  const predict = (id: string, asset: string) => createPredictedSignal(id, clock.now(), { asset })
  const [trueSignal, falseSignal, unresolvedSignal] = [
    predict('yes', 'BTC/USDT'),
    predict('no', 'ETH/USDT'),
    predict('never', 'SOL/USDT'),
  ]
  signals = { yes: trueSignal, no: falseSignal }
  for (const text of [trueSignal, falseSignal, unresolvedSignal]) await receiveTexts([text])
  await advanceTime(420_000)
  await receiveTexts([createOutcomeMessage(trueSignal), createOutcomeMessage(falseSignal, { last: '100.2' })])
  await advanceTime(1_500_000)
  await receiveTexts([predict('open', 'XRP/USDT')])
  // Advance the clock to the time of the chain, because the anchor of a record must not be later
  // than now.
  const { timestamp } = await parts.chain.client.getBlock()
  clock.advance(Math.max(0, Number(timestamp) * 1_000 - clock.now().getTime()))
  const { firstSigner, anchor } = await server.createClient().call('publicConfig')
  pins = ['--rpc', parts.chain.url, '--first-signer', firstSigner, '--contract', anchor.contract, '--chain-id', '31337']
})
afterAll(async () => {
  await server?.close()
  await rm(folder, { recursive: true, force: true })
})
afterEach(async () => {
  await site?.close()
  site = null
})

async function receiveTexts(texts: string[]): Promise<void> {
  const { ctx } = server
  await receiveSignals(ctx, createIssuer(ctx), texts, new AbortController().signal)
  await eventually(async () => {
    const { size, anchored } = await server.createClient().call('logHead')
    expect(anchored?.size).toBe(size)
  })
}

async function advanceTime(ms: number): Promise<void> {
  clock.advance(ms)
  await parts.chain.control.setNextBlockTimestamp({ timestamp: BigInt(Math.floor(clock.now().getTime() / 1000)) })
  await parts.chain.mine()
}

const createArgs = (url = server.url, ...more: string[]) => ['--from-url', url, ...pins, '--track-record', ...more]

/**
 * Starts a proxy that changes the server's responses at a path. Returns the command-line arguments
 * that verify the track record through this proxy.
 */
async function startProxyArgs(path: string, change: (answer: Record<string, unknown>) => unknown): Promise<string[]> {
  site = await startProxy(server.url, (question, answer) =>
    question.path.startsWith(path) ? change(Object(answer)) : answer,
  )
  return createArgs(site.url)
}

/**
 * Returns the files of an archive, with their names in the form `venue/market/day.json`. Its
 * candles differ from those of the outcome that came true.
 */
function listArchiveFiles(): Map<string, string> {
  const { prediction } = JSON.parse(signals.yes)
  const files = new Map<string, Candle[]>()
  for (const candle of createCandles(prediction, '100.1')) {
    const name = `${prediction.venue}/${prediction.market}/${formatDay(candle[0])}.json`
    files.set(name, [...(files.get(name) ?? []), candle])
  }
  return new Map([...files].map(([name, rows]) => [name, JSON.stringify(rows)]))
}

describe('verify --track-record', () => {
  test('names the entry that the site counts differently', async () => {
    const { code, outcome } = await runVerifyJson(
      await startProxyArgs('/api/track-record', (answer) =>
        JSON.parse(JSON.stringify(answer).replaceAll('"false"', '"true"')),
      ),
    )
    expect([code, outcome.failure]).toMatchObject([1, { step: 'record', index: 2 }])
    expect(outcome.failure?.reason).toMatch(/Entry 2 is false, and the site counts it as true/)
  })

  test('names the figure that differs when all entries agree', async () => {
    const verifyArgs = await startProxyArgs('/api/track-record?', (answer) =>
      JSON.parse(JSON.stringify(answer).replace('"effectiveN":3', '"effectiveN":4')),
    )
    const { outcome } = await runVerifyJson(verifyArgs)
    expect(outcome.failure?.reason).toMatch(/another overall\.effectiveN: 4 instead of 3/)
  })

  /**
   * Number of pages after which the manipulated lists end, so that a verifier that requests all
   * pages fails its test instead of hanging.
   */
  const MAX_LIST_PAGES = 20
  test.each<[string, (items: unknown[]) => unknown[]]>([
    ['empty pages', () => []],
    ['the same alert', ([first]) => Array.from({ length: 200 }, () => first)],
  ])('names the wrong figure when the alert list of the site endlessly returns %s', async (_, change) => {
    let pages = 0
    const verifyArgs = await startProxyArgs('/api/track-record', ({ items, ...answer }) => {
      if (!Array.isArray(items)) return JSON.parse(JSON.stringify(answer).replace('"effectiveN":3', '"effectiveN":4'))
      pages += 1
      return { items: change(items), next: pages < MAX_LIST_PAGES ? String(pages) : null }
    })
    const { code, outcome } = await runVerifyJson(verifyArgs)
    expect([code, outcome.failure]).toMatchObject([1, { step: 'record', index: null }])
    expect(outcome.failure?.reason).toMatch(/another overall\.effectiveN: 4 instead of 3\. The entry .* cannot be/)
    expect(pages).toBe(1)
  })

  test.each<[string, (messages: { index: number }[]) => unknown[]]>([
    ['empty pages', () => []],
    ['the same messages', (messages) => [...messages, ...messages]],
  ])('cannot check a site whose message list endlessly returns %s', async (_, change) => {
    let pages = 0
    const verifyArgs = await startProxyArgs('/api/log/messages', ({ messages }) => {
      pages += 1
      const next = pages < MAX_LIST_PAGES ? 1_000 * pages : null
      return { messages: change(Array.isArray(messages) ? messages : []), next }
    })
    const { code, outcome } = await runVerifyJson(verifyArgs)
    expect([code, outcome.failure?.reason]).toEqual([4, expect.stringMatching(/not list its messages in ascending/)])
  })

  type Tables = Record<string, { key: string; figures: { strict: { n: number } } }[]>
  const changeTables = (change: (by: Tables) => unknown) => (record: { by: Tables }) => change(record.by)
  test.each<[string, (record: { by: Tables; coverage: { n: number } }) => unknown, RegExp]>([
    ['coverage', (record) => Object.assign(record.coverage, { n: 9 }), /another coverage\.n: 9 instead of 4/],
    ...['type', 'asset', 'priority', 'regime', 'model', 'month'].map(
      (table): [string, ReturnType<typeof changeTables>, RegExp] => [
        `a rate by ${table}`,
        changeTables((by) => Object.assign(by[table]?.[0]?.figures.strict ?? {}, { n: 9 })),
        new RegExp(`another by\\.${table}\\.0\\.figures\\.strict\\.n: 9 instead of`),
      ],
    ),
    ['a missing row', changeTables((by) => by.asset?.pop()), /another by\.asset\.3: undefined instead of an object/],
    [
      'an invented row',
      changeTables((by) => by.type?.push({ key: 'Invented', figures: { strict: { n: 100 } } })),
      /another by\.type\.length: 2 instead of 1/,
    ],
  ])('names the figure when the site publishes a wrong value or table: %s', async (_, change, reason) => {
    const verifyArgs = await startProxyArgs('/api/track-record?', (answer) => {
      change(Object(answer.record))
      return answer
    })
    const { code, outcome } = await runVerifyJson(verifyArgs)
    expect([code, outcome.failure?.reason]).toEqual([1, expect.stringMatching(reason)])
  })

  test.each<[string, (messages: { index: number; message: string }[]) => unknown[], RegExp]>([
    [
      'is withheld',
      (messages) => messages.filter(({ index }) => index !== 1),
      /Entry 1 is withheld \(The signal message is missing\), and the site counts it as true/,
    ],
    [
      'is replaced by another one',
      (messages) => messages.map((one) => (one.index === 1 ? { ...one, message: `${one.message} ` } : one)),
      /Entry 1 is withheld \(The signal message has another hash\)/,
    ],
    [
      'of an outcome is replaced by another one',
      (messages) =>
        messages.map((one) => (one.index === 4 ? { ...one, message: one.message.replace('101', '102') } : one)),
      /Entry 1 is invalid \(The outcome message has another hash\)/,
    ],
  ])('names the entry when a message %s', async (_, change, reason) => {
    const verifyArgs = await startProxyArgs('/api/log/messages', (answer) => ({
      ...answer,
      // The cast is safe: the proxy forwards responses of our own server.
      messages: change(answer.messages as { index: number; message: string }[]),
    }))
    const { code, outcome } = await runVerifyJson(verifyArgs)
    expect([code, outcome.failure?.reason]).toEqual([1, expect.stringMatching(reason)])
  })

  test('prints the figures of the site and lists the parts that it could not check', async () => {
    const { code, outcome } = await runVerifyJson(createArgs())
    expect([code, outcome.verdict]).toEqual([0, 'verified'])
    expect(outcome.steps.at(-1)).toMatchObject({ id: 'record', status: 'passed' })
    expect(outcome).toMatchObject({ recordCounted: 3, recordTrue: 1, 'status-overdue': 1, 'status-open': 1 })
    const { record } = await server.createClient().call('trackRecord', { query: {} })
    expect([outcome.recordSize, outcome.strictRate]).toEqual([record?.asOf.size, record?.overall.strict.rate])
    const { out } = await runVerify(createArgs())
    expect(out).toMatch(/Strict rate 33\.3% \(1 of 3\), 95% interval/)
    expect(out).toMatch(/Candles not compared: 2 \(entries 1, 2\)/)
  })

  /** Returns arguments with a node that shows the newest anchor only once `isShown()` is true. */
  async function createLaggingNodeArgs(verifyArgs: string[], isShown: () => boolean): Promise<string[]> {
    const { record } = await server.createClient().call('trackRecord', { query: {} })
    const blockBefore = `0x${((record?.asOf.blockNumber ?? 0) - 1).toString(16)}`
    const node = await startProxy(parts.chain.url, ({ method }, answer) =>
      method === 'eth_blockNumber' && !isShown() ? { ...Object(answer), result: blockBefore } : answer,
    )
    onTestFinished(node.close)
    return [...verifyArgs, '--rpc', node.url]
  }

  test('passes when the node shows the newest anchor only after the check has begun', async () => {
    let isRecordRead = false
    const verifyArgs = await startProxyArgs('/api/track-record?', (answer) => {
      isRecordRead = true
      return answer
    })
    const { code, outcome } = await runVerifyJson(await createLaggingNodeArgs(verifyArgs, () => isRecordRead))
    expect([code, outcome.failure]).toEqual([0, null])
  })

  test('cannot check the record while the node does not show the anchor of the record', async () => {
    const { code, outcome } = await runVerifyJson(await createLaggingNodeArgs(createArgs(), () => false))
    expect([code, outcome.failure]).toMatchObject([4, { step: 'record', index: null }])
    expect(outcome.failure?.reason).toMatch(/as of \d entries, and the node shows no anchor of them yet/)
  })

  test('prints the figures with and without the candle archive when the archive disputes an outcome', async () => {
    for (const [name, rows] of listArchiveFiles()) {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), rows)
    }
    const { code, out } = await runVerify(createArgs(server.url, '--candles', folder))
    expect(code).toBe(0)
    expect(out).toMatch(/As on the site, without the archive:\nStrict rate 33\.3% \(1 of 3\)/)
    expect(out).toMatch(/With the archive:\nStrict rate 0\.0% \(0 of 3\)/)
    expect(out).toMatch(/disputed 1/)
  })

  test('downloads the candle archive from a URL template, and rejects a template without {market}', async () => {
    const files = listArchiveFiles()
    site = await startSite((request, response) => {
      const rows = files.get(decodeURIComponent((request.url ?? '').slice(1)))
      response.writeHead(rows === undefined ? 404 : 200).end(rows)
    })
    const runWithTemplate = (template: string) =>
      runVerify(createArgs(server.url, '--candles', `${site?.url}/${template}`))
    const { code, out } = await runWithTemplate('{venue}/{market}/{day}.json')
    expect(code).toBe(0)
    expect(out).toMatch(/With the archive:\nStrict rate 0\.0% \(0 of 3\)/)
    expect(out).toMatch(/disputed 1/)
    expect(site.requests).toEqual(expect.arrayContaining([...files.keys()].map((name) => `/${name}`)))
    expect((await runWithTemplate('{venue}/{day}.json')).err).toMatch(/a URL with \{market\} and \{day\}/)
  })
})

/**
 * The web app runs this function in the browser to recompute the last 30 days of the track record
 * (apps/web/src/features/proof/recompute-record.ts).
 */
describe('recomputeRecord', () => {
  async function recompute(change: (snapshot: RecordSnapshot) => void = () => {}, rpc = readChain) {
    const { firstSigner, anchor } = await server.createClient().call('publicConfig')
    const domain = { chainId: anchor.chainId, verifyingContract: anchor.contract as Address }
    const snapshot = await loadRecordSnapshot(server.createClient().call, 'feed')
    if (!snapshot) throw new Error('There is no record')
    const copy = structuredClone(snapshot)
    change(copy)
    return { given: snapshot, ...(await recomputeRecord(copy, { firstSigner: firstSigner as Address, domain }, rpc)) }
  }
  const readChain: Rpc = async (method, params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const answer = await fetch(parts.chain.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    const { result }: { result: unknown } = Object(await answer.json())
    return result
  }
  const getEntry = (snapshot: RecordSnapshot, index: number) => {
    const entry = snapshot.entries.find((each) => each.index === index)
    if (!entry) throw new Error(`There is no entry ${index}`)
    return entry
  }

  test.each<[string, (snapshot: RecordSnapshot) => void, RegExp]>([
    ['a missing entry', (snapshot) => snapshot.entries.splice(1, 1), /Entry 2 is missing/],
    ['a cut log', (snapshot) => snapshot.entries.pop(), /covers \d entries, but the log has \d/],
    [
      'other content',
      (snapshot) =>
        Object.assign(getEntry(snapshot, 2), { bytes: getEntry(snapshot, 2).bytes?.replace('43.5', '53.5') }),
      /The leaf hash of entry 2 is not that of its content/,
    ],
    [
      'withheld content',
      (snapshot) => Object.assign(getEntry(snapshot, 2), { bytes: null, signature: null }),
      /Entry 2 has the status “(withheld|pending)/,
    ],
    [
      'another tree before the first entry',
      (snapshot) => snapshot.inclusionPath.fill(`0x${'12'.repeat(32)}`),
      /The root at size \d .* differs from the anchor/,
    ],
    [
      'another anchor time',
      (snapshot) => Object.assign(snapshot.siteRecord.asOf, { at: '2026-01-01T00:00:00.000Z' }),
      /not an anchor/,
    ],
    [
      'a block time that the chain does not know',
      (snapshot) => {
        snapshot.siteRecord.asOf.at = '2026-01-01T00:00:00.000Z'
        Object.assign(snapshot.anchors.at(-1) ?? {}, { at: snapshot.siteRecord.asOf.at })
      },
      /The anchor’s block has the time .*, but this site says 2026-01-01/,
    ],
    [
      'a missing message',
      (snapshot) => snapshot.messages.shift(),
      /Entry 1 has the status “withheld” \(The signal message is missing\)/,
    ],
    [
      'an alert that the site leaves out',
      (snapshot) => snapshot.alerts.splice(1, 1),
      /Entry 2 has the status “false”, and this site’s record leaves it out/,
    ],
    [
      'an alert that the site counts as true',
      (snapshot) => Object.assign(snapshot.alerts[1] ?? {}, { status: 'true' }),
      /Entry 2 has the status “false”, and this site counts it as true/,
    ],
    [
      'another figure',
      (snapshot) => Object.assign(snapshot.siteRecord.recent.figures, { effectiveN: 4 }),
      /All alerts agree, but this site shows other figures\.effectiveN: 4 instead of 3/,
    ],
  ])('names %s', async (_name, change, reason) => {
    expect((await recompute(change)).difference).toMatch(reason)
  })

  test('returns the figures of the site, and lists the parts that it did not check', async () => {
    const { given, difference, figures, outcomeCount, unchecked } = await recompute()
    expect(difference).toBeNull()
    expect(given.siteRecord.recent.fromIndex).toBeGreaterThan(0)
    expect(figures?.strict).toEqual(given.siteRecord.overall.strict)
    expect(figures?.strict).toMatchObject({ n: 3, count: 1 })
    expect(outcomeCount).toBe(2)
    expect(unchecked.join(' ')).toMatch(/archive.*earlier blocks, which draw the random minutes/)
    const offline = await recompute(undefined, () => Promise.reject(new Error('unreachable')))
    expect([offline.difference, offline.unchecked.join(' ')]).toEqual([
      null,
      expect.stringContaining('The anchor. The anchor chain could not be reached'),
    ])
  })

  /** This must be the last test, because it advances the time by two days. */
  test('computes the same base rate and lift as the site and the command line, and reports a wrong base rate', async () => {
    const { prediction } = JSON.parse(signals.yes)
    const { venue, market, startsAt } = prediction
    const day = startsAt.slice(0, 10)
    const start = Date.parse(`${day}T00:00:00.000Z`) / 1000
    // The close price alternates between 100 and 104, so the prediction comes true at any minute.
    const rows = Array.from({ length: 1_440 }, (_, index) => {
      return [start + index * 60, '100', '110', '90', index % 2 === 0 ? '100' : '104', '1']
    })
    const parts240 = Array.from({ length: 6 }, (_, index) => rows.slice(240 * index, 240 * (index + 1)))
    await receiveTexts(parts240.map((candles) => JSON.stringify({ type: 'candles', venue, market, day, candles })))
    await advanceTime(2 * 86_400_000)
    await receiveTexts([createPredictedSignal('later', clock.now(), { asset: 'ADA/USDT' })])
    await parts.chain.mine(12)
    await advanceTime(60_000)
    await receiveTexts([createPredictedSignal('last', clock.now(), { asset: 'DOT/USDT' })])
    clock.advance(120_000)
    const readSite = () => server.createClient().call('trackRecord', { query: { origin: 'feed' } })
    // Poll slowly, so that the rest of the test stays within the server's rate limit.
    const readBaseRate = async () => (await readSite()).record?.overall.baseRate
    await expect.poll(readBaseRate, { interval: 3_000 }).toBe(1)
    const { difference, figures, given } = await recompute()
    expect(difference).toBeNull()
    expect(figures).toMatchObject({ baseRate: 1, lift: given.siteRecord.recent.figures.lift })
    const wrongRecord = await recompute(({ siteRecord: shown }) =>
      Object.assign(shown.recent.figures, { baseRate: 0.5 }),
    )
    expect(wrongRecord.difference).toMatch(/other figures\.baseRate: 0\.5 instead of 1/)
    const shownFigures = { baseRate: 1, lift: given.siteRecord.overall.lift?.lift }
    const { code, outcome } = await runVerifyJson(createArgs())
    expect([code, outcome]).toMatchObject([0, shownFigures])

    // Write an archive in which the close price changes only within the candles of the outcome.
    const archive = await mkdtemp(join(tmpdir(), 'tocsin-archive-'))
    onTestFinished(() => rm(archive, { recursive: true }))
    const outcomeCandles = new Map(createCandles(prediction, '101').map((candle) => [candle[0], candle]))
    const calmRows = rows.map(([at]) => outcomeCandles.get(Number(at)) ?? [at, '100', '110', '90', '100', '1'])
    await mkdir(join(archive, venue, market), { recursive: true })
    await writeFile(join(archive, venue, market, `${day}.json`), JSON.stringify(calmRows))
    const archiveResult = await runVerifyJson(createArgs(server.url, '--candles', archive))
    expect([archiveResult.code, archiveResult.outcome]).toMatchObject([0, shownFigures])
    expect(archiveResult.outcome.archiveBaseRate).toBeLessThan(0.5)
    const { out } = await runVerify(createArgs(server.url, '--candles', archive))
    expect(out).toMatch(/As on the site, without the archive:[\s\S]+Base rate 100\.0%[\s\S]+With the archive:/)
    expect(out).toMatch(/With the archive:[\s\S]+Base rate \d\.\d%/)
  })
})
