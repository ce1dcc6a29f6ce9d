import { Writable } from 'node:stream'
import { endpoints, errorBody } from '@tocsin/protocol'
import { fakeClock, type TestClient, testConfig } from '@tocsin/testkit'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { eq, sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operator, recordAudit } from '../src/audit-log.ts'
import type { Context } from '../src/context.ts'
import { accounts } from '../src/db/schema/accounts.ts'
import { privateFeeds } from '../src/db/schema/channels.ts'
import { securityOutbox } from '../src/db/schema/security.ts'
import { createAdmin } from '../src/features/accounts/first-admin.ts'
import { createAccount } from '../src/features/accounts/service.ts'
import { createLogger } from '../src/logger.ts'
import { createWriteRequest, type RawAnswer, send } from './raw-client.ts'

const user = { email: 'user@example.com', password: 'a password to be looked for' }

const parts = useTestDatabaseAndChain({ ownServer: true })
let server: TestServer
let admin: TestClient
const logged: string[] = []

beforeAll(async () => {
  const stream = new Writable({
    write(chunk, _encoding, done) {
      logged.push(String(chunk))
      done()
    },
  })
  const logger = createLogger(testConfig({ logLevel: 'trace' }), stream)
  server = await startTestServer(
    parts,
    {},
    { clock: fakeClock(new Date()), logger, prepare: addFormerStaff, install: addStall },
  )
  admin = await server.signInAdmin()
  await createAccount(server.ctx, { ...user, name: 'User', role: 'user', verified: true })
})
afterAll(() => server?.close())

/** Adds a route that blocks the process for longer than a second. */
function addStall(app: FastifyInstance): void {
  app.get('/api/stall', async () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_600)
    return {}
  })
}

/**
 * Adds a member of staff with a private feed. An earlier version did not delete the feed when it
 * gave the role.
 */
async function addFormerStaff({ db }: Context): Promise<void> {
  const values = { name: 'Former', role: 'auditor' as const, createdAt: new Date('2020-01-01') }
  const [account] = await db.insert(accounts).values(values).returning()
  const subject = account?.id ?? ''
  await db.insert(privateFeeds).values({ accountId: subject, secretHash: 'x', createdAt: values.createdAt })
  const detail = { from: 'user', to: 'auditor' }
  await recordAudit(db, { ...operator, action: 'role_changed', subject, detail, at: new Date('2020-02-01') })
}

const postRequest = (name: 'register' | 'login' | 'forgotPassword' | 'createAlert', body: object, headers = {}) => {
  const request = createWriteRequest(server.url, endpoints[name].path, body, admin.cookie())
  return send(server.url, { ...request, headers: { ...request.headers, ...headers } })
}
const SECRETS = [user.password, 'a very long password', 'authorization-secret']

/** Runs `work` while the table is renamed, and returns the lines that were logged in this time. */
async function runWithoutTable(table: string, work: () => Promise<void>): Promise<string[]> {
  const [schema, name] = table.includes('.') ? table.split('.') : ['public', table]
  const logStart = logged.length
  await server.ctx.db.execute(sql.raw(`alter table ${schema}.${name} rename to ${name}_gone`))
  try {
    await work()
  } finally {
    await server.ctx.db.execute(sql.raw(`alter table ${schema}.${name}_gone rename to ${name}`))
  }
  return logged.slice(logStart)
}

const parseLines = (lines: string[]): Record<string, unknown>[] =>
  lines.map((line) => {
    expect(line.indexOf('\n')).toBe(line.length - 1)
    return JSON.parse(line)
  })

test('internal error: returns 500 with a request id and no details, and the log has the cause', async () => {
  let answer: RawAnswer | undefined
  const lines = await runWithoutTable('activities', async () => {
    answer = await send(server.url, { path: '/api/activity', headers: { cookie: admin.cookie() } })
  })
  expect(answer?.status).toBe(500)
  const requestId = answer?.headers['x-request-id']
  expect(JSON.parse(answer?.body ?? '')).toEqual({
    success: false,
    code: 'fault',
    message: 'Something went wrong on our side',
    requestId,
  })
  const faults = parseLines(lines).filter(
    ({ reqId, msg }) => reqId === requestId && msg === 'request failed with a server error',
  )
  expect(faults).toEqual([
    expect.objectContaining({
      level: 50,
      err: expect.objectContaining({
        cause: expect.objectContaining({ message: 'relation "activities" does not exist', code: '42P01' }),
      }),
    }),
  ])
})

