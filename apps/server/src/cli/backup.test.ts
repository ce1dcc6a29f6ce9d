import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { bytesToHex } from '@tocsin/proof'
import { productionEnv } from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { useTestChain, useTestDatabase } from '@tocsin/testkit/hooks'
import { startTestServer } from '@tocsin/testkit/server'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type CliTestBed, createCliTestBed } from '../../test/support/cli-test-bed.ts'
import { readLatestAnchor } from '../features/tlog/anchor-contract.ts'
import { readBackup, splitLines } from './backup-file.ts'
import type { CliEnvironment } from './command.ts'
import { dumpDatabase, headerSchema, MAX_BATCH_CHARACTERS } from './dump.ts'
import { withInstallation } from './installation.ts'
import { loadDatabase } from './load.ts'
import { withScratchDatabase } from './scratch-database.ts'

const alert = {
  asset: 'ETH',
  anomalyType: 'Volume spike',
  confidence: 90,
  regime: 'trend',
  summary: 'Ω "quoted" \\ text\n2',
}

const database = useTestDatabase()
const chain = useTestChain()
let cli: CliTestBed
let env: Record<string, string>
let anchoredTree: { size: number; root: string }

beforeAll(async () => {
  const server = await startTestServer({ database, chain })
  env = productionEnv(server.ctx.config.databaseUrl, chain)
  cli = createCliTestBed(env)
  const admin = await server.signInAdmin()
  for (const priority of ['low', 'high', 'critical'] as const)
    await admin.call('createAlert', { body: { ...alert, priority, broadcast: true } })
  const { size } = await admin.call('logHead')
  await eventually(async () => expect((await readLatestAnchor(server.ctx)).size).toBe(size))
  const latest = await readLatestAnchor(server.ctx)
  anchoredTree = { size: latest.size, root: bytesToHex(latest.root) }
  await eventually(async () => expect((await admin.call('logHead')).anchored?.size).toBe(size))
  // The tests compare the restored tables with those before the backup. A running server would
  // change them in between, because it stores its position on the chain all the time.
  await server.close()
  writeFileSync(join(cli.folder, 'passphrase'), 'a horse in a bell tower\n')
  writeFileSync(join(cli.folder, 'wrong'), 'a donkey in a bell tower\n')
  writeFileSync(join(cli.folder, 'short'), 'short\n')
})
afterAll(async () => {
  cli?.remove()
})

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  return withClient(url, async (client) => (await client.query<Row>(text)).rows)
}

/** Returns the lines of an unencrypted backup. */
async function readLines(file: string): Promise<string[]> {
  const lines: string[] = []
  for await (const line of readBackup(join(cli.folder, file), null)) lines.push(line)
  return lines
}

async function* streamLines(lines: string[]) {
  yield* lines
}

const dropSchemas = async (url: string) => {
  await withClient(url, (client) =>
    client.query('drop schema public cascade; create schema public; drop schema drizzle cascade'),
  )
  return url
}
/** Creates a database without tables, as operators do before a restore. */
const createEmptyDatabase = async () => dropSchemas(await database.createDatabase())
const runOnDatabase = async (url: string, args: string) => cli.run(args, { env: { ...env, DATABASE_URL: url } })

const TABLES = [
  'accounts',
  'activities',
  'alerts',
  'anchors',
  'deliveries',
  'log_entries',
  'log_head',
  'log_nodes',
  'settings',
]
const readContent = (url: string) =>
  withClient(url, async (client) => {
    const tables: Record<string, unknown> = {}
    for (const name of TABLES) {
      const { rows } = await client.query(
        `select t::text as row from ${name} t where t::text not like '%.trouble%' order by 1`,
      )
      tables[name] = rows
    }
    return tables
  })

const runBackup = async (args: string) => {
  const content = await readContent(env.DATABASE_URL ?? '')
  expect((await cli.run(args)).code).toBe(0)
  return content
}

