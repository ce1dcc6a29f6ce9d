import { type EndpointName, endpoints } from '@tocsin/protocol'
import { type FakeClock, fakeClock, startTestChain, startTestDatabase, type TestClient } from '@tocsin/testkit'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createAccount } from './features/accounts/service.ts'
import { openSocket, type RawAnswer, type RawSocket, send } from './raw-client.ts'

/** Who may ask what, and who finds what in the answers: the whole server, every route, every kind of caller. */

const HOUR_MS = 3_600_000
const roles = ['anonymous', 'free', 'expired', 'active', 'other', 'admin'] as const
type Role = (typeof roles)[number]

/** Strings that stand in every text field of three alerts: broadcast now, never broadcast, older than the public delay. */
const FRESH = 'zqfreshqz'
const UNSENT = 'zqunsentqz'
const OLD = 'zqoldqz'
const alertMarkedWith = (marker: string) => ({
  asset: `${marker}-asset`,
  summary: `${marker}-summary`,
  regime: `${marker}-regime`,
  anomalyType: `${marker}-type`,
  confidence: 90,
  priority: 'high' as const,
})

let parts: {
  database: Awaited<ReturnType<typeof startTestDatabase>>
  chain: Awaited<ReturnType<typeof startTestChain>>
}
let app: FastifyInstance
let clock: FakeClock
let server: TestServer
let clients: Record<Role, TestClient>
let ids: Record<Role, string>
let alertIds: { fresh: string; unsent: string }
const sockets = new Map<string, RawSocket>()
const wallets = { expired: 1, active: 2, other: 3 }
const walletOf = (role: keyof typeof wallets) => parts.chain.wallet(wallets[role]).account.address

