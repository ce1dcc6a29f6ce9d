import { once } from 'node:events'
import {
  type Role as AccountRole,
  type Endpoint,
  endpoints,
  formatSiwe,
  listPermissions,
  streamChallenge,
} from '@tocsin/protocol'
import { HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { type FakeClock, fakeClock, type TestClient } from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { eq } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { alertSignals, alerts } from '../src/db/schema/alerts.ts'
import { createAccount } from '../src/features/accounts/service.ts'
import {
  type AccessRow,
  alertMarkedWith,
  createAccessMatrix,
  expandRow,
  FRESH_MARKER,
  holders,
  OLD,
  type Role,
  roles,
  SCHEDULED_MARKER,
  staffRoles,
  UNSENT_MARKER,
} from './access-matrix.ts'
import { openSocket, type RawAnswer, type RawSocket, send } from './raw-client.ts'
import { servedRoutes } from './served-routes.ts'

/**
 * Makes every request as every role against the whole server and compares with the access matrix.
 */

const parts = useTestDatabaseAndChain()
/** A source of market data, which sends only the trades of a test. */
let source: WebSocketServer
let app: FastifyInstance
let clock: FakeClock
let server: TestServer
let clients: Record<Role, TestClient>
let ids: Record<Role, string>
let alertIds: Record<'old' | 'fresh' | 'unsent', string>
let alertIndexes: Record<'old' | 'fresh' | 'unsent', number>
const sockets = new Map<string, RawSocket>()
const wallets = { expired: 1, active: 2, other: 3 }
const getWallet = (role: keyof typeof wallets) => parts.chain.wallet(wallets[role]).account.address

beforeAll(async () => {
  clock = fakeClock(new Date())
  source = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await once(source, 'listening')
  const address = source.address()
  const marketData = { url: `ws://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, key: null }
  const payment = { ...parts.chain.settings.payment, maxAgeHours: 1_000 }
  server = await startTestServer(
    parts,
    { payment, marketData, metricsToken: 'metrics-token-of-the-test', http: { trustedProxies: 1 } },
    {
      clock,
      install: (installed) => {
        app = installed
      },
    },
  )
  const [old = ''] = await createAlerts([OLD])
  // Pass time, so that the old alert is broadcast before any account has a subscription.
  await passTime(1_000)
  const expired = await signUp('expired')
  await buyPlan('expired', expired)
  await passTime(26 * HOUR_MS)
  const [active, other, free] = [await signUp('active'), await signUp('other'), await signUp('free')]
  await buyPlan('active', active)
  await buyPlan('other', other)
  const owner = await server.signInAdmin()
  const [admin, publisher, support, auditor] = [
    await signUp('admin', 'admin'),
    await signUp('publisher', 'publisher'),
    await signUp('support', 'support'),
    await signUp('auditor', 'auditor'),
  ]
  const accounts = { free, expired, active, other, owner, admin, publisher, support, auditor }
  clients = { anonymous: server.createClient(), ...accounts }
  ids = Object.fromEntries(
    await Promise.all(
      roles.map(async (role) => [role, (await clients[role].call('currentUser')).user?.id ?? 'signed-out']),
    ),
  )
  await openSockets()
  const [fresh = '', unsent = ''] = await createAlerts([FRESH_MARKER, UNSENT_MARKER])
  const issueAt = new Date(clock.now().getTime() + 30 * 24 * HOUR_MS).toISOString()
  await owner.call('scheduleAlert', { body: { ...alertMarkedWith(SCHEDULED_MARKER), issueAt } })
  alertIds = { old, fresh, unsent }
  const findLogIndex = async (id: string) => {
    const [row] = await server.ctx.db.select().from(alerts).where(eq(alerts.id, id))
    return row?.logIndex ?? -1
  }
  alertIndexes = { old: await findLogIndex(old), fresh: await findLogIndex(fresh), unsent: await findLogIndex(unsent) }
})
afterAll(async () => {
  for (const socket of sockets.values()) socket.close()
  await server?.close()
  source?.close()
})

async function signUp(role: Role, accountRole: AccountRole = 'user'): Promise<TestClient> {
  const login = { email: `the-${role}@example.com`, password: `the long password of ${role}` }
  await createAccount(server.ctx, { ...login, name: role, role: accountRole, verified: true })
  const client = server.createClient()
  await client.call('login', { body: login })
  return client
}

async function buyPlan(role: keyof typeof wallets, client: TestClient): Promise<void> {
  await client.proveWallet(parts.chain.wallet(wallets[role]))
  const { transactionHash } = await parts.chain.pay({ from: wallets[role], amountWei: 10n ** 19n })
  await client.call('subscribe', { body: { planType: '6h', transactionHash } })
}

/** Advances the clock of the server and of the chain. */
async function passTime(ms: number): Promise<void> {
  clock.advance(ms)
  await parts.chain.control.increaseTime({ seconds: ms / 1000 })
  await parts.chain.mine()
}

async function createAlerts(markers: string[]) {
  const admin = await server.signInAdmin()
  const createdIds: string[] = []
  for (const marker of markers) {
    const body = { ...alertMarkedWith(marker), broadcast: marker !== UNSENT_MARKER }
    const { id } = (await admin.call('createAlert', { body })).alert
    // Store a message for the alert, as for an alert of the signal feed. Alerts of admins have
    // none.
    await server.ctx.db.insert(alertSignals).values({ alertId: id, message: marker })
    createdIds.push(id)
  }
  return createdIds
}

/**
 * Opens sockets with and without a session. Each socket with a session sends the wallet of the
 * active subscriber and then its own wallet, if it has one.
 */
async function openSockets(): Promise<void> {
  for (const role of ['free', 'expired', 'active', 'other'] as const) {
    const socket = await openSocket(server.url, { origin: server.url, cookie: clients[role].cookie() })
    sockets.set(role, socket)
    if (role !== 'active') socket.send({ type: 'authenticate', walletAddress: getWallet('active'), lastIndex: 0 })
    if (role !== 'free') socket.send({ type: 'authenticate', walletAddress: getWallet(role), lastIndex: 0 })
    const word = role === 'active' || role === 'other' ? '"live"' : 'authentication_failed'
    await eventually(() => expect(socket.frames.join()).toContain(word))
  }
  for (const role of ['expired', 'active', 'other'] as const) {
    const word = role === 'expired' ? 'authentication_failed' : '"live"'
    sockets.set(`program of ${role}`, await openProgram(role, word))
  }
  sockets.set('program without an account', await openSocket(server.url, {}))
}

/** Opens a socket without a session and authenticates with a signature of the role's wallet. */
async function openProgram(role: keyof typeof wallets, word: string): Promise<RawSocket> {
  const socket = await openSocket(server.url, {})
  await eventually(() => expect(socket.frames.join()).toContain('challenge'))
  const { type: _, ...challenge } = streamChallenge.parse(JSON.parse(socket.frames[0] ?? ''))
  const message = formatSiwe({ ...challenge, address: getWallet(role) })
  const signature = await parts.chain.wallet(wallets[role]).signMessage({ message })
  socket.send({ type: 'auth', walletAddress: getWallet(role), message, signature, lastIndex: 0 })
  await eventually(() => expect(socket.frames.join()).toContain(word))
  return socket
}

const createMatrix = () => createAccessMatrix({ ids, alertIds, alertIndexes, walletAddress: getWallet('active') })

function sendRow(row: AccessRow, role: Role, forwardedFor: string): Promise<RawAnswer> {
  const method = row.method ?? 'POST'
  const headers = {
    'x-forwarded-for': forwardedFor,
    cookie: clients[role].cookie(),
    origin: server.url,
    ...row.headers,
    ...(row.body ? { 'content-type': 'application/json' } : {}),
  }
  const path = typeof row.path === 'string' ? row.path : row.path(role)
  return send(server.url, { method, path, headers, ...(row.body ? { body: JSON.stringify(row.body(role)) } : {}) })
}

const findMarkers = (text: string) =>
  [OLD, FRESH_MARKER, UNSENT_MARKER, SCHEDULED_MARKER].filter((marker) => text.includes(marker))

test('access matrix: lists every route of the server', () => {
  const rows = Object.values(createMatrix())
  const getPath = ({ path }: AccessRow) => (typeof path === 'string' ? path : path('free'))
  const routes = servedRoutes(app)
  expect(routes.length).toBe(Object.keys(endpoints).length + 6)
  const uncoveredRoutes = routes.filter(({ path, method }) => {
    const pattern = new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}(\\?|$)`)
    return !rows.some((row) => (row.method ?? 'POST') === method && pattern.test(getPath(row)))
  })
  expect(uncoveredRoutes).toEqual([])
})