describe('backup and restore: fail without changes when', () => {
  test('the file exists or the passphrase is too short', async () => {
    writeFileSync(join(cli.folder, 'existing'), 'precious')
    expect(await cli.run('backup existing')).toMatchObject({ code: 1, err: expect.stringContaining('already exists') })
    expect(readFileSync(join(cli.folder, 'existing'), 'utf8')).toBe('precious')
    expect(await cli.run('backup new --passphrase-file short')).toMatchObject({ code: 1 })
  })

  test('the database is not empty', async () => {
    await runBackup('backup full')
    const contentBefore = await readContent(env.DATABASE_URL ?? '')
    expect(await cli.run('restore full')).toMatchObject({ code: 1, err: expect.stringContaining('is not empty') })
    expect(await readContent(env.DATABASE_URL ?? '')).toEqual(contentBefore)
  })

  test('the file is missing, not a backup, truncated, damaged, or the passphrase is missing or wrong', async () => {
    await runBackup('backup whole')
    await runBackup('backup sealed --passphrase-file passphrase')
    const copyBackup = (name: string, from: string) => {
      writeFileSync(join(cli.folder, name), readFileSync(join(cli.folder, from)))
      return join(cli.folder, name)
    }
    for (const from of ['whole', 'sealed'])
      truncateSync(copyBackup(`cut-${from}`, from), statSync(join(cli.folder, from)).size - 40)
    const flippedBytes = readFileSync(copyBackup('flipped', 'sealed'))
    flippedBytes.writeUInt8(flippedBytes.readUInt8(flippedBytes.length - 20) ^ 1, flippedBytes.length - 20)
    writeFileSync(join(cli.folder, 'flipped'), flippedBytes)
    writeFileSync(join(cli.folder, 'text'), 'no backup')
    const changedLines = [...(await readLines('whole')).slice(0, -1), '{"row":1}']
    writeFileSync(join(cli.folder, 'changed'), gzipSync(changedLines.join('\n')))
    const url = await createEmptyDatabase()
    for (const args of [
      'restore missing',
      'restore text',
      'restore changed',
      'restore cut-whole',
      'restore cut-sealed --passphrase-file passphrase',
      'restore flipped --passphrase-file passphrase',
      'restore sealed',
      'restore sealed --passphrase-file wrong',
    ]) {
      const answer = await runOnDatabase(url, args)
      expect(answer, args).toMatchObject({ code: 1, out: '' })
      expect(answer.err, args).toMatch(/Cannot read|not a Tocsin backup|damaged|truncated|encrypted|passphrase/)
      const { rows } = await withClient(url, (client) => client.query(`select to_regclass('accounts') as there`))
      const count = rows[0].there ? await withClient(url, (client) => client.query('select 1 from accounts')) : null
      expect(count?.rowCount ?? 0, args).toBe(0)
    }
    expect((await runOnDatabase(url, 'restore whole')).code).toBe(0)
  })
})

