import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { alertAnchorAbi } from '@tocsin/contracts/abi'
import { productionEnv, waitForReceipt } from '@tocsin/testkit'
import { useTestChain, useTestDatabase } from '@tocsin/testkit/hooks'
import { serve } from '@tocsin/testkit/serve'
import pg from 'pg'
import { createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CliTestBed, createCliTestBed } from '../../test/support/cli-test-bed.ts'
import { createPasswordHasher } from '../features/accounts/password.ts'
import { totpAad } from '../features/factors/verify-code.ts'
import { sealSecret } from '../sealed-secret.ts'

const database = useTestDatabase()
const chain = useTestChain()
let env: Record<string, string>
let cli: CliTestBed

beforeAll(async () => {
  env = productionEnv(await database.createDatabase(), chain)
  cli = createCliTestBed(env)
})
afterAll(async () => {
  cli?.remove()
})

async function query<Row extends object>(text: string, connectionString = env.DATABASE_URL): Promise<Row[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  const { rows } = await client.query<Row>(text)
  await client.end()
  return rows
}

describe('runCli: prints the usage when the command line is', () => {
  test.each([
    ['', 2, 'admin create'],
    ['nonsense', 2, 'Unknown command "nonsense"'],
    ['admin', 2, 'Unknown command "admin"'],
    ['admin create', 2, '--email is missing'],
    ['admin create --email', 2, "Option '--email"],
    ['admin create --email a@example.com --password secret', 2, "Unknown option '--password'"],
    ['admin create --email a@example.com extra', 2, 'Too many arguments'],
    ['protected set --kind signer --address 0x12', 2, '--address is not an address with a valid checksum'],
    ['backup', 2, 'Expected exactly one file'],
    ['restore a b', 2, 'Expected exactly one file'],
  ])('%j', async (args, code, expectedError) => {
    const answer = await cli.run(args)
    expect(answer.code).toBe(code)
    expect(answer.out + answer.err).toContain(expectedError)
  })

  test.each(['--help', 'help', 'admin create --help', 'restore -h'])('%s', async (args) => {
    const answer = await cli.run(args)
    expect(answer).toMatchObject({ code: 0, err: '' })
    expect(answer.out).toContain('npm run tocsin -- ')
    const installed = await cli.run(args, { program: 'tocsin' })
    expect(installed.out).toBe(answer.out.replaceAll('npm run tocsin --', 'tocsin'))
  })
})

