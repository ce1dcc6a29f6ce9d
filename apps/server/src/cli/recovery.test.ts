import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import {
  decodeStatement,
  encodeStatement,
  hashSignal,
  hashStatement,
  parseReceiptFile,
  type Rpc,
  verifyReceipt,
} from '@tocsin/proof'
import { HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import {
  addSubscription,
  createTestContext,
  productionEnv,
  startTestSession,
  type TestClient,
  testConfig,
} from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { useTestChain, useTestDatabase } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { sql } from 'drizzle-orm'
import pg from 'pg'
import { pino } from 'pino'
import { HttpRequestError } from 'viem'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type CliTestBed, createCliTestBed } from '../../test/support/cli-test-bed.ts'
import { createOutcomeMessage, createPredictedSignal } from '../../test/support/outcome-test-bed.ts'
import { systemClock } from '../clock.ts'
import { openDatabase } from '../db/database.ts'
import { alertOutcomes } from '../db/schema/alerts.ts'
import { channelDeliveries } from '../db/schema/channels.ts'
import { createAccount } from '../features/accounts/service.ts'
import { createIssuer } from '../features/alerts/issue-alerts.ts'
import { createApiKey } from '../features/api-keys/service.ts'
import { receiveSignals } from '../features/feed/receive-signals.ts'
import { adoptLog } from '../features/tlog/adopt-log.ts'
import { checkLog } from '../features/tlog/check-log.ts'
import { extendHead, parseHead } from '../features/tlog/log.ts'
import { withMirror } from '../features/tlog/log-mirror.ts'
import { getProofDomain } from '../features/tlog/proof-domain.ts'
import { stopLog } from '../features/tlog/stop-log.ts'
import { listEntries, lockHead, writeEntries } from '../features/tlog/store.ts'
import { passwordChangedMail } from '../mail/account-mails.ts'
import { createMailer } from '../mail/mailer.ts'

/**
 * Recovery from a backup that is older than the newest anchor. With each of the two options, `log
 * adopt` and `log succeed`, the resulting log verifies.
 */

const trader = { email: 'trader@example.com', password: 'a password of the trader' }
const alert = { asset: 'ETH', confidence: 90, summary: 'text', priority: 'high', broadcast: true } as const
const ENTRIES_BEFORE_BACKUP = 2
const ENTRIES_AFTER_BACKUP = 3
/** Signal of the last alert after the backup. This alert has an outcome. */
const SIGNAL = {
  asset: 'SOL/USDT',
  anomalyType: 'Spike',
  confidence: 88,
  regime: '',
  summary: 'text',
  priority: 'high',
}
/**
 * Without a public delay, a verifier sees all content. Without a cool-down, each new signal creates
 * an alert.
 */
const settings = { publicDelayHours: 0, feed: { cooldownSeconds: 0 } }

const database = useTestDatabase()
const chain = useTestChain()
let cli: CliTestBed
let env: Record<string, string>
let firstSigner: string
let subscriptionId: string
let signal: string
let outcome: string
/** Size and root hash of the lost log. */
let lostLog: { size: number; root: string }

beforeAll(async () => {
  const firstServer = await startTestServer({ database, chain }, settings)
  const { databaseUrl } = firstServer.ctx.config
  env = productionEnv(databaseUrl, chain)
  cli = createCliTestBed(env)
  await createAccount(firstServer.ctx, { ...trader, name: 'Trader', role: 'user', verified: true })
  const buyer = await logIn(firstServer)
  await buyer.proveWallet(chain.wallet(1))
  const { transactionHash } = await chain.pay({ from: 1, amountWei: 30n * 10n ** 18n })
  subscriptionId = (await buyer.call('subscribe', { body: { planType: '24h', transactionHash } })).id
  await issueTestAlerts(firstServer, ENTRIES_BEFORE_BACKUP)
  await firstServer.close()
  expect((await cli.run('backup old')).code).toBe(0)

  const laterServer = await startTestServer({ database, chain }, { ...settings, databaseUrl })
  await issueTestAlerts(laterServer, ENTRIES_AFTER_BACKUP - 2)
  // The period of this signal's prediction is already over. So the signal is late, and its outcome
  // can follow immediately.
  signal = createPredictedSignal('signal-1', new Date(laterServer.ctx.clock.now().getTime() - 10 * MINUTE_MS), SIGNAL)
  outcome = createOutcomeMessage(signal)
  await receiveSignal(laterServer, signal)
  await receiveSignal(laterServer, outcome)
  const client = laterServer.createClient()
  await waitUntilAnchored(client)
  // The receipt is signed and then lost with the database.
  await expectReceipt(laterServer)
  const { firstSigner: signer, anchor } = await client.call('publicConfig')
  firstSigner = signer
  const { entries } = await client.call('logEntries', { query: { from: 0, limit: 1_000 } })
  lostLog = await client.call('logHead')
  const { chainId, contract } = anchor
  writeMirror('mirror', { chainId, contract, firstSigner }, entries)
  writeMirror('foreign', { chainId, contract: chain.token, firstSigner }, entries)
  writeMirror('empty', { chainId, contract, firstSigner }, [])
  writeMirror('short', { chainId, contract, firstSigner }, entries.slice(0, -1))
  writeMirror('withheld', { chainId, contract, firstSigner }, entries.map(withholdLastEntry))
  writeMirror('forged', { chainId, contract, firstSigner }, entries.map(forgeLastEntry))
  await laterServer.close()
})
afterAll(async () => {
  cli?.remove()
})