test('permissions: every endpoint of the admin area needs a permission, which only the expected roles have', () => {
  const inAdminArea = (Object.values(endpoints) as Endpoint[]).filter(
    ({ access, path }) => access === 'admin' || path.startsWith('/api/admin/'),
  )
  expect(inAdminArea.filter(({ access, permission }) => access !== 'admin' || permission === undefined)).toEqual([])
  const listedHolders = Object.keys(holders).map((name) => [
    name,
    staffRoles.filter((role) => listPermissions(role).some((heldPermission) => heldPermission === name)).join(' '),
  ])
  expect(Object.fromEntries(listedHolders)).toEqual(holders)
  expect(listPermissions('user')).toEqual([])
})

/**
 * Writes that are possible with a stolen session cookie. None of them changes treasury, chain,
 * roles, factors, keys or sign-in methods. All other writes need a recent authentication.
 */
const openToStolenCookie = [
  // Sign-in and confirmation, which check a secret themselves.
  'confirm confirmWallet confirmFactor confirmPasskey passkeyConfirmOptions useEnrolmentCode',
  // Proofs of a wallet, whose challenge needs a confirmation.
  'proveWallet createWalletUser',
  // Calls without the `recent` flag, because their handlers check the authentication themselves.
  'changePassword saveFeedConfig testFeed changeDestination createChallenge',
  // Ending sessions and cancelling the removal of factors, which protect the account.
  'endSession endOtherSessions cancelOwnFactorReset cancelUserFactorReset endUserSession endUserSessions',
  // Changes of the reader's own lists, views, names and messages.
  'changeName renamePasskey savePreferences createAlertView changeAlertView deleteAlertView markAllRead unmarkAllRead markAlertsRead',
  'renewPush changeAllDestinations setEscalation previewRules acknowledgeAlert deleteDestination confirmDestination testDestination redeliver',
  'revokePrivateFeed shareAlert endShares readChain',
  // Purchases, which transfer nothing that the account owns, because the wallet signs.
  'subscribe createOrder reportOrderTransaction cancelOrder quoteCoupon redeemCoupon',
  // Calls of staff, such as those that manage alerts or subscriptions. They require a role.
  'createAlert correctAlert retractAlert broadcastAlert extendSubscription cancelSubscription startReconciliation saveRate testTelegramBot',
  'endAnnouncement previewMessage cancelMessage answerLetter noteLetter changeLetter',
  'scheduleAlert changeScheduledAlert cancelScheduledAlert',
].join(' ')