describe('runCli: reports configuration problems for', () => {
  test.each(['config check', 'admin create --email a@example.com --generate', 'log check'])(
    'the command “%s”',
    async (args) => {
      const { PUBLIC_URL: _url, ...rest } = env
      const answer = await cli.run(args, { env: { ...rest, ANCHOR_KEY: '0x12', PORT: 'x' } })
      expect(answer.code).toBe(78)
      for (const name of ['PUBLIC_URL', 'ANCHOR_KEY', 'PORT']) expect(answer.err).toContain(name)
      expect(answer.err).toContain('3 problems')
    },
  )

  test('all unreachable services together', async () => {
    const node = 'http://127.0.0.1:9'
    const database = 'postgres://tocsin:hunter2@127.0.0.1:9/none'
    const brokenEnv = {
      ...env,
      DATABASE_URL: database,
      PAYMENT_RPC_URL: node,
      TWO_ADMINS: 'true',
      ANCHOR_CONTRACT: env.TREASURY_ADDRESS ?? '',
    }
    const { code, out } = await cli.run('config check', { env: brokenEnv })
    expect(code).toBe(1)
    expect(out.split('\n').filter((line) => line.startsWith('PROBLEM'))).toEqual([
      expect.stringContaining('database'),
      expect.stringContaining('payment node 1'),
      expect.stringContaining('token contract'),
      expect.stringContaining('anchor contract'),
      expect.stringContaining('mail server'),
    ])
    expect(out).toContain('5 of 7 checks failed')
    expect(out).toMatch(/^ok {7}approved treasury: not checked, because the database cannot be read$/m)
    expect(out).not.toMatch(/hunter2/)
  })

  test('the nodes and the token of a further payment chain', async () => {
    const chain = {
      chainId: 8453,
      rpcUrls: ['http://127.0.0.1:9'],
      token: env.TOKEN_ADDRESS,
      treasury: env.TREASURY_ADDRESS,
      confirmations: 5,
    }
    const { out } = await cli.run('config check', { env: { ...env, PAYMENT_CHAINS: JSON.stringify([chain]) } })
    expect(out).toMatch(/^ok {7}payment node 1 \(127/m)
    expect(out).toMatch(/^PROBLEM {2}payment node 1 of chain 8453 \(127\.0\.0\.1:9\)/m)
    expect(out).toMatch(/^PROBLEM {2}token contract of chain 8453/m)
  })

  test('a node that serves another chain', async () => {
    const { out } = await cli.run('config check', { env: { ...env, CHAIN_ID: '1' } })
    expect(out).toContain('it serves chain 31337, but chain 1 is configured')
  })
})

test('config check: describes the configuration without secrets', async () => {
  const { out } = await cli.run('config check')
  expect(out).toContain('Production installation')
  expect(out).toMatch(/^ok {7}database: PostgreSQL \d+/m)
  expect(out).toMatch(/^ok {7}token contract: ITO at 0x/m)
  expect(out).toMatch(/^ok {7}anchor contract: no anchor yet/m)
  for (const secret of [env.SIGNER_KEY, env.ANCHOR_KEY, env.APP_SECRET]) expect(out).not.toContain(secret)
})

test('config check: reports the address that gets the payments when two admins have not approved the configured one', async () => {
  const databaseUrl = await database.createDatabase()
  const approvedTreasury = chain.wallet(8).account.address
  const runCheck = async (treasury = env.TREASURY_ADDRESS ?? '', more = {}) => {
    const twoAdminsEnv = { ...env, DATABASE_URL: databaseUrl, TWO_ADMINS: 'true', TREASURY_ADDRESS: treasury, ...more }
    return (await cli.run('config check', { env: twoAdminsEnv })).out
  }
  expect(await runCheck()).toMatch(/^ok {7}approved treasury: the first start approves the configured one$/m)
  const approvedValues = { isOn: true, treasuries: { '31337': approvedTreasury }, signer: null }
  const insertText = `insert into settings (name, value, updated_at)
    values ('approved_values', '${JSON.stringify(approvedValues)}', now())`
  await query(insertText, databaseUrl)
  expect(await runCheck()).toMatch(
    new RegExp(`^PROBLEM {2}approved treasury: payments on chain 31337 go to ${approvedTreasury}, `, 'm'),
  )
  expect(await runCheck(approvedTreasury)).toMatch(/^ok {7}approved treasury: the configured one$/m)
  // The server ignores an entry of PAYMENT_CHAINS for the main chain.
  const terms = { token: env.TOKEN_ADDRESS, treasury: env.TREASURY_ADDRESS, confirmations: 5 }
  const mainChain = { chainId: 31337, rpcUrls: [env.PAYMENT_RPC_URL], ...terms }
  const ignoredEntry = { PAYMENT_CHAINS: JSON.stringify([mainChain]) }
  expect(await runCheck(approvedTreasury, ignoredEntry)).toMatch(/^ok {7}approved treasury: the configured one$/m)
})

describe('doctor', () => {
  test('reports settings of the database, names that do not resolve and services that fail, each with a remedy', async () => {
    const { code, out } = await cli.run('doctor', {
      env: { ...env, PUBLIC_URL: 'http://localhost:3000', FEED_URL: 'wss://feed.invalid', DATA_DIR: cli.folder },
    })
    expect(code).toBe(1)
    expect(out).toMatch(/^ok {7}clock: agrees with the database$/m)
    expect(out).toMatch(/^ok {7}staff: no sign-in method or other access is older than the promotion$/m)
    expect(out).toMatch(/^(ok {5}|warning) {2}Node\.js: \d+\.\d+\.\d+/m)
    expect(out).not.toContain('ADMIN_SECOND_FACTOR')
    expect(out).toMatch(/^(ok {5}|warning|PROBLEM) {2}disk: \d+% of the file system of .* is free$/m)
    expect(out).toMatch(/^ok {7}DNS of localhost: \S+/m)
    expect(out).toMatch(/^ok {7}anchor contract: no anchor yet$/m)
    for (const subject of ['DNS of feed.invalid', 'database settings: fsync is off', 'mail server']) {
      expect(out).toMatch(new RegExp(`^PROBLEM {2}${subject}.*\n {9}-> \\w`, 'm'))
    }
    for (const secret of [env.SIGNER_KEY, env.ANCHOR_KEY, env.APP_SECRET]) expect(out).not.toContain(secret)
  })

  test('warns when max_connections is too low for all instances that reported within the last minute', async () => {
    const client = new pg.Client({ connectionString: env.DATABASE_URL })
    await client.connect()
    try {
      const runDoctor = async () => (await cli.run('doctor', { env: { ...env, DATA_DIR: cli.folder } })).out
      const connectionsWarning = /database settings: max_connections is \d+\n.*at least 789: each of 41 instances/
      expect(await runDoctor()).not.toMatch(connectionsWarning)
      await client.query(
        `insert into instances (id, listening, seen_at) select gen_random_uuid(), 0, clock_timestamp() from generate_series(1, 40)`,
      )
      await client.query(
        `insert into instances (id, listening, seen_at) values (gen_random_uuid(), 0, clock_timestamp() - interval '2 minutes')`,
      )
      expect(await runDoctor()).toMatch(connectionsWarning)
      await client.query('delete from instances')
    } finally {
      await client.end()
    }
  })

  test('warns of stored secrets that can be decrypted neither with APP_SECRET nor with APP_SECRET_PREVIOUS', async () => {
    const formerSecret = 'f'.repeat(64)
    const id = '00000000-0000-4000-8000-000000000007'
    const seal = (aad: string) => sealSecret(formerSecret, aad, 'a secret')
    await query(`
      insert into accounts (id, email, name, created_at) values ('${id}', 'eve@example.com', 'Eve', now());
      insert into totp_factors (account_id, sealed_secret, session_id, created_at)
      values ('${id}', '${seal(totpAad(id))}', '${id}', now());
      insert into settings (name, value, updated_at) values
        ('web_push_key', '{"sealed":"${seal('web_push_key')}"}', now()),
        ('feed', '{"apiKey":"${seal('feed')}"}', now())`)
    const runDoctor = async (change: Record<string, string> = {}) =>
      (await cli.run('doctor', { env: { ...env, DATA_DIR: cli.folder, ...change } })).out
    const out = await runDoctor()
    for (const [name, remedy] of [
      ['API keys of the signal feed', 'admin area'],
      ['keys for web push', 'PUSH_PRIVATE_KEY'],
      ['authenticator apps', 'admin reset-factors'],
    ]) {
      const text = `stored secrets: 1 of 1 ${name} cannot be decrypted with APP_SECRET`
      expect(out).toMatch(new RegExp(`^warning {2}${text}\n {9}-> .*${remedy}`, 'm'))
    }
    const readable = /^ok {7}stored secrets: all can be decrypted$/m
    expect(await runDoctor({ APP_SECRET_PREVIOUS: formerSecret })).toMatch(readable)
    await query(`delete from settings; delete from accounts where id = '${id}'`)
    expect(await runDoctor()).toMatch(readable)
  })

  test('warns that staff need no second factor when ADMIN_SECOND_FACTOR is false', async () => {
    const { out } = await cli.run('doctor', { env: { ...env, ADMIN_SECOND_FACTOR: 'false', DATA_DIR: cli.folder } })
    expect(out).toMatch(
      /^warning {2}configuration: ADMIN_SECOND_FACTOR=false: a stolen password is enough .*\n {9}-> \w/m,
    )
  })

  test('reports a certificate that cannot be read and an unreachable database', async () => {
    const brokenEnv = {
      ...env,
      PUBLIC_URL: 'https://localhost:9',
      DATABASE_URL: 'postgres://tocsin:hunter2@127.0.0.1:9/x',
    }
    const { code, out } = await cli.run('doctor', { env: brokenEnv })
    expect(code).toBe(1)
    for (const subject of ['certificate', 'clock', 'database settings', 'database']) {
      expect(out).toMatch(new RegExp(`^PROBLEM {2}${subject}: .*ECONNREFUSED`, 'm'))
    }
    expect(out).not.toContain('hunter2')
  })
})

test('status: fails and prints the address that does not respond when no server runs', async () => {
  const { code, err } = await cli.run('status', { env: { ...env, HOST: '::1', PORT: '9' } })
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('http://[::1]:9 does not respond') })
})