type Entry = { index: number; leafHash: string; bytes: string | null; signature: string | null }

function writeMirror(name: string, header: object, entries: readonly object[]): void {
  const lines = [{ format: 'tocsin-log-mirror', version: 1, ...header }, ...entries]
  writeFileSync(join(cli.folder, name), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
}

const isLast = ({ index }: Entry) => index === ENTRIES_BEFORE_BACKUP + ENTRIES_AFTER_BACKUP
const withholdLastEntry = (entry: Entry) => (isLast(entry) ? { ...entry, bytes: null, signature: null } : entry)
const forgeLastEntry = (entry: Entry) =>
  isLast(entry) ? { ...entry, bytes: entry.bytes?.replace('came-true', 'did-not') } : entry

async function issueTestAlerts(server: TestServer, count: number): Promise<void> {
  const admin = await server.signInAdmin()
  for (let index = 0; index < count; index++) await admin.call('createAlert', { body: alert })
  await waitUntilAnchored(admin)
}

const waitUntilAnchored = (client: TestClient) =>
  eventually(async () => {
    const { size, anchored } = await client.call('logHead')
    expect(anchored?.size).toBe(size)
  })

function receiveSignal(server: TestServer, raw: string): Promise<void> {
  const { ctx } = server
  return receiveSignals(ctx, createIssuer(ctx), [raw], new AbortController().signal)
}

async function logIn(server: TestServer): Promise<TestClient> {
  const client = server.createClient()
  await client.call('login', { body: trader })
  return client
}

const rpc: Rpc = async (method, params) => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer = await fetch(chain.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const { result }: { result?: unknown } = Object(await answer.json())
  return result
}

/**
 * Checks that the receipt of a payment before the backup verifies against the current log of the
 * server.
 */
async function expectReceipt(server: TestServer): Promise<void> {
  const client = await logIn(server)
  const receipt = await client.call('findReceipt', { params: { id: subscriptionId } })
  const { chainId, contract } = server.ctx.config.anchor
  const file = parseReceiptFile(JSON.parse(JSON.stringify(receipt)))
  const trust = { firstSigner: file.firstSigner, domain: { chainId, verifyingContract: contract } }
  expect(await verifyReceipt(file, { trust, rpc, paymentRpc: rpc })).toMatchObject({ verdict: 'verified' })
}

const restoredDetail = { backupMadeAt: expect.stringMatching(/Z$/), rows: expect.any(Number) }
const verifier = fileURLToPath(new URL('../../../verify/src/main.ts', import.meta.url))

/** Runs tocsin-verify. `options` select the log. */
async function runVerifier(options: string[], contract: string): Promise<{ exitCode: number; failure: unknown }> {
  const pins = ['--first-signer', firstSigner, '--contract', contract, '--chain-id', '31337', '--rpc', chain.url]
  const args = ['--import', 'tsx', verifier, '--json', ...options, ...pins]
  // Rejects if the exit code is not 0. The error contains the output.
  const { stdout } = await promisify(execFile)(process.execPath, args).catch((error: { stdout: string }) => error)
  return JSON.parse(stdout)
}

/** Returns the result of tocsin-verify for an archive. */
const verifyFile = (name: string, contract: string) => runVerifier(['--from-file', join(cli.folder, name)], contract)

/** Creates a database without tables. */
async function createEmptyDatabase(): Promise<string> {
  const url = await database.createDatabase()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('drop schema public cascade; create schema public; drop schema drizzle cascade')
  await client.end()
  return url
}

/** Restores the old backup into a new database. */
async function restoreOldBackup(): Promise<string> {
  const url = await createEmptyDatabase()
  const { code, err } = await cli.run('restore old', { env: { ...env, DATABASE_URL: url } })
  expect(code).toBe(1)
  expect(err).toMatch(/3 entries, but 6 are anchored.*tocsin log adopt.*tocsin log succeed/s)
  return url
}

/** Adds a destination of the trader. Its endpoint cannot be reached. */
async function addDestination(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(
    `insert into destinations (account_id, kind, name, host, sealed, state, created_at)
    select id, 'webhook', 'Bot', 'localhost', '', 'on', now() from accounts where email = $1`,
    [trader.email],
  )
  await client.end()
}

/** Returns the audit entries of commands, oldest first, as the admin area shows them. */
async function listCommands(server: TestServer) {
  const { items } = await (await server.signInAdmin()).call('listAudit', {})
  return items
    .filter(({ actor, requestId }) => actor === null && requestId === 'command line')
    .map(({ action, reason, detail }) => ({ action, reason, detail }))
    .reverse()
}

async function expectAccountsAndPaidTime(server: TestServer): Promise<void> {
  await logIn(server)
  const { rows } = await server.ctx.db.execute(sql`select 1 from subscriptions where ends_at > now()`)
  expect(rows).toHaveLength(1)
  await server.signInAdmin()
}

test('server: does not start on a restored old backup, and names both recovery commands', async () => {
  const databaseUrl = await restoreOldBackup()
  await expect(startTestServer({ database, chain }, { ...settings, databaseUrl })).rejects.toThrow(
    /tocsin log adopt.*tocsin log succeed/s,
  )
})

test('log succeed: the successor log on a new contract keeps accounts and subscriptions', async () => {
  const databaseUrl = await restoreOldBackup()
  const formerContract = chain.anchorContract
  const contract = await chain.nextAnchorContract()
  const overrides = { ...settings, databaseUrl, anchor: { ...chain.settings.anchor, contract } }
  const run = (args: string, change: Record<string, string> = {}) =>
    cli.run(args, { env: { ...env, DATABASE_URL: databaseUrl, ANCHOR_CONTRACT: contract, ...change } })
  // Setting the new contract alone is not enough: existing entries were signed for the former
  // contract.
  await expect(startTestServer({ database, chain }, overrides)).rejects.toThrow('signed for another anchor contract')
  expect((await run('config check')).out).toMatch(/PROBLEM +anchor contract: .*signed for another anchor contract/)

  const succeedCommand = `log succeed archive --reason Restored-a-backup --former-contract`
  const refusals: [string, Record<string, string>, RegExp][] = [
    [
      `${succeedCommand} ${formerContract}`,
      { ANCHOR_CONTRACT: formerContract },
      /former contract is the configured one/,
    ],
    [`${succeedCommand} ${contract}`, { ANCHOR_CONTRACT: formerContract }, /already has anchors/],
    [`${succeedCommand} ${await chain.nextAnchorContract()}`, {}, /was not signed for the contract/],
  ]
  for (const [args, change, sentence] of refusals) {
    const { code, err } = await run(args, change)
    expect(err).toMatch(sentence)
    expect(code).toBe(1)
  }
  const clockSpy = vi.spyOn(systemClock, 'now').mockImplementation(() => new Date(Date.now() - 15_000))
  const wrongClockResult = await run(`${succeedCommand} ${formerContract}`)
  clockSpy.mockRestore()
  expect(wrongClockResult).toMatchObject({ code: 1, err: expect.stringContaining('clock') })
  expect(existsSync(join(cli.folder, 'archive'))).toBe(false)
  const { code, out, err } = await run(`${succeedCommand} ${formerContract}`)
  expect(err).toBe('')
  expect(out).toContain('Lost anchored entries: 3.')
  expect(code).toBe(0)
  const archiveLines = readFileSync(join(cli.folder, 'archive'), 'utf8').trim().split('\n')
  expect(JSON.parse(archiveLines[0] ?? '')).toMatchObject({ contract: formerContract, firstSigner })
  expect(archiveLines).toHaveLength(1 + 1 + ENTRIES_BEFORE_BACKUP)
  // The archive is that of a log that lost entries, so its verification fails.
  const { exitCode, failure } = await verifyFile('archive', formerContract)
  expect(exitCode).toBe(1)
  const reason =
    'The chain has anchored 6 entries, the file shows 3: it is older than the newest anchor, or lacks its end'
  expect(failure).toMatchObject({ index: 3, reason: expect.stringContaining(reason) })

  const server = await startTestServer({ database, chain }, overrides)
  try {
    await expectAccountsAndPaidTime(server)
    await issueTestAlerts(server, 1)
    await expectReceipt(server)
    await checkLog(server.ctx)
    expect(await listCommands(server)).toEqual([
      { action: 'backup_restored', reason: null, detail: restoredDetail },
      {
        action: 'log_succeeded',
        reason: 'Restored-a-backup',
        detail: { formerContract, entries: 3, anchoredEntries: 6 },
      },
    ])
    await stopLog(server.ctx, 'A test stopped it')
    expect((await run('log resume')).out).toContain('The log was resumed. It had been stopped: A test stopped it')
    expect((await run('log resume')).out).toContain('The log was not stopped.')
    const { out: rotateOutput } = await run('signer rotate', { SIGNER_KEY_NEXT: `0x${'5e'.repeat(32)}` })
    const [, logEntry, from, to] = /entry (\d+) .* from (0x\w+) to (0x\w+)/.exec(rotateOutput) ?? []
    expect((await listCommands(server)).slice(2)).toEqual([
      { action: 'log_resumed', reason: null, detail: { stoppedFor: 'A test stopped it' } },
      { action: 'signer_rotated', reason: null, detail: { logEntry: Number(logEntry), from, to } },
    ])
    const [, succession] = await listEntries(server.ctx.db, 0, 3)
    expect(decodeStatement(succession?.bytes ?? new Uint8Array())).toMatchObject({
      kind: 'succession',
      reason: 'Restored-a-backup',
      predecessor: { contract: formerContract, firstSigner, size: 3, anchoredSize: 6, anchoredRoot: lostLog.root },
    })
  } finally {
    await server.close()
  }
})

test('server: sends no email when it refuses to start', async () => {
  const databaseUrl = await restoreOldBackup()
  const opened = openDatabase(databaseUrl, () => undefined)
  const mailer = createMailer(opened.pool, async () => undefined, pino({ level: 'silent' }))
  await mailer.prepare()
  await opened.db.transaction((tx) => mailer.sendMail(tx, passwordChangedMail(trader.email, 'http://localhost')))
  await mailer.stop()
  const start = startTestServer({ database, chain }, { ...settings, databaseUrl })
  await expect(start).rejects.toThrow('3 entries, but 6 are anchored')
  const { rows } = await opened.db.execute(sql`select state from pgboss.job where name = 'mail'`)
  expect(rows).toEqual([{ state: 'created' }])
  await opened.close()
})

test('adoptLog: succeeds when the anchor node fails after the entries were stored', async () => {
  const { ctx, close } = await createTestContext(
    testConfig({ databaseUrl: await restoreOldBackup(), ...chain.settings }),
  )
  try {
    let isDown = false
    const getBlockNumber = async () => {
      if (isDown) throw new HttpRequestError({ url: chain.url })
      return ctx.anchorChain.getBlockNumber()
    }
    const flakyCtx = { ...ctx, anchorChain: { ...ctx.anchorChain, getBlockNumber } }
    // `adoptLog` reads the chain before it calls `goDown` and again after the commit, so only the
    // second read fails.
    const goDown = async () => {
      isDown = true
    }
    const adoptedRange = await withMirror(join(cli.folder, 'mirror'), (mirror) =>
      adoptLog(flakyCtx, mirror, goDown, { onProgress: () => {} }),
    )
    expect(adoptedRange).toEqual({ from: 3, size: 6 })
    expect(await checkLog(ctx)).toMatchObject({ size: 6 })
  } finally {
    await close()
  }
})

test('log adopt: completes the log from a verifier’s mirror, and destinations get only later alerts', async () => {
  const databaseUrl = await restoreOldBackup()
  await addDestination(databaseUrl)
  const run = (args: string) => cli.run(args, { env: { ...env, DATABASE_URL: databaseUrl } })
  const refusals: [string, RegExp][] = [
    ['nothing', /ENOENT|no such file/],
    ['old', /is not a mirror/],
    ['foreign', /is of the log at 0x/],
    ['empty', /The mirror has no entries/],
    ['short', /has 5 entries, but 6 are anchored/],
    ['withheld', /no content of entry 5/],
    ['forged', /leaf hash of entry 5 is not that of its content/],
  ]
  for (const [mirror, sentence] of refusals) {
    const { code, err } = await run(`log adopt ${mirror}`)
    expect(code, mirror).toBe(1)
    expect(err).toMatch(sentence)
  }
  const { code, out, err } = await run('log adopt mirror')
  expect(err).toMatch(/Read the anchors up to block \d+ \(100%\)/)
  expect(out).toMatch(/Adopted entries 3 to 5\.\n.*6 entries/)
  expect(code).toBe(0)
  expect(await run('log adopt mirror')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/Nothing to adopt: .*\n.*6 entries/),
  })

  const server = await startTestServer({ database, chain }, { ...settings, databaseUrl })
  try {
    expect(await server.createClient().call('logHead')).toMatchObject(lostLog)
    await expectAccountsAndPaidTime(server)
    const admin = await server.signInAdmin()
    const countAlerts = async () => (await admin.call('listAlerts', {})).length
    // All entries are alerts except the last one, which is the outcome.
    const alertCount = ENTRIES_BEFORE_BACKUP + ENTRIES_AFTER_BACKUP - 1
    expect(await countAlerts()).toBe(alertCount)
    await expectReceipt(server)
    const readMessageStatus = async (message: string) =>
      (await fetch(`${server.url}/api/log/messages/${hashSignal(message)}`)).status
    expect(await Promise.all([signal, outcome].map(readMessageStatus))).toEqual([404, 404])
    // The feed resends the messages that it sent after the backup, and sends a new one.
    await receiveSignal(server, signal)
    await receiveSignal(server, outcome)
    expect(await countAlerts()).toBe(alertCount)
    expect(await Promise.all([signal, outcome].map(readMessageStatus))).toEqual([200, 200])
    expect(await server.ctx.db.$count(alertOutcomes)).toBe(1)
    await receiveSignal(server, signal.replace('signal-1', 'signal-2').replace('SOL', 'ETH'))
    expect(await countAlerts()).toBe(alertCount + 1)
    await issueTestAlerts(server, 1)
    await checkLog(server.ctx)
    const newest = (await admin.call('logHead')).size - 1
    const listSentIndexes = () => server.ctx.db.select({ index: channelDeliveries.logIndex }).from(channelDeliveries)
    await eventually(async () => expect(await listSentIndexes()).toContainEqual({ index: newest }))
    expect((await listSentIndexes()).filter(({ index }) => index < lostLog.size)).toEqual([])
    expect(await listCommands(server)).toEqual([
      { action: 'backup_restored', reason: null, detail: restoredDetail },
      { action: 'log_adopted', reason: null, detail: { firstEntry: 3, lastEntry: 5 } },
    ])
  } finally {
    await server.close()
  }

  // The archive of a complete log verifies. Operators also run `log succeed` on a complete log, for
  // example after the signing key was lost.
  const formerContract = chain.anchorContract
  const ANCHOR_CONTRACT = await chain.nextAnchorContract()
  const succeedCommand = `log succeed whole --reason Lost-key --former-contract ${formerContract}`
  expect((await cli.run(succeedCommand, { env: { ...env, DATABASE_URL: databaseUrl, ANCHOR_CONTRACT } })).code).toBe(0)
  expect(await verifyFile('whole', formerContract)).toMatchObject({ verdict: 'verified', exitCode: 0 })
})