test('internal error: is logged without passwords, cookies and emailed links', async () => {
  const headers = { authorization: 'Basic authorization-secret' }
  const cookie = admin.cookie()
  const postWithSecret = (name: Parameters<typeof postRequest>[0], body: object) => postRequest(name, body, headers)
  const account = { email: 'new@example.com', password: 'a very long password', name: 'New' }
  const lines = [
    ...(await runWithoutTable('pgboss.job', async () => {
      expect((await postWithSecret('forgotPassword', { email: user.email })).status).toBe(500)
    })),
    ...(await runWithoutTable('mail_tokens', async () => {
      expect((await postWithSecret('forgotPassword', { email: user.email })).status).toBe(500)
    })),
    ...(await runWithoutTable('pending_sign_ups', async () => {
      expect((await postWithSecret('register', account)).status).toBe(500)
    })),
    ...(await runWithoutTable('activities', async () => {
      expect((await postWithSecret('login', user)).status).toBe(500)
    })),
    ...(await runWithoutTable('accounts', async () => {
      expect((await postWithSecret('register', account)).status).toBe(500)
    })),
  ]
  const faults = parseLines(lines).filter(({ msg }) => msg === 'request failed with a server error')
  expect(faults.length).toBe(5)
  const text = lines.join('')
  for (const secret of [...SECRETS, ...cookie.split('; ').map((pair) => pair.slice(pair.indexOf('=') + 1))]) {
    expect(text).not.toContain(secret)
  }
  expect(text).not.toMatch(/token=|\$argon2|params/)
  expect(text).not.toContain(account.email)
})

test('log: writes one line per entry for any input', async () => {
  const logStart = logged.length
  const evilText = 'x\r\n{"level":60,"msg":"forged"}\u001b[2J'
  await runWithoutTable('credential_limits', async () => {
    const answer = await postRequest(
      'login',
      { email: evilText, password: evilText },
      { 'user-agent': evilText.split('\r')[0] },
    )
    expect(answer.status).toBe(500)
  })
  const lines = parseLines(logged.slice(logStart))
  expect(lines.filter(({ msg }) => msg === 'request failed with a server error')).toHaveLength(1)
  expect(lines.some(({ msg }) => msg === 'forged')).toBe(false)
  expect(logged.slice(logStart).join('')).not.toContain('\u001b')
})

test('security events: are logged with request id, method and path, without secrets', async () => {
  const logStart = logged.length
  const token = 'mailed-token-that-must-not-show'
  const answers = {
    invalid_credentials: await postRequest('login', {
      email: user.email,
      password: 'a wrong password to be looked for',
    }),
    foreign_origin: await postRequest('createAlert', {}, { origin: 'https://evil.example' }),
    not_signed_in: await send(server.url, { path: `/api/alerts?token=${token}` }),
    changed: await postRequest('login', user),
    not_found: await send(server.url, { path: `/no/page?token=${token}` }),
  }
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket', origin: 'https://evil.example', cookie: 'tocsin=x' }
  const refusedUpgrade = await send(server.url, { path: `/ws?token=${token}`, headers: upgrade })
  const events = parseLines(logged.slice(logStart)).filter(
    ({ msg, path }) => msg === 'security event' && path !== undefined,
  )
  const getId = ({ headers }: RawAnswer) => headers['x-request-id']
  expect(events).toEqual([
    expect.objectContaining({
      event: 'invalid_credentials',
      reqId: getId(answers.invalid_credentials),
      method: 'POST',
      path: '/api/auth/login',
    }),
    expect.objectContaining({ event: 'foreign_origin', reqId: getId(answers.foreign_origin), path: '/api/alerts' }),
    expect.objectContaining({
      event: 'not_signed_in',
      reqId: getId(answers.not_signed_in),
      method: 'GET',
      path: '/api/alerts',
    }),
    expect.objectContaining({ event: 'changed', reqId: getId(answers.changed), path: '/api/auth/login' }),
    expect.objectContaining({ event: 'foreign_origin', reqId: JSON.parse(refusedUpgrade.body).requestId, path: '/ws' }),
  ])
  const text = logged.slice(logStart).join('')
  for (const secret of [token, user.password, user.email, 'a wrong password']) expect(text).not.toContain(secret)
})