test.each(['<!doctype html>', '{"ok":true}'])('status: fails when another program responds with %s', async (text) => {
  const url = await serve((_request, response) => response.end(text))
  const { code, err } = await cli.run(`status --url ${url}`)
  expect({ code, err }).toEqual({ code: 1, err: `${url} does not respond like a Tocsin server: check the address\n` })
})

test('status: needs no setting except METRICS_TOKEN when --url is given', async () => {
  const url = await serve(({ url: path, headers }, response) => {
    if (path === '/readyz') return response.end('{"status":"ready","reasons":{}}')
    response.end(headers.authorization === 'Bearer a-token' ? 'tocsin_streams_connected 7\n' : '')
  })
  const { code, out, err } = await cli.run(`status --url ${url}`, { env: { METRICS_TOKEN: 'a-token' } })
  expect({ code, out, err }).toEqual({ code: 0, out: `${url}: ready\n  live sockets: 7\n`, err: '' })
})

test('config check: reports a problem when the log is shorter than its newest anchor', async () => {
  await chain.nextAnchorContract()
  const ANCHOR_CONTRACT = await chain.nextAnchorContract()
  const wallet = createWalletClient({ account: privateKeyToAccount(chain.anchorKey), transport: http(chain.url) })
  const anchor = { address: ANCHOR_CONTRACT, abi: alertAnchorAbi, functionName: 'anchor', chain: null } as const
  const hash = await wallet.writeContract({ ...anchor, args: [3n, `0x${'ab'.repeat(32)}`] })
  await waitForReceipt(chain.client, hash)
  const { code, out } = await cli.run('config check', { env: { ...env, ANCHOR_CONTRACT } })
  expect(code).toBe(1)
  expect(out).toMatch(/^PROBLEM {2}anchor contract: its newest anchor covers 3 entries, but the log .* has 0:/m)
})