test('log adopt: needs a mirror made with an API key when the lost alerts were not public yet', async () => {
  const contract = await chain.nextAnchorContract()
  const databaseUrl = await database.createDatabase()
  const run = (args: string, url: string) =>
    cli.run(args, { env: { ...env, DATABASE_URL: url, ANCHOR_CONTRACT: contract } })
  const overrides = { publicDelayHours: 24, databaseUrl, anchor: { ...chain.settings.anchor, contract } }
  const server = await startTestServer({ database, chain }, overrides)
  try {
    const { ctx } = server
    const accountId = await createAccount(ctx, { ...trader, name: 'Trader', role: 'user', verified: true })
    await addSubscription(ctx, accountId, HOUR_MS)
    const { secret } = await createApiKey(
      ctx,
      await startTestSession(ctx, accountId),
      { actorId: accountId, requestId: 'test' },
      { name: 'Mirror', scopes: ['verify'], requestsPerMinute: 60 },
    )
    writeFileSync(join(cli.folder, 'key'), `${secret}\n`)
    expect((await run('backup before-alerts', databaseUrl)).code).toBe(0)
    await issueTestAlerts(server, ENTRIES_AFTER_BACKUP)
    const mirror = (name: string) => ['--from-url', server.url, '--mirror', join(cli.folder, name)]
    expect(await runVerifier(mirror('public'), contract)).toMatchObject({ exitCode: 0 })
    const withKey = [...mirror('whole-mirror'), '--api-key-file', join(cli.folder, 'key')]
    expect(await runVerifier(withKey, contract)).toMatchObject({ exitCode: 0 })
  } finally {
    await server.close()
  }
  const restoredUrl = await createEmptyDatabase()
  expect((await run('restore before-alerts', restoredUrl)).err).toMatch(/tocsin log adopt/)
  expect(await run('log adopt public', restoredUrl)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/no content of entry 1,.*--api-key-file/s),
  })
  expect(await run('log adopt whole-mirror', restoredUrl)).toMatchObject({
    code: 0,
    out: expect.stringContaining(`Adopted entries 1 to ${ENTRIES_AFTER_BACKUP}.`),
  })
})