describe('a backup', () => {
  test.each(['backup plain', 'backup secret --passphrase-file passphrase'])(
    'made with “%s” restores the same rows and the anchored root',
    async (args) => {
      const contentBefore = await runBackup(args)
      const [, file = ''] = args.split(' ')
      expect(statSync(join(cli.folder, file)).mode & 0o777).toBe(0o600)
      const url = await createEmptyDatabase()
      const answer = await runOnDatabase(url, args.replace('backup', 'restore'))
      expect(answer).toMatchObject({ code: 0 })
      expect(answer.out).toContain(`${anchoredTree.size} entries, root ${anchoredTree.root}`)
      expect(await readContent(url)).toEqual(contentBefore)
      expect(await runOnDatabase(url, 'log check')).toMatchObject({
        code: 0,
        out: expect.stringContaining(anchoredTree.root),
      })
      const next = await withClient(url, (client) => client.query(`select nextval('deliveries_seq_seq')::int as next`))
      expect(next.rows[0].next).toBeGreaterThan(3)
    },
  )

  test('is restored when the anchor node is unreachable, and the commands report that the log was not compared with the chain', async () => {
    await runBackup('backup uncompared')
    const url = await createEmptyDatabase()
    const offlineEnv = { ...env, DATABASE_URL: url, ANCHOR_RPC_URL: 'http://127.0.0.1:9' }
    const uncomparedPattern = /The anchor node does not respond .*could not be compared with the chain\./
    const restored = await cli.run('restore uncompared', { env: offlineEnv })
    expect(restored).toMatchObject({ code: 0, err: expect.stringMatching(uncomparedPattern) })
    expect(restored.err).toContain('log check')
    expect(restored.out).toContain(`matches the anchors in the database: ${anchoredTree.size} entries`)
    for (const args of ['log check', 'log resume']) {
      const answer = await cli.run(args, { env: offlineEnv })
      expect(answer, args).toMatchObject({ code: 1, out: '', err: expect.stringMatching(uncomparedPattern) })
    }
    expect(await runOnDatabase(url, 'log check')).toMatchObject({ code: 0, err: '' })
  })

  test('contains no credentials that still work, and no plain text if it is encrypted', async () => {
    await runBackup('backup closed --passphrase-file passphrase')
    expect(readFileSync(join(cli.folder, 'closed'), 'latin1')).not.toContain('admin@example.com')
    const url = await createEmptyDatabase()
    await runOnDatabase(url, 'restore closed --passphrase-file passphrase')
    for (const table of ['sessions', 'mail_tokens', 'pending_sign_ups', 'credential_limits']) {
      expect((await withClient(url, (client) => client.query(`select 1 from ${table}`))).rowCount).toBe(0)
    }
  })

  test('that was made while a message was sent is restored with the message cancelled, so that no one gets it twice', async () => {
    const source = env.DATABASE_URL ?? ''
    await query(
      source,
      `with message as (
         insert into messages (via, kind, segment, subject, text, total, created_at)
         values ('mail', 'news', '{"kind":"all"}', 'New prices', 'They change.', 1, now()) returning id)
       insert into message_recipients (message_id, account_id, state)
       select message.id, accounts.id, 'waiting' from message, accounts`,
    )
    await runBackup('backup messaging')
    await query(source, 'delete from messages')
    const url = await createEmptyDatabase()
    const answer = await runOnDatabase(url, 'restore messaging')
    expect(answer).toMatchObject({ code: 0, out: expect.stringContaining('Cancelled the message “New prices”') })
    const cancelled = await query(
      url,
      `select is_cancelled, ended_at is not null as is_ended, request_id from messages
       join audit_entries on action = 'message_cancelled' and audit_entries.subject = messages.id::text`,
    )
    expect(cancelled).toEqual([{ is_cancelled: true, is_ended: true, request_id: 'command line' }])
  })

  test('keeps when accounts were last seen, although it contains no sessions', async () => {
    const source = env.DATABASE_URL ?? ''
    await query(source, `update sessions set last_seen_at = last_seen_at + interval '3 hours'`)
    await runBackup('backup seen')
    const url = await createEmptyDatabase()
    expect(await runOnDatabase(url, 'restore seen')).toMatchObject({ code: 0 })
    const figuresQuery = 'select f::text as row from account_figures f order by 1'
    expect(await query(url, figuresQuery)).toEqual(await query(source, figuresQuery))
  })

  test('contains no table that references a table outside of the backup', async () => {
    await runBackup('backup references')
    const { tables } = headerSchema.parse(JSON.parse((await readLines('references'))[0] ?? ''))
    const includedTables = new Set(tables.map(({ name }) => name))
    const references = await query<{ from: string; to: string }>(
      env.DATABASE_URL ?? '',
      `select conrelid::regclass::text as "from", confrelid::regclass::text as "to" from pg_constraint
       where contype = 'f' and connamespace = 'public'::regnamespace`,
    )
    expect(references.length).toBeGreaterThan(20)
    expect(references.filter(({ from, to }) => includedTables.has(from) && !includedTables.has(to))).toEqual([])
  })

  test('is restored when a passkey challenge was open, even if an older version included the challenge', async () => {
    const source = env.DATABASE_URL ?? ''
    const [challenge] = await query<{ row: string }>(
      source,
      `insert into passkey_challenges (challenge_hash, purpose, session_id, expires_at)
       select 'open', 'confirm', id, now() + interval '5 minutes' from sessions limit 1
       returning passkey_challenges::text as row`,
    )
    expect(challenge).toBeDefined()
    await runBackup('backup challenged')
    expect(await runOnDatabase(await createEmptyDatabase(), 'restore challenged')).toMatchObject({ code: 0 })

    const [head = '', ...rest] = await readLines('challenged')
    const header = headerSchema.parse(JSON.parse(head))
    const columns = await query<{ name: string }>(
      source,
      `select column_name as name from information_schema.columns
       where table_name = 'passkey_challenges' order by ordinal_position`,
    )
    const table = { name: 'passkey_challenges', columns: columns.map(({ name }) => name) }
    const { rows } = JSON.parse(rest.pop() ?? '')
    const olderLines = [
      JSON.stringify({ ...header, tables: [...header.tables, table] }),
      ...rest,
      JSON.stringify({ table: table.name }),
      JSON.stringify([challenge?.row]),
      JSON.stringify({ rows: rows + 1 }),
    ]
    const url = await createEmptyDatabase()
    await loadDatabase(url, streamLines(olderLines))
    expect(await query(url, 'select 1 from passkey_challenges')).toEqual([])
    expect(await query(url, 'select 1 from accounts')).not.toEqual([])
  })
})