describe('anchor deploy', () => {
  test('fails when a contract is configured, the account has no coins, or the node serves another chain', async () => {
    const { ANCHOR_CONTRACT: contract, ...rest } = env
    expect(contract).toMatch(/^0x/)
    const strangerEnv = { ...rest, ANCHOR_KEY: `0x${'5e'.repeat(32)}` }
    for (const [givenEnv, expectedError] of [
      [env, /^ANCHOR_CONTRACT is set/],
      [{ ...rest, ANCHOR_CONTRACT_FILE: 'contract' }, /^ANCHOR_CONTRACT is set/],
      [strangerEnv, /^0x[0-9a-fA-F]{40} has no coins to pay fees with on chain 31337/],
      [{ ...rest, ANCHOR_CHAIN_ID: '43114' }, /^ANCHOR_RPC_URL serves chain 31337, but chain 43114 is configured/],
    ] as const) {
      const blocks = await chain.client.getBlockNumber()
      const { code, err } = await cli.run('anchor deploy', { env: givenEnv })
      expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(expectedError) })
      expect(await chain.client.getBlockNumber()).toBe(blocks)
    }
  })

  test('fails and names ANCHOR_RPC_URL when no setting is given', async () => {
    const { code, err } = await cli.run('anchor deploy', { env: {} })
    expect(code).toBe(78)
    expect(err).toContain('ANCHOR_RPC_URL is missing')
  })

  test('deploys a contract that accepts anchors of ANCHOR_KEY', async () => {
    const { ANCHOR_CONTRACT: _unset, ...rest } = env
    const { code, out } = await cli.run('anchor deploy', { env: rest })
    expect(code).toBe(0)
    const [, ANCHOR_CONTRACT = ''] = /^ANCHOR_CONTRACT=(0x[0-9a-fA-F]{40})$/m.exec(out) ?? []
    const checked = await cli.run('config check', { env: { ...env, ANCHOR_CONTRACT } })
    expect(checked.out).toMatch(/^ok {7}anchor contract: no anchor yet/m)
  })
})