test('log succeed: archives a log whose times go backwards, and the successor log is valid', async () => {
  const databaseUrl = await database.createDatabase()
  const formerContract = await chain.nextAnchorContract()
  const createSettings = (contract: `0x${string}`) => ({
    ...settings,
    databaseUrl,
    anchor: { ...chain.settings.anchor, contract },
  })
  const run = (args: string, contract: string) =>
    cli.run(args, { env: { ...env, DATABASE_URL: databaseUrl, ANCHOR_CONTRACT: contract } })
  const damagedServer = await startTestServer({ database, chain }, createSettings(formerContract))
  try {
    await issueTestAlerts(damagedServer, 1)
    // Appends entries as an older version with a wrong clock would: one an hour in the future, then
    // one at the current time.
    await appendUnchecked(damagedServer, [60, 0])
  } finally {
    await damagedServer.close()
  }
  expect(await run('log check', formerContract)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/damaged: Entry 3 is of/),
  })

  const contract = await chain.nextAnchorContract()
  const { code, out, err } = await run(
    `log succeed jumped --reason Clock --former-contract ${formerContract}`,
    contract,
  )
  expect(err).toBe('')
  expect(out).toMatch(/Archived 4 entries.*The log is complete/s)
  expect(code).toBe(0)
  expect(await verifyFile('jumped', formerContract)).toMatchObject({ exitCode: 1, failure: { index: 3 } })

  const server = await startTestServer({ database, chain }, createSettings(contract))
  try {
    await issueTestAlerts(server, 1)
    await checkLog(server.ctx)
    const [first] = await listEntries(server.ctx.db, 0, 1)
    const { createdAt } = decodeStatement(first?.bytes ?? new Uint8Array())
    expect(Date.parse(createdAt)).toBeLessThanOrEqual(server.ctx.clock.now().getTime())
  } finally {
    await server.close()
  }
})

/**
 * Appends one heartbeat for each number, with a time that many minutes after now. Does not check
 * the rules for new entries.
 */
async function appendUnchecked({ ctx }: TestServer, aheadMinutes: readonly number[]): Promise<void> {
  const [signer] = ctx.signers.held
  if (!signer) throw new Error('The server has no signing key')
  await ctx.db.transaction(async (tx) => {
    const head = parseHead(await lockHead(tx))
    const entries = aheadMinutes.map((minutes, index) => {
      const createdAt = new Date(ctx.clock.now().getTime() + minutes * 60_000).toISOString()
      const statement = { kind: 'heartbeat' as const, index: head.size + index, createdAt, signer: signer.address }
      const signature = signer.signDigest(hashStatement(getProofDomain(ctx), statement))
      return { bytes: encodeStatement(statement), signature }
    })
    const next = extendHead(head, entries, head.signer)
    await writeEntries(tx, head.size, entries, next, ctx.clock.now())
  })
}