beforeAll(async () => {
  const [database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
  parts = { database, chain }
  clock = fakeClock(new Date())
  const payment = { ...chain.settings.payment, maxAgeHours: 1_000 }
  server = await startTestServer(
    parts,
    { payment, metricsToken: 'for the test alone', http: { trustedProxies: 1 } },
    {
      clock,
      install: (installed) => {
        app = installed
      },
    },
  )
  await createAlerts([OLD])
  const expired = await signUp('expired')
  await buy('expired', expired)
  await passTime(26 * HOUR_MS)
  const [active, other, free] = [await signUp('active'), await signUp('other'), await signUp('free')]
  await buy('active', active)
  await buy('other', other)
  const admin = await server.signInAdmin()
  clients = { anonymous: server.createClient(), free, expired, active, other, admin }
  ids = Object.fromEntries(
    await Promise.all(
      roles.map(async (role) => [role, (await clients[role].call('currentUser')).user?.id ?? 'nobody']),
    ),
  )
  await openSockets()
  alertIds = await createAlerts([FRESH, UNSENT])
})
afterAll(async () => {
  for (const socket of sockets.values()) socket.close()
  await server?.close()
  await Promise.all([parts?.database.stop(), parts?.chain.stop()])
})

async function signUp(role: Role): Promise<TestClient> {
  const login = { email: `${role}@example.com`, password: `the long password of ${role}` }
  await createAccount(server.ctx, { ...login, name: role, role: 'user', verified: true })
  const client = server.createClient()
  await client.call('login', { body: login })
  return client
}

async function buy(role: keyof typeof wallets, client: TestClient): Promise<void> {
  await client.proveWallet(parts.chain.wallet(wallets[role]))
  const { transactionHash } = await parts.chain.pay({ from: wallets[role], amountWei: 10n ** 19n })
  await client.call('subscribe', { body: { planType: '6h', transactionHash } })
}

/** For the server and for the chain. */
async function passTime(ms: number): Promise<void> {
  clock.advance(ms)
  await parts.chain.control.increaseTime({ seconds: ms / 1000 })
  await parts.chain.mine()
}

async function createAlerts(markers: string[]) {
  const admin = await server.signInAdmin()
  const created: string[] = []
  for (const marker of markers) {
    const body = { ...alertMarkedWith(marker), broadcast: marker !== UNSENT }
    created.push((await admin.call('createAlert', { body })).alert.id)
  }
  const [fresh = '', unsent = ''] = created
  return { fresh, unsent }
}

/** Everybody asks for everything that one can ask for on a socket: the own wallet, and the subscriber's. */
async function openSockets(): Promise<void> {
  for (const role of ['free', 'expired', 'active', 'other'] as const) {
    const socket = await openSocket(server.url, { origin: server.url, cookie: clients[role].cookie() })
    sockets.set(role, socket)
    if (role !== 'active') socket.say({ type: 'authenticate', walletAddress: walletOf('active'), lastIndex: 0 })
    if (role !== 'free') socket.say({ type: 'authenticate', walletAddress: walletOf(role), lastIndex: 0 })
    const word = role === 'active' || role === 'other' ? '"live"' : 'authentication_failed'
    await vi.waitFor(() => expect(socket.frames.join()).toContain(word), 5_000)
  }
}

interface Row {
  method?: 'GET' | 'POST'
  path: string | ((role: Role) => string)
  body?: (role: Role) => object
  headers?: Record<string, string>
  /** One for each of `roles`. */
  status: number[]
  /** Which alerts are found in the answers; nobody else finds any. */
  finds?: Partial<Record<Role, string[]>>
}

const everyone = (status: number) => roles.map(() => status)
const accounts = (status: number) => [401, status, status, status, status, status]
const adminOnly = (status: number) => [401, 403, 403, 403, 403, status]
/** What the alert lists give to each. */
const tiers: NonNullable<Row['finds']> = {
  free: [OLD],
  expired: [OLD],
  active: [OLD, FRESH],
  other: [OLD, FRESH],
  admin: [OLD, FRESH],
}
const noHash = `0x${'00'.repeat(32)}`

function writtenMatrix(): Record<EndpointName, Row> & Record<string, Row> {
  const verify = (id: string) => ({
    path: '/api/alerts/verify',
    body: () => ({ alertId: id, signature: `0x${'11'.repeat(65)}`, merklePath: [], avalancheTx: '' }),
    status: everyone(200),
  })
  const email = (role: Role) => ({ email: `new-${role}@example.com` })
  return {
    register: {
      path: '/api/auth/register',
      body: (role) => ({ ...email(role), password: 'a very long password', name: 'New' }),
      status: everyone(200),
    },
    login: {
      path: '/api/auth/login',
      body: (role) => ({ ...email(role), password: 'wrong' }),
      status: everyone(401),
    },
    resendVerification: { path: '/api/auth/resend-verification', body: email, status: everyone(200) },
    forgotPassword: { path: '/api/auth/forgot-password', body: email, status: everyone(200) },
    resetPassword: {
      path: '/api/auth/reset-password',
      body: () => ({ token: 'none', newPassword: 'a very long password' }),
      status: everyone(422),
    },
    verifyEmail: { method: 'GET', path: '/api/auth/verify-email?token=none', status: everyone(200) },
    currentUser: { method: 'GET', path: '/api/auth/user', status: everyone(200) },
    createChallenge: {
      path: '/api/wallets/challenge',
      body: () => ({ walletAddress: walletOf('active') }),
      status: accounts(200),
    },
    proveWallet: {
      path: '/api/wallets/prove',
      body: () => ({ message: 'none', signature: '0x' }),
      status: accounts(422),
    },
    findWalletUser: {
      method: 'GET',
      path: `/api/users/${walletOf('active')}`,
      status: [401, 404, 404, 200, 404, 200],
    },
    createWalletUser: {
      path: '/api/users',
      body: () => ({ walletAddress: walletOf('active') }),
      status: [401, 403, 403, 200, 403, 403],
    },
    activeSubscription: {
      method: 'GET',
      path: `/api/subscriptions/active/${ids.active}`,
      status: [401, 404, 404, 200, 404, 200],
    },
    subscribe: {
      path: '/api/subscriptions',
      body: () => ({ planType: '6h', transactionHash: noHash }),
      status: [401, 403, 422, 409, 409, 403],
    },
    recentAlerts: { method: 'GET', path: '/api/alerts/recent?limit=100', status: accounts(200), finds: tiers },
    userAlerts: {
      method: 'GET',
      path: `/api/alerts/user/${ids.active}`,
      status: [401, 404, 404, 200, 404, 200],
      finds: { active: [OLD, FRESH], admin: [OLD, FRESH] },
    },
    'userAlerts of oneself': {
      method: 'GET',
      path: (role) => `/api/alerts/user/${ids[role]}`,
      status: accounts(200),
      finds: tiers,
    },
    markAlertsRead: {
      path: '/api/alerts/read',
      body: () => ({ ids: [alertIds.fresh, alertIds.unsent] }),
      status: accounts(200),
    },
    verifyAlert: verify(alertIds.fresh),
    'verifyAlert of what was not sent': verify(alertIds.unsent),
    listAlerts: {
      method: 'GET',
      path: '/api/alerts',
      status: adminOnly(200),
      finds: { admin: [OLD, FRESH, UNSENT] },
    },
    createAlert: {
      path: '/api/alerts',
      body: () => ({ ...alertMarkedWith('plain'), broadcast: false }),
      status: adminOnly(201),
    },
    broadcastAlert: {
      path: '/api/alerts/00000000-0000-0000-0000-000000000000/broadcast',
      body: () => ({}),
      status: adminOnly(404),
    },
    adminStats: { method: 'GET', path: '/api/admin/stats', status: adminOnly(200) },
    chainConfig: { method: 'GET', path: '/api/config/chain', status: everyone(200) },
    publicConfig: { method: 'GET', path: '/api/config', status: everyone(200) },
    systemStatus: { method: 'GET', path: '/api/status', status: accounts(200) },
    logHead: { method: 'GET', path: '/api/log/head', status: everyone(200) },
    listActivity: { method: 'GET', path: '/api/activity', status: accounts(200) },
    '/healthz': { method: 'GET', path: '/healthz', status: everyone(200) },
    '/readyz': { method: 'GET', path: '/readyz', status: everyone(200) },
    '/metrics': { method: 'GET', path: '/metrics', status: everyone(403) },
    '/metrics with the token': {
      method: 'GET',
      path: '/metrics',
      headers: { authorization: 'Bearer for the test alone' },
      status: everyone(200),
    },
    '/openapi.json': { method: 'GET', path: '/openapi.json', status: everyone(200) },
    '/ws without an upgrade': { method: 'GET', path: '/ws', status: everyone(404) },
    '/dev/outbox.json of the demo': { method: 'GET', path: '/dev/outbox.json', status: everyone(404) },
    '/dev/chain of the demo': { path: '/dev/chain', body: () => ({}), status: everyone(404) },
    'no such path': { method: 'GET', path: '/api/alerts/latest', status: everyone(404) },
    'a page': { method: 'GET', path: '/', headers: { accept: 'text/html' }, status: everyone(404) },
    // The last one: it ends the sessions.
    logout: { path: '/api/auth/logout', body: () => ({}), status: everyone(200) },
  }
}

function ask(row: Row, role: Role, forwardedFor: string): Promise<RawAnswer> {
  const method = row.method ?? 'POST'
  const headers = {
    'x-forwarded-for': forwardedFor,
    cookie: clients[role].cookie(),
    origin: server.url,
    ...row.headers,
    ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
  }
  const path = typeof row.path === 'string' ? row.path : row.path(role)
  return send(server.url, { method, path, headers, ...(row.body ? { body: JSON.stringify(row.body(role)) } : {}) })
}

const markersIn = (text: string) => [OLD, FRESH, UNSENT].filter((marker) => text.includes(marker))

/** Of the router's tree, which indents each part of a path by four more columns than what it goes on from. */
function servedRoutes(): { path: string; method: string }[] {
  const parents: string[] = []
  return app
    .printRoutes({ commonPrefix: false, includeMeta: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', part = '', methods = ''] = /^([ │├└]*)── (\S+)(?: \((.+)\))?/.exec(line) ?? []
      const depth = Math.floor(indent.length / 4)
      const path = `${parents[depth - 1] ?? ''}${part}`
      parents[depth] = path
      return methods.split(', ').flatMap((method) => (method === '' || method === 'HEAD' ? [] : [{ path, method }]))
    })
}

test('the written matrix has every route that the server has', () => {
  const rows = Object.values(writtenMatrix())
  const pathOf = ({ path }: Row) => (typeof path === 'string' ? path : path('free'))
  const routes = servedRoutes()
  expect(routes.length).toBe(Object.keys(endpoints).length + 4)
  const uncovered = routes.filter(({ path, method }) => {
    const pattern = new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}(\\?|$)`)
    return !rows.some((row) => (row.method ?? 'POST') === method && pattern.test(pathOf(row)))
  })
  expect(uncovered).toEqual([])
})

describe('one account never learns of another', () => {
  const unknownIds = Array.from({ length: 10 }, (_, index) => `00000000-0000-4000-8000-00000000000${index}`)
  const foreign = () => [
    ids.active,
    ids.admin,
    ids.expired,
    ...unknownIds,
    'active',
    '1',
    "1'--",
    '%00',
    ids.active.toUpperCase(),
  ]
  const cases: [string, () => string[]][] = [
    ['/api/subscriptions/active', foreign],
    ['/api/alerts/user', foreign],
    [
      '/api/users',
      () => [
        walletOf('active'),
        walletOf('other').toLowerCase(),
        ...unknownIds.map((_, i) => `0x${`${i}`.repeat(40)}`),
      ],
    ],
  ]
  test.each(cases)('%s answers known and unknown alike', async (path, list) => {
    const answers = []
    for (const id of list()) {
      const answer = await ask({ method: 'GET', path: `${path}/${id}`, status: [] }, 'free', '203.0.113.200')
      const {
        date,
        'x-request-id': requestId,
        'x-ratelimit-remaining': _,
        'x-ratelimit-reset': __,
        ...headers
      } = answer.headers
      answers.push(JSON.stringify({ status: answer.status, headers, body: answer.body.replace(String(requestId), '') }))
      expect(answer.status).toBe(404)
    }
    expect(new Set(answers).size).toBe(1)
  })
})

test('the sockets of those without a subscription hear nothing, subscribers hear what was sent', async () => {
  for (const role of ['active', 'other']) {
    const frames = sockets.get(role)?.frames ?? []
    await vi.waitFor(() => expect(markersIn(frames.join())).toContain(FRESH), 5_000)
    expect(markersIn(frames.join())).not.toContain(UNSENT)
  }
  for (const role of ['free', 'expired']) {
    const socket = sockets.get(role)
    expect(socket?.closeCode()).toBeNull()
    expect(socket?.frames.join()).not.toMatch(/zq\w+qz|new_alert|"authenticated"/)
  }
  await expect(openSocket(server.url, { origin: server.url })).rejects.toThrow('401')
})

test('every route gives every role what the matrix says', async () => {
  const matrix = writtenMatrix()
  const told: string[] = []
  const answered: Record<string, Pick<Row, 'status' | 'finds'>> = {}
  for (const [index, [name, row]] of Object.entries(matrix).entries()) {
    const answers = await Promise.all(roles.map((role) => ask(row, role, `203.0.113.${index}`)))
    told.push(...answers.map(({ whole }) => whole))
    const found = roles.map((role, at) => [role, markersIn(answers[at]?.whole ?? '')] as const)
    answered[name] = {
      status: answers.map(({ status }) => status),
      finds: Object.fromEntries(found.filter(([, markers]) => markers.length > 0)),
    }
  }
  const { appSecret, signerKey, anchor, databaseUrl } = server.ctx.config
  for (const secret of [appSecret, signerKey, anchor.key, databaseUrl, '$argon2', 'idHash', 'passwordHash']) {
    expect(told.join()).not.toContain(secret)
  }
  const written = Object.fromEntries(
    Object.entries(matrix).map(([name, { status, finds = {} }]) => [name, { status, finds }]),
  )
  expect(answered).toEqual(written)
  for (const role of ['free', 'expired']) expect(markersIn(sockets.get(role)?.frames.join() ?? '')).toEqual([])
})

test('an admin’s session ends after half an hour without a request, for every route of admins', async () => {
  const admin = await server.signInAdmin()
  const adminRoutes = Object.values(writtenMatrix()).filter(({ status }) => status[1] === 403 && status[5] !== 403)
  expect(adminRoutes).toHaveLength(4)
  clients.admin = admin
  await admin.call('adminStats')
  clock.advance(31 * 60_000)
  for (const row of adminRoutes) expect((await ask(row, 'admin', '203.0.113.250')).status).toBe(401)
})