test('log check: reports a changed entry, unproven times, and a log that is older than its anchors', async () => {
  await runBackup('backup good')
  const changedUrl = await createEmptyDatabase()
  await runOnDatabase(changedUrl, 'restore good')
  await withClient(changedUrl, (client) =>
    client.query(`update log_entries set bytes = bytes || '\\x20' where index = 2`),
  )
  expect(await runOnDatabase(changedUrl, 'log check')).toMatchObject({
    code: 1,
    err: expect.stringContaining('ntry 2'),
  })
  const lateUrl = await createEmptyDatabase()
  await runOnDatabase(lateUrl, 'restore good')
  expect((await runOnDatabase(lateUrl, 'log check')).out).toContain(
    'The anchors prove all times of alerts and outcomes.',
  )
  await withClient(lateUrl, (client) => client.query(`update anchors set block_at = block_at + interval '16 minutes'`))
  const checked = await runOnDatabase(lateUrl, 'log check')
  expect(checked.code).toBe(0)
  expect(checked.out).toMatch(/^Times of issue that the anchors do not prove: [1-9]/m)
  expect(checked.out).toMatch(/^ {2}entry \d+, stated \S+Z: (anchored only at|before an anchor) /m)
  expect(checked.out).toMatch(/^Times of key lists, heartbeats and successions that the anchors do not prove: [1-9]/m)
  const emptyLogUrl = await database.createDatabase()
  expect(await runOnDatabase(emptyLogUrl, 'log check')).toMatchObject({
    code: 1,
    err: expect.stringContaining('The log is damaged'),
  })
})