describe('admin commands', () => {
  const listAdmins = () =>
    query<{ email: string; password_hash: string }>(
      `select email, password_hash from accounts where role = 'owner' order by email`,
    )

  test.each([
    ['admin create --email no-address --generate', [], 'valid email address'],
    ['admin create --email ann@example.com', ['elevenchars'], 'at least 12 characters'],
    ['admin create --email ann@example.com', ['administrator'], 'too common'],
    ['admin create --email ann@example.com', ['tern-ocelot-7', 'tern-ocelot-8'], 'The passwords do not match'],
    ['admin create --email ann@example.com --password-file missing', [], 'Cannot read'],
    ['admin create --email ann@example.com --role boss --generate', [], '--role is not one of owner, admin'],
    ['admin reset-password --email ann@example.com --generate', [], 'There is no admin'],
  ])('reject the command “%s” with the typed passwords %j', async (args, typed, said) => {
    expect(await cli.run(args, { typed })).toMatchObject({ code: 1, err: expect.stringContaining(said) })
    expect(await listAdmins()).toEqual([])
  })

  test('create admins with a typed password, a password from a file, or a generated one that is printed once', async () => {
    writeFileSync(join(cli.folder, 'password'), 'from-a-file-1\nsecond line\n')
    const typed = ['tern-ocelot-7', 'tern-ocelot-7']
    expect((await cli.run('admin create --email ann@example.com', { typed })).code).toBe(0)
    expect((await cli.run('admin create --email bob@example.com --password-file password')).code).toBe(0)
    const generated = await cli.run('admin create --email Cat@Example.com --name Cat --generate')
    const password = generated.out.match(/^Password: (\S{20})$/m)?.[1] ?? ''
    const rows = await listAdmins()
    expect(rows.map(({ email }) => email)).toEqual(['ann@example.com', 'bob@example.com', 'cat@example.com'])
    expect(rows[0]?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    for (const [index, expectedPassword] of ['tern-ocelot-7', 'from-a-file-1', password].entries())
      expect(await createPasswordHasher().verify(rows[index]?.password_hash ?? null, expectedPassword)).toBe(true)
  })

  test('promote an existing account, and keep its name, only with --existing', async () => {
    await query(`insert into accounts (email, name, created_at) values ('user@example.com', 'User', now())`)
    for (const email of ['ann@example.com', 'user@example.com']) {
      const refused = await cli.run(`admin create --email ${email} --generate`)
      expect(refused).toMatchObject({ code: 1, out: '' })
    }
    expect((await cli.run('admin create --email user@example.com --generate --existing')).code).toBe(0)
    expect((await listAdmins()).map(({ email }) => email)).toContain('user@example.com')
    const names = await query(
      `select name from accounts where email in ('ann@example.com', 'user@example.com') order by 1`,
    )
    expect(names).toEqual([{ name: 'Administrator' }, { name: 'User' }])
  })

  test('reset a password, end the sessions and notify the admin by email', async () => {
    await query(`insert into sessions (id_hash, account_id, remembered, user_agent, created_at, last_seen_at, expires_at)
      select 'h', id, true, '', now(), now(), now() + interval '1 day' from accounts where email = 'ann@example.com'`)
    const [adminBefore] = await listAdmins()
    expect((await cli.run('admin reset-password --email ANN@example.com', { typed: ['kestrel-basalt-4'] })).code).toBe(
      0,
    )
    const [adminAfter] = await listAdmins()
    expect(await createPasswordHasher().verify(adminAfter?.password_hash ?? null, 'kestrel-basalt-4')).toBe(true)
    expect(adminAfter?.password_hash).not.toBe(adminBefore?.password_hash)
    expect(await query('select 1 from sessions')).toEqual([])
    const mails = await query<{ data: object }>(`select data from pgboss.job where name = 'mail'`)
    expect(mails.map(({ data }) => data)).toMatchObject([
      { to: 'ann@example.com', subject: 'Your password was changed' },
    ])
  })

  test('remove the second factors of the last owner without a delay, and print an enrolment code', async () => {
    await query(`insert into totp_factors (account_id, sealed_secret, session_id, created_at, confirmed_at)
      select id, 'x', id, now(), now() from accounts where email = 'ann@example.com'`)
    expect((await cli.run('admin reset-factors --email unknown@example.com')).code).toBe(1)
    const { code, out } = await cli.run('admin reset-factors --email ANN@example.com')
    expect(code).toBe(0)
    expect(out).toMatch(/^Enrolment code, valid once until .*: [0-9a-z]{4}(-[0-9a-z]{4}){3}$/m)
    expect(await query('select 1 from totp_factors')).toEqual([])
    expect(await query('select 1 from enrolment_codes join accounts on id = account_id')).toHaveLength(4)
  })

  test('report and end the access that an account has from before its promotion', async () => {
    await query(`insert into private_feeds (account_id, secret_hash, created_at)
      select id, 'x', '2020-01-01' from accounts where email = 'user@example.com'`)
    const runDoctor = async () => (await cli.run('doctor', { env: { ...env, DATA_DIR: cli.folder } })).out
    const reportBefore = await runDoctor()
    expect(reportBefore).toMatch(
      /^warning {2}staff: user@example\.com \(owner\) has access .* \d{4}-\d\d-\d\d: private feed$/m,
    )
    const command = reportBefore.match(/npm run tocsin -- (admin reset-factors \S+ \S+ \S+) ends all/)?.[1] ?? ''
    expect((await cli.run(command)).out).toContain('API keys, private feed, mailed links and shared links have ended')
    expect(await runDoctor()).toMatch(/^ok {7}staff: no sign-in method or other access is older than the promotion$/m)
  })

  test('write created admins and password resets to the audit log, without email addresses', async () => {
    const entries = await query(
      `select actor_id, action, email, detail, request_id, audit_entries::text as whole
         from audit_entries join accounts on accounts.id::text = subject
         where action in ('admin_created', 'password_reset') order by audit_entries.id`,
    )
    const createExpectedEntry = (action: string, email: string, detail: object) => ({
      actor_id: null,
      action,
      email,
      detail,
      request_id: 'command line',
      whole: expect.not.stringContaining('@'),
    })
    expect(entries).toEqual([
      createExpectedEntry('admin_created', 'ann@example.com', { existing: false, role: 'owner' }),
      createExpectedEntry('admin_created', 'bob@example.com', { existing: false, role: 'owner' }),
      createExpectedEntry('admin_created', 'cat@example.com', { existing: false, role: 'owner' }),
      createExpectedEntry('admin_created', 'user@example.com', { existing: true, role: 'owner' }),
      createExpectedEntry('password_reset', 'ann@example.com', {}),
    ])
  })
})

describe('runCli: prints the reason of an error', () => {
  test('of a query, without its parameters', async () => {
    await query(`create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'refused by a test'; end $$;
      create trigger refused before insert on accounts for each row execute function refuse()`)
    for (const LOG_LEVEL of ['info', 'debug']) {
      const { code, err } = await cli.run('admin create --email dora@example.com --generate', {
        env: { ...env, LOG_LEVEL },
      })
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('refused by a test (query: insert into') })
      expect(err).not.toContain('dora@example.com')
    }
    await query('drop trigger refused on accounts; drop function refuse')
  })

  test('of a node, without its URL', async () => {
    const { ANCHOR_CONTRACT: _unset, ...rest } = env
    for (const LOG_LEVEL of ['info', 'debug']) {
      const { code, err } = await cli.run('anchor deploy', {
        env: { ...rest, LOG_LEVEL, ANCHOR_RPC_URL: 'http://127.0.0.1:9/key-of-the-node' },
      })
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('HTTP request failed.') })
      expect(err).not.toContain('key-of-the-node')
    }
  })
})

describe('verify: passes its arguments to tocsin-verify', () => {
  test.each([
    ['verify bundle.json', ['bundle.json']],
    ['verify alert.json --json', ['alert.json', '--json', '--url', 'https://alerts.example.com']],
    ['verify alert.json --url http://127.0.0.1:9', ['alert.json', '--url', 'http://127.0.0.1:9']],
    ['verify missing.json', ['missing.json']],
    ['verify', []],
  ])('%s', async (args, expectedArgs) => {
    writeFileSync(join(cli.folder, 'bundle.json'), '{"format":"tocsin-proof"}')
    writeFileSync(join(cli.folder, 'alert.json'), '{"id":"x"}')
    const { code, verified } = await cli.run(args)
    expect(code).toBe(3)
    expect(verified).toEqual([expectedArgs.map((word) => (word.endsWith('.json') ? join(cli.folder, word) : word))])
  })
})
