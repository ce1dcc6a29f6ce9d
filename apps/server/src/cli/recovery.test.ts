import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeStatement } from '@tocsin/proof'
import {
  addPeriod,
  productionEnv,
  startTestChain,
  startTestDatabase,
  type TestChain,
  type TestClient,
  type TestDatabase,
} from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { sql } from 'drizzle-orm'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccount } from '../features/accounts/service.ts'
import { checkLog } from '../features/tlog/check-log.ts'
import { listEntries } from '../features/tlog/store.ts'
import { type CliTestBed, createCliTestBed } from './cli-test-bed.ts'

/** The restore drill: a backup is older than what was anchored after it, and both ways on lead to a log that verifies. */

const trader = { email: 'trader@example.com', password: 'a password of the trader' }
const alert = { asset: 'ETH', confidence: 90, summary: 'text', priority: 'high', broadcast: true } as const
const BEFORE = 2
const AFTER = 3
/** Public at once, so that a verifier sees the content of every entry. */
const settings = { publicDelayHours: 0 }

let database: TestDatabase
let chain: TestChain
let cli: CliTestBed
let env: Record<string, string>
let firstSigner: string
/** Of the log that was lost. */
let lost: { size: number; root: string }

beforeAll(async () => {
  ;[database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
  const first = await startTestServer({ database, chain }, settings)
  const { databaseUrl } = first.ctx.config
  env = productionEnv(databaseUrl, chain)
  cli = createCliTestBed(env)
  const id = await createAccount(first.ctx, { ...trader, name: 'Trader', role: 'user', verified: true })
  await addPeriod(first.ctx, id, 86_400_000)
  await issue(first, BEFORE)
  await first.close()
  expect((await cli.run('backup old')).code).toBe(0)

  const later = await startTestServer({ database, chain }, { ...settings, databaseUrl })
  await issue(later, AFTER)
  const client = later.createClient()
  const { firstSigner: signer, anchor } = await client.call('publicConfig')
  firstSigner = signer
  const { entries } = await client.call('logEntries', { query: { from: 0, limit: 1_000 } })
  lost = await client.call('logHead')
  const { chainId, contract } = anchor
  writeMirror('mirror', { chainId, contract, firstSigner }, entries)
  writeMirror('foreign', { chainId, contract: chain.token, firstSigner }, entries)
  writeMirror('short', { chainId, contract, firstSigner }, entries.slice(0, -1))
  writeMirror('withheld', { chainId, contract, firstSigner }, entries.map(withhold))
  writeMirror('forged', { chainId, contract, firstSigner }, entries.map(forge))
  await later.close()
})
afterAll(async () => {
  cli?.remove()
  await Promise.all([database?.stop(), chain?.stop()])
})

type Entry = { index: number; leafHash: string; bytes: string | null; signature: string | null }

function writeMirror(name: string, header: object, entries: readonly object[]): void {
  const lines = [{ format: 'tocsin-log-mirror', version: 1, ...header }, ...entries]
  writeFileSync(join(cli.folder, name), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
}

const isLast = ({ index }: Entry) => index === BEFORE + AFTER
const withhold = (entry: Entry) => (isLast(entry) ? { ...entry, bytes: null, signature: null } : entry)
const forge = (entry: Entry) => (isLast(entry) ? { ...entry, bytes: entry.bytes?.replace('text', 'lies') } : entry)

async function issue(server: TestServer, count: number): Promise<void> {
  const admin = await server.signInAdmin()
  for (let at = 0; at < count; at++) await admin.call('createAlert', { body: alert })
  await waitUntilAnchored(admin)
}

const waitUntilAnchored = (client: TestClient) =>
  eventually(async () => {
    const { size, anchored } = await client.call('logHead')
    expect(anchored?.size).toBe(size)
  })

/** The old backup in a database of its own. */
async function restoreOld(): Promise<string> {
  const url = await database.createDatabase()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('drop schema public cascade; create schema public; drop schema drizzle cascade')
  await client.end()
  const { code, err } = await cli.run('restore old', { env: { ...env, DATABASE_URL: url } })
  expect(code).toBe(1)
  expect(err).toMatch(/3 entries, but 6 are anchored.*tocsin log adopt.*tocsin log succeed/s)
  return url
}

async function expectAccountsAndPaidTime(server: TestServer): Promise<void> {
  const client = server.createClient()
  await client.call('login', { body: trader })
  const { rows } = await server.ctx.db.execute(sql`select 1 from subscriptions where ends_at > now()`)
  expect(rows).toHaveLength(1)
  await server.signInAdmin()
}

test('the server does not start on the old backup, and names both ways on', async () => {
  const databaseUrl = await restoreOld()
  await expect(startTestServer({ database, chain }, { ...settings, databaseUrl })).rejects.toThrow(
    /tocsin log adopt.*tocsin log succeed/s,
  )
})

test('log succeed: a successor log on a new contract keeps accounts and paid time', async () => {
  const databaseUrl = await restoreOld()
  const former = chain.anchorContract
  const contract = await chain.nextAnchorContract()
  const overrides = { ...settings, databaseUrl, anchor: { ...chain.settings.anchor, contract } }
  const run = (args: string, change: Record<string, string> = {}) =>
    cli.run(args, { env: { ...env, DATABASE_URL: databaseUrl, ANCHOR_CONTRACT: contract, ...change } })
  // The new contract alone is not enough: what is signed for it would not verify with what is there.
  await expect(startTestServer({ database, chain }, overrides)).rejects.toThrow('signed for another anchor contract')
  expect((await run('config check')).out).toMatch(/PROBLEM +anchor contract: .*signed for another anchor contract/)

  const succeed = `log succeed archive --reason Restored-a-backup --former-contract`
  const refusals: [string, Record<string, string>, RegExp][] = [
    [`${succeed} ${former}`, { ANCHOR_CONTRACT: former }, /former contract is the configured one/],
    [`${succeed} ${contract}`, { ANCHOR_CONTRACT: former }, /has anchors already/],
    [`${succeed} ${await chain.nextAnchorContract()}`, {}, /was not signed for the contract/],
  ]
  for (const [args, change, sentence] of refusals) {
    const { code, err } = await run(args, change)
    expect(err).toMatch(sentence)
    expect(code).toBe(1)
  }
  const { code, out, err } = await run(`${succeed} ${former}`)
  expect(err).toBe('')
  expect(out).toContain('Anchored entries that are lost: 3.')
  expect(code).toBe(0)
  const archived = readFileSync(join(cli.folder, 'archive'), 'utf8').trim().split('\n')
  expect(JSON.parse(archived[0] ?? '')).toMatchObject({ contract: former, firstSigner })
  expect(archived).toHaveLength(1 + 1 + BEFORE)

  const server = await startTestServer({ database, chain }, overrides)
  try {
    await expectAccountsAndPaidTime(server)
    await issue(server, 1)
    await checkLog(server.ctx)
    const [, succession] = await listEntries(server.ctx.db, 0, 3)
    expect(decodeStatement(succession?.bytes ?? new Uint8Array())).toMatchObject({
      kind: 'succession',
      reason: 'Restored-a-backup',
      predecessor: { contract: former, firstSigner, size: 3, anchoredSize: 6, anchoredRoot: lost.root },
    })
  } finally {
    await server.close()
  }
})

test('log adopt: a verifier’s mirror completes the log', async () => {
  const databaseUrl = await restoreOld()
  const run = (args: string) => cli.run(args, { env: { ...env, DATABASE_URL: databaseUrl } })
  const refusals: [string, RegExp][] = [
    ['nothing', /ENOENT|no such file/],
    ['old', /is not a mirror/],
    ['foreign', /is of the log at 0x/],
    ['short', /has 5 entries, but 6 are anchored/],
    ['withheld', /no content of entry 5/],
    ['forged', /leaf hash of entry 5 is not that of its content/],
  ]
  for (const [mirror, sentence] of refusals) {
    const { code, err } = await run(`log adopt ${mirror}`)
    expect(code, mirror).toBe(1)
    expect(err).toMatch(sentence)
  }
  const { code, out } = await run('log adopt mirror')
  expect(out).toMatch(/Adopted entries 3 to 5\.\n.*6 entries/)
  expect(code).toBe(0)
  expect((await run('log adopt mirror')).err).toContain('all of them are here already')

  const server = await startTestServer({ database, chain }, { ...settings, databaseUrl })
  try {
    expect(await server.createClient().call('logHead')).toMatchObject(lost)
    await expectAccountsAndPaidTime(server)
    const admin = await server.signInAdmin()
    expect(await admin.call('listAlerts', {})).toHaveLength(BEFORE + AFTER)
    await issue(server, 1)
    await checkLog(server.ctx)
  } finally {
    await server.close()
  }
})