test('backup: a batch has at most 1,000,000 characters, or a single row when the row is larger', async () => {
  const url = await database.createDatabase()
  const largeText = 'x'.repeat(300_000)
  await withClient(url, async (client) => {
    await client.query(`create table large_rows (number int, text text)`)
    await client.query('insert into large_rows select n, $1 from generate_series(1, 7) n', [largeText])
    await client.query('insert into large_rows select n, $1 from generate_series(8, 9) n', [largeText.repeat(4)])
  })
  const batches: string[][] = []
  let table = ''
  for await (const text of dumpDatabase(url, new Date())) {
    const line = JSON.parse(text)
    if (Array.isArray(line) && table === 'large_rows') batches.push(line)
    else if (!Array.isArray(line)) table = line.table
  }
  expect(batches.flat().map((row) => Number.parseInt(row.slice(1), 10))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(batches.map(({ length }) => length)).toEqual([3, 3, 1, 1, 1])
  expect(batches[0]?.join('').length).toBeLessThanOrEqual(MAX_BATCH_CHARACTERS)
})

test('backup: splitLines searches each character only once when a line spans many chunks', async () => {
  const splitSpy = vi.spyOn(String.prototype, 'split')
  const lines: string[] = []
  try {
    async function* chunks() {
      yield Buffer.from('first\nsec')
      for (let count = 0; count < 1_000; count++) yield Buffer.from('0123456789')
      yield Buffer.from('ond\n\nthi')
      // A character whose bytes are in two chunks.
      yield Buffer.from('é').subarray(0, 1)
      yield Buffer.from('é').subarray(1)
    }
    for await (const line of splitLines(chunks())) lines.push(line)
    const searched = splitSpy.mock.contexts.reduce((sum: number, text) => sum + String(text).length, 0)
    expect(searched).toBeLessThan(11_000)
  } finally {
    splitSpy.mockRestore()
  }
  expect(lines).toEqual(['first', `sec${'0123456789'.repeat(1_000)}ond`, '', 'thié'])
})

const listScratchDatabases = () =>
  withClient(env.DATABASE_URL ?? '', async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select datname as name from pg_database where datname like 'tocsin_verify_%' order by 1`,
    )
    return rows.map(({ name }) => name)
  })

test('backup: --verify restores into a temporary scratch database, and fails when the log is damaged', async () => {
  const verified = await cli.run('backup verified --passphrase-file passphrase --verify')
  expect(verified).toMatchObject({
    code: 0,
    out: expect.stringMatching(/Verified: restored \d+ rows .* log of \d+ entries/),
  })
  const url = await createEmptyDatabase()
  await runOnDatabase(url, 'restore verified --passphrase-file passphrase')
  await withClient(url, async (client) => {
    await client.query('alter table log_entries disable trigger user')
    await client.query(`update log_entries set bytes = bytes || '\\x20' where index = 2`)
  })
  for (const _night of [1, 2]) {
    const damaged = await runOnDatabase(url, 'backup damaged --verify')
    expect(damaged).toMatchObject({ code: 1, err: expect.stringContaining('The log in the backup is damaged') })
    expect(damaged.err).toMatch(/It is kept as .*damaged\.unverified\./)
  }
  expect(readdirSync(cli.folder).filter((name) => name.startsWith('damaged'))).toEqual(['damaged.unverified'])
  expect(await listScratchDatabases()).toEqual([])
})

test('backup: --verify drops its scratch database when a signal interrupts the restore', async () => {
  await runBackup('backup interrupted')
  const exitSpy = vi.spyOn(process, 'exit').mockReturnValue(undefined as never)
  let markHalfway = () => {}
  const halfway = new Promise<void>((resolve) => {
    markHalfway = resolve
  })
  const quietCli: CliEnvironment = {
    env,
    folder: cli.folder,
    version: '0.0.0-test',
    program: 'tocsin',
    out() {},
    err() {},
    readSecret: async () => '',
    isInteractive: false,
    verifyAlert: async () => 0,
    demo: null,
  }
  /**
   * Yields the lines up to the first rows and then blocks, so that the command hangs in the
   * transaction that inserts the rows of the first table.
   */
  async function* takeHalf(lines: AsyncIterable<string>) {
    let isInTable = false
    for await (const line of lines) {
      yield line
      if (isInTable) break
      isInTable = line.startsWith('{"table"')
    }
    markHalfway()
    await new Promise(() => {})
  }
  try {
    const listenersBefore = process.listeners('SIGTERM')
    const restore = withInstallation(quietCli, (installation) =>
      withScratchDatabase(env.DATABASE_URL ?? '', installation, quietCli, (url) =>
        loadDatabase(url, takeHalf(readBackup(join(cli.folder, 'interrupted'), null))),
      ),
    )
    restore.catch(() => {})
    await halfway
    expect(await listScratchDatabases()).toHaveLength(1)
    for (const listener of process.listeners('SIGTERM')) if (!listenersBefore.includes(listener)) listener('SIGTERM')
    await eventually(async () => expect(exitSpy).toHaveBeenCalledWith(130))
    expect(await listScratchDatabases()).toEqual([])
  } finally {
    exitSpy.mockRestore()
  }
})

test('backup: doctor reports the scratch databases of killed runs, and --verify removes them, but not those in use', async () => {
  const url = env.DATABASE_URL ?? ''
  const inUse = new URL(url)
  inUse.pathname = '/tocsin_verify_in_use'
  await withClient(url, async (client) => {
    for (const name of ['killed', 'in_use']) await client.query(`create database tocsin_verify_${name}`)
  })
  await withClient(inUse.href, async () => {
    const report = (await cli.run('doctor')).out
    expect(report).toMatch(/^warning {2}scratch databases: interrupted backups left tocsin_verify_killed \(\d+ MB\)$/m)
    expect(report).toContain('DROP DATABASE tocsin_verify_killed;')
    const { code, out } = await cli.run('backup after-kill --verify')
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('tocsin_verify_killed of an interrupted') })
    expect(await listScratchDatabases()).toEqual(['tocsin_verify_in_use'])
  })
  await withClient(url, (client) => client.query('drop database tocsin_verify_in_use with (force)'))
  expect((await cli.run('doctor')).out).toMatch(/^ok {7}scratch databases: no interrupted backup left one$/m)
})