test('stolen session cookie: every write that is not listed as harmless needs a recent authentication', () => {
  const writes = Object.entries<Endpoint>(endpoints).filter(
    ([, { access, method }]) => access !== 'public' && method !== 'GET',
  )
  const unguardedNames = writes.filter(([, { recent }]) => !recent).map(([name]) => name)
  expect(unguardedNames.sort()).toEqual(openToStolenCookie.split(' ').sort())
})

describe('access to other accounts', () => {
  const unknownIds = Array.from({ length: 10 }, (_, index) => `00000000-0000-4000-8000-00000000000${index}`)
  const listForeignIds = () => [
    ids.active,
    ids.owner,
    ids.support,
    ids.expired,
    ...unknownIds,
    'active',
    '1',
    "1'--",
    '%00',
    ids.active.toUpperCase(),
  ]
  const cases: [string, () => string[]][] = [
    ['/api/subscriptions/active', listForeignIds],
    ['/api/alerts/user', listForeignIds],
    [
      '/api/users',
      () => [
        getWallet('active'),
        getWallet('other').toLowerCase(),
        ...unknownIds.map((_, i) => `0x${`${i}`.repeat(40)}`),
      ],
    ],
  ]
  test.each(cases)('%s returns the same response for existing and unknown ids', async (path, listIds) => {
    const answers = []
    for (const id of listIds()) {
      const answer = await sendRow({ method: 'GET', path: `${path}/${id}`, status: [] }, 'free', '203.0.113.200')
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

test('sockets: subscribers receive broadcast alerts and others receive nothing', async () => {
  for (const role of ['active', 'other', 'program of active', 'program of other']) {
    const frames = sockets.get(role)?.frames ?? []
    await expect.poll(() => findMarkers(frames.join())).toContain(FRESH_MARKER)
    expect(findMarkers(frames.join())).not.toContain(UNSENT_MARKER)
  }
  for (const role of ['free', 'expired', 'program of expired', 'program without an account']) {
    const socket = sockets.get(role)
    expect(socket?.closeCode()).toBeNull()
    expect(socket?.frames.join()).not.toMatch(/zq\w+qz|new_alert|"authenticated"/)
  }
  await expect(openSocket(server.url, { origin: server.url })).rejects.toThrow('401')
})

test('live prices: reach subscribers and admins, and no other callers', async () => {
  const trade = { venue: 'zqliveqz', market: 'BTC/USDT', at: clock.now().getTime(), price: '5', amount: '1' }
  let number = 0
  const readPrices = async (role: Role) => {
    const { body } = await sendRow({ method: 'GET', path: '/api/market/prices', status: [] }, role, '203.0.113.251')
    return JSON.parse(body)?.prices ?? null
  }
  await eventually(() => expect(source.clients.size).toBe(1))
  const pricesBefore = await readPrices('free')
  await eventually(async () => {
    const tick = { type: 'tick', ...trade, number: ++number, at: trade.at + number, takerSide: 'buy' }
    for (const client of source.clients) client.send(JSON.stringify(tick))
    expect(await readPrices('active')).toMatchObject([{ venue: 'zqliveqz', price: '5' }])
    for (const role of ['active', 'other', 'program of active']) {
      expect(sockets.get(role)?.frames.join()).toContain('{"type":"prices"')
    }
  })
  for (const role of ['owner', 'admin', 'publisher', 'auditor'] as const) expect(await readPrices(role)).toHaveLength(1)
  for (const role of ['free', 'expired', 'support'] as const) expect(await readPrices(role)).toBeNull()
  expect(pricesBefore).toBeNull()
  for (const role of ['free', 'expired', 'program of expired', 'program without an account']) {
    expect(sockets.get(role)?.frames.join()).not.toMatch(/zqliveqz|prices/)
  }
})

test('alert lists: ignore conditional requests and send no ETag', async () => {
  const headers = { 'if-none-match': '*', 'if-modified-since': new Date(clock.now()).toUTCString() }
  for (const [name, row] of Object.entries(createMatrix())) {
    // Leave out the public feed. It has an ETag, but it contains only public data.
    if (row.method !== 'GET' || !row.finds || row.path === '/feeds/alerts.json') continue
    const { status, headers: responseHeaders } = await sendRow(
      { ...row, headers: { ...row.headers, ...headers } },
      'free',
      '203.0.113.252',
    )
    expect([name, status, responseHeaders.etag, responseHeaders['last-modified']]).toEqual([
      name,
      row.status[1],
      undefined,
      undefined,
    ])
  }
})

test('access matrix: every route gives every role the listed status and alerts', async () => {
  const rows = createMatrix()
  const bodies: string[] = []
  const actualRows: Record<string, Pick<AccessRow, 'status' | 'finds'>> = {}
  for (const [index, [name, row]] of Object.entries(rows).entries()) {
    const askAs = (role: Role) => sendRow(row, role, `203.0.113.${index}`)
    const answers: Awaited<ReturnType<typeof sendRow>>[] = []
    // Exports run one after the other, because only a few may run at the same time.
    if (name.startsWith('exportAlerts')) for (const role of roles) answers.push(await askAs(role))
    else answers.push(...(await Promise.all(roles.map(askAs))))
    bodies.push(...answers.map(({ whole }) => whole))
    const foundMarkers = roles.map((role, index) => [role, findMarkers(answers[index]?.whole ?? '')] as const)
    actualRows[name] = {
      status: answers.map(({ status }) => status),
      finds: Object.fromEntries(foundMarkers.filter(([, markers]) => markers.length > 0)),
    }
  }
  const { appSecret, signerKey, anchor, databaseUrl } = server.ctx.config
  for (const secret of [appSecret, signerKey, anchor.key, databaseUrl, '$argon2', 'idHash', 'passwordHash']) {
    expect(bodies.join()).not.toContain(secret)
  }
  const expectedRows = Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, expandRow(name, row)]))
  expect(actualRows).toEqual(expectedRows)
  for (const role of ['free', 'expired', 'program of expired', 'program without an account'])
    expect(findMarkers(sockets.get(role)?.frames.join() ?? '')).toEqual([])
})

/** True for admin routes: 401 without a session, 403 for accounts without a staff role. */
const isForAdmins = ({ status }: AccessRow) => status[0] === 401 && status[1] === 403 && status[5] !== 403
const adminCalls = Object.fromEntries(
  Object.entries<Endpoint>(endpoints).filter(([, { access }]) => access === 'admin'),
)
const adminEndpoints = Object.values(endpoints).filter(({ access }) => access === 'admin').length

test('suspended admin: is rejected by every admin route and can’t sign in', async () => {
  const login = { email: 'second@example.com', password: 'the long password of second' }
  await createAccount(server.ctx, { ...login, name: 'Second', role: 'admin', verified: true })
  const second = server.createClient()
  await second.call('login', { body: login })
  const id = (await second.call('currentUser')).user?.id ?? ''
  const root = await server.signInAdmin()
  await root.call('suspendUser', { params: { id }, body: { reason: 'Left the company' } })
  clients.other = second
  const adminRoutes = Object.values(createMatrix()).filter(isForAdmins)
  expect(adminRoutes).toHaveLength(adminEndpoints)
  for (const row of adminRoutes) expect((await sendRow(row, 'other', '203.0.113.251')).status).toBe(401)
  await expect(second.call('login', { body: login })).rejects.toMatchObject({ code: 'account_suspended', status: 403 })
})

test('owner: must reauthenticate after ten minutes for actions on treasury, chain, roles and accounts', async () => {
  const owner = await server.signInAdmin()
  clients.owner = owner
  const guardedRows = Object.entries(createMatrix()).filter(([name]) =>
    Object.entries<Endpoint>(endpoints).some(([endpointName, { recent }]) => endpointName === name && recent),
  )
  const rows = guardedRows.filter(([name]) => name in adminCalls)
  expect(rows.map(([name]) => name).sort()).toEqual(
    expect.arrayContaining(['changeChain', 'changeRole', 'resolveUnmatchedPayment', 'suspendUser', 'unsuspendUser']),
  )
  clock.advance(11 * MINUTE_MS)
  // Calls that act on the caller's own account are included: a stolen session cookie must not
  // change a sign-in method or a factor.
  expect(guardedRows.length).toBeGreaterThan(rows.length)
  for (const [name, row] of guardedRows) {
    const { status, body } = await sendRow(row, 'owner', '203.0.113.249')
    expect([name, status, JSON.parse(body).code]).toEqual([name, 403, 'reauthentication_required'])
  }
  const form = { externalEndpoint: 'wss://feed.example.com', reconnectInterval: 30, maxRetries: 5, isEnabled: false }
  const feed: AccessRow = {
    method: 'PUT',
    path: '/api/admin/websocket/config',
    body: () => ({ ...form, apiKey: 'another-key' }),
    status: [],
  }
  expect((await sendRow(feed, 'owner', '203.0.113.249')).status).toBe(403)
  await owner.call('confirm', { body: { password: server.firstAdmin.password } })
  for (const [name, row] of rows) {
    expect([name, (await sendRow(row, 'owner', '203.0.113.248')).status]).toEqual([name, row.status[5]])
  }
})

test('staff session: expires for every admin route after 30 minutes without a request', async () => {
  const owner = await server.signInAdmin()
  const adminRoutes = Object.values(createMatrix()).filter(isForAdmins)
  expect(adminRoutes).toHaveLength(adminEndpoints)
  clients.owner = owner
  await owner.call('adminStats')
  clock.advance(31 * MINUTE_MS)
  for (const row of adminRoutes) expect((await sendRow(row, 'owner', '203.0.113.250')).status).toBe(401)
})