test('operator commands: their changes appear in the server log', async () => {
  // The start has recorded events of the operator too. Wait until they are logged.
  await expect.poll(() => server.ctx.db.$count(securityOutbox, eq(securityOutbox.target, 'line'))).toBe(0)
  const logStart = logged.length
  const secondAdmin = { email: 'second@example.com', name: 'Second', password: 'a password for a second admin' }
  await createAdmin(server.ctx, { ...secondAdmin, role: 'owner', takeOver: false })
  await server.ctx.db.transaction((tx) =>
    recordAudit(tx, { ...operator, action: 'role_changed', subject: 'x', at: new Date() }),
  )
  const listOperatorLines = () => parseLines(logged.slice(logStart)).filter(({ reqId }) => reqId === operator.requestId)
  await expect.poll(listOperatorLines).toMatchObject([
    { event: 'admin_created', category: 'admin', subjectId: expect.any(String) },
    { event: 'role_changed', category: 'admin', detail: 'x' },
  ])
  expect(logged.slice(logStart).join('')).not.toContain(secondAdmin.email)
})

test('log: records the start, the jobs that the instance leads, anchors, and access from before a staff promotion', async () => {
  const listLedJobs = () => parseLines(logged).flatMap(({ msg, job }) => (msg === 'this instance leads' ? [job] : []))
  await expect
    .poll(() => new Set(listLedJobs()))
    .toEqual(
      new Set([
        'payments',
        'feed',
        'wallets',
        'subscriberMails',
        'channels',
        'securityLog',
        'protectedChanges',
        'messages',
        'schedule',
        'anchoring',
      ]),
    )
  await expect.poll(() => logged.join('')).toContain('"msg":"anchored the log"')
  const lines = parseLines(logged)
  expect(lines.filter(({ msg }) => /from before the promotion/.test(String(msg)))).toMatchObject([
    { level: 40, role: 'auditor', ways: ['private feed'] },
  ])
  expect(lines.filter(({ msg }) => msg === 'started')).toMatchObject([{ level: 30, url: server.url }])
  const anchorLine = lines.find(({ msg }) => msg === 'anchored the log')
  expect(anchorLine).toMatchObject({ size: expect.any(Number), transaction: expect.stringMatching(/^0x/) })
})

test('log: names a request that stalls the event loop, and the jobs of the instance', async () => {
  expect((await send(server.url, { path: '/api/stall' })).status).toBe(200)
  await expect.poll(() => logged.join('')).toContain('"msg":"the event loop stalled"')
  const stall = parseLines(logged).find(
    ({ requests }) => Array.isArray(requests) && requests.includes('GET /api/stall'),
  )
  expect(stall).toMatchObject({ level: 40, jobs: expect.arrayContaining(['payments']) })
  expect(stall?.stalledMs).toBeGreaterThan(1_000)
})

test('database outage: requests get 503, the server keeps running, and the log is not flooded', async () => {
  const alertBody = { asset: 'BTC', summary: 'text', confidence: 1, priority: 'low' }
  await parts.database.stop()
  for (const path of ['/api/auth/user', '/api/alerts', '/api/status', '/api/log/head']) {
    const answer = await send(server.url, { path, headers: { cookie: admin.cookie() } })
    expect(answer.status, path).toBe(503)
    expect(errorBody.parse(JSON.parse(answer.body)).code).toBe('unavailable')
    expect(answer.body).not.toMatch(/postgres|connect|127\.0\.0\.1/i)
  }
  expect((await postRequest('login', server.firstAdmin)).status).toBe(503)
  expect((await postRequest('createAlert', alertBody)).status).toBe(503)
  // The result of a read that ended just before the outage is reused for a quarter of a second.
  await expect.poll(async () => (await send(server.url, { path: '/readyz' })).status).toBe(503)
  expect((await send(server.url, { path: '/healthz' })).status).toBe(200)

  const logStart = logged.length
  const floodPaths = Array.from({ length: 60 }, (_, index) => (index % 2 ? '/api/log/head' : '/api/status'))
  const headers = { cookie: admin.cookie() }
  for (const path of floodPaths) expect((await send(server.url, { path, headers })).status).toBe(503)
  const faults = parseLines(logged.slice(logStart)).filter(({ msg }) => msg === 'request failed with a server error')
  expect(faults.length, 'an outage is not logged per attempt').toBeLessThanOrEqual(20)
})
