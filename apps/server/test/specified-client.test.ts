import { type EndpointName, endpoints, errorBody, examples } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { eventually } from '@tocsin/testkit/eventually'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAccount } from '../src/features/accounts/service.ts'
import { listOutbox } from '../src/mail/outbox.ts'
import { type SignalServer, startSignalServer } from '../src/signal-server.ts'
import { send } from './raw-client.ts'

/**
 * Tests a client that is written only from the product specification: its paths and payloads, a
 * JSON content type on every call, and cookies. It imports no schema of the project.
 */

const parts = useTestDatabaseAndChain()
let server: TestServer
let feed: SignalServer

beforeAll(async () => {
  server = await startTestServer(parts, { http: { trustedProxies: 1 } })
  feed = await startSignalServer({ apiKey: 'the-key-of-the-feed', onConnection: (socket) => socket.send('{}') })
})
afterAll(async () => {
  await server?.close()
  await feed?.close()
})

/** The form in which a client sends calls whose payload is "none" or "empty". */
type EmptyPayload = 'empty body' | 'empty object' | 'no content type'

interface Dialect {
  emptyPayload: EmptyPayload
  /** True if the client sends the two headers that browsers add to requests from a page. */
  isBrowser: boolean
}

// biome-ignore lint/suspicious/noExplicitAny: this client does not know the types of responses.
type Answer = { status: number; body: any }

/** Each client has its own network, so that rate limits do not affect the tests. */
let networkCount = 0
const createNetworkHeader = () => {
  networkCount += 1
  return { 'x-forwarded-for': `10.0.${networkCount >> 8}.${networkCount & 255}` }
}

function createSpecifiedClient({ emptyPayload, isBrowser }: Dialect) {
  const cookies = new Map<string, string>()
  const network = createNetworkHeader()
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const call = async (method: string, path: string, payload?: object): Promise<Answer> => {
    const hasContentType = payload !== undefined || emptyPayload !== 'no content type' || method === 'GET'
    const emptyText = emptyPayload === 'empty object' ? '{}' : undefined
    const text = payload === undefined ? emptyText : JSON.stringify(payload)
    const answer = await fetch(`${server.url}${path}`, {
      method,
      headers: {
        ...network,
        ...(hasContentType ? { 'content-type': 'application/json' } : {}),
        ...(isBrowser && method !== 'GET' ? { origin: server.url, 'sec-fetch-site': 'same-origin' } : {}),
        cookie: cookie(),
      },
      ...(method === 'GET' || text === undefined ? {} : { body: text }),
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const body = await answer.text()
    return { status: answer.status, body: body === '' ? null : JSON.parse(body) }
  }
  return {
    call,
    cookie,
    /** Like `call`, for calls that must succeed. Returns the body. */
    async ok(method: string, path: string, payload?: object) {
      const { status, body } = await call(method, path, payload)
      expect(status, `${method} ${path}: ${JSON.stringify(body)}`).toBeLessThan(300)
      return body
    },
  }
}

type SpecifiedClient = ReturnType<typeof createSpecifiedClient>

async function signUp(client: SpecifiedClient, email: string, password: string): Promise<void> {
  const registered = await client.ok('POST', '/api/auth/register', { email, password, name: 'Ada' })
  expect(registered.success).toBe(true)
  const token = await eventually(async () => {
    const mail = (await listOutbox(server.outboxDir)).find(({ to }) => to === email)
    return new URL(mail?.links[0] ?? '').searchParams.get('token')
  })
  const verified = await client.ok('GET', `/api/auth/verify-email?token=${token}`)
  expect(verified).toMatchObject({ success: true, expired: false })
  const login = await client.ok('POST', '/api/auth/login', { email, password, rememberMe: true })
  expect(login).toMatchObject({ success: true, user: { email, name: 'Ada', isAdmin: false } })
}

/**
 * Proves a wallet with the two calls of this product, because the specification does not define how
 * a wallet is proved.
 */
async function proveWallet(client: SpecifiedClient, index: number): Promise<string> {
  const wallet = parts.chain.wallet(index)
  const walletAddress = wallet.account.address
  const { message } = await client.ok('POST', '/api/wallets/challenge', { walletAddress })
  await client.ok('POST', '/api/wallets/prove', { message, signature: await wallet.signMessage({ message }) })
  return walletAddress
}

async function buyPlan(client: SpecifiedClient, index: number, userId: string): Promise<void> {
  const { transactionHash } = await parts.chain.pay({ from: index, amountWei: 10n ** 19n })
  const now = Date.now()
  await client.ok('POST', '/api/subscriptions', {
    userId,
    planType: '6h',
    tokenAmount: '10',
    startTime: new Date(now).toISOString(),
    endTime: new Date(now + 6 * HOUR_MS).toISOString(),
    transactionHash,
    isActive: true,
  })
  const active = await client.ok('GET', `/api/subscriptions/active/${userId}`)
  expect(active).toMatchObject({ planType: '6h', isActive: true, transactionHash })
}

const repeatByte = (byte: string) => `0x${byte.repeat(32)}`

const dialects: (Dialect & { name: string })[] = [
  { name: 'a program that sends empty bodies', emptyPayload: 'empty body', isBrowser: false },
  { name: 'a browser that sends empty objects', emptyPayload: 'empty object', isBrowser: true },
  { name: 'a browser that sends no content type without a payload', emptyPayload: 'no content type', isBrowser: true },
]

test.each(dialects.map((dialect, index) => ({ ...dialect, index: index + 1 })))(
  'client written only from the specification: all features work for $name',
  async ({ index, ...dialect }) => {
    const email = `ada-${index}@example.com`
    const user = createSpecifiedClient(dialect)
    await signUp(user, email, 'a bell that rings at noon')
    const session = await user.ok('GET', '/api/auth/user')
    expect(session).toMatchObject({ success: true, user: { isAdmin: false } })
    const walletAddress = await proveWallet(user, index)
    const record = {
      walletAddress,
      email: `${walletAddress}@wallet.local`,
      name: walletAddress.slice(0, 6),
      password: '',
    }
    const { id } = await user.ok('POST', '/api/users', record)
    expect(await user.ok('GET', `/api/users/${walletAddress}`)).toMatchObject({ id })
    await buyPlan(user, index, id)

    const admin = createSpecifiedClient(dialect)
    const login = await admin.ok('POST', '/api/auth/login', server.firstAdmin)
    expect(login.user.isAdmin).toBe(true)
    const { alert: createdAlert } = await admin.ok('POST', '/api/alerts', {
      asset: 'BTC',
      anomalyType: 'Volume spike',
      confidence: 87.5,
      regime: 'Trending',
      summary: `Seen by ${email}`,
      priority: 'high',
      signature: repeatByte('11'),
      merklePath: [repeatByte('22'), repeatByte('33'), repeatByte('44')],
      avalancheTx: repeatByte('55'),
    })
    await admin.ok('POST', `/api/alerts/${createdAlert.id}/broadcast`)
    expect((await admin.ok('GET', '/api/alerts')).map((alert: { id: string }) => alert.id)).toContain(createdAlert.id)

    const alert = await eventually(async () => {
      const [newestAlert] = await user.ok('GET', '/api/alerts/recent?limit=10')
      expect(newestAlert).toMatchObject({ id: createdAlert.id, avalancheTx: expect.stringMatching(/^0x/) })
      return newestAlert
    })
    expect(alert.signature).not.toBe(repeatByte('11'))
    expect((await user.ok('GET', `/api/alerts/user/${id}`))[0]).toMatchObject({
      alert: { id: alert.id },
      isRead: false,
    })
    const proof = { alertId: alert.id, signature: alert.signature, merklePath: alert.merklePath }
    const body = { ...proof, avalancheTx: alert.avalancheTx }
    expect(await user.ok('POST', '/api/alerts/verify', body)).toMatchObject({ valid: true })
    expect(await user.ok('POST', '/api/alerts/verify', { ...body, signature: repeatByte('11') })).toMatchObject({
      valid: false,
    })

    expect(await admin.ok('GET', '/api/admin/stats')).toMatchObject({ totalAlerts: index, criticalAlerts: 0 })
    const users = await admin.ok('GET', '/api/admin/users')
    expect(users.find((one: { id: string }) => one.id === id)).toMatchObject({ activeSubscription: { planType: '6h' } })
    await admin.ok('POST', `/api/admin/users/${id}/extend-subscription`, { additionalHours: 24 })
    await admin.ok('POST', `/api/admin/users/${id}/cancel-subscription`)
    expect(await user.ok('GET', `/api/subscriptions/active/${id}`)).toBeNull()

    await admin.ok('PUT', '/api/admin/settings/chain_id', { value: '11155111', description: 'Sepolia' })
    expect(await user.ok('GET', '/api/config/chain')).toMatchObject({ chainId: '11155111' })
    await admin.ok('PUT', '/api/admin/settings/chain_id', { value: '31337', description: 'Local' })
    const connection = {
      externalEndpoint: feed.url,
      apiKey: 'the-key-of-the-feed',
      reconnectInterval: 30,
      maxRetries: 5,
    }
    await admin.ok('PUT', '/api/admin/websocket/config', { ...connection, isEnabled: true })
    expect(await admin.ok('POST', '/api/admin/websocket/test')).toMatchObject({
      message: expect.stringMatching(/^Connected/),
    })

    await user.ok('POST', '/api/auth/logout')
    expect(await user.ok('GET', '/api/auth/user')).toMatchObject({ user: null })
    expect((await user.call('GET', `/api/users/${walletAddress}`)).status).toBe(401)
  },
)

describe('calls without a payload', () => {
  // The cast is safe, because the keys of the table are the names of endpoints.
  const names = (Object.keys(endpoints) as EndpointName[]).filter(
    (name) => endpoints[name].method !== 'GET' && endpoints[name].body.safeParse(undefined).success,
  )
  const variants: [string, { headers: Record<string, string>; body?: string }][] = [
    ['JSON header and empty body', { headers: { 'content-type': 'application/json' }, body: '' }],
    [
      'JSON header with charset and empty body',
      { headers: { 'content-type': 'application/json; charset=utf-8' }, body: '' },
    ],
    ['JSON header, no length', { headers: { 'content-type': 'application/json' } }],
    ['empty object', { headers: { 'content-type': 'application/json' }, body: '{}' }],
    ['no header, no body', { headers: {} }],
    ['no header, empty body', { headers: {}, body: '' }],
  ]

  test.each(names)('%s accepts every form of an empty payload', async (name) => {
    const { method, path } = endpoints[name]
    const unknownId = '00000000-0000-0000-0000-000000000000'
    const params = { ...examples[name]?.params, id: unknownId }
    const filledPath = path.replace(/:(\w+)/g, (_, param: string) => String(Reflect.get(params, param) ?? unknownId))
    const email = `${name}@example.com`.toLowerCase()
    const password = 'a bell that rings at noon'
    await createAccount(server.ctx, { email, password, name, role: 'admin', verified: true })
    const client = createSpecifiedClient({ emptyPayload: 'empty body', isBrowser: true })
    let isSignedIn = false
    for (const [label, { headers, body }] of variants) {
      if (!isSignedIn) await client.ok('POST', '/api/auth/login', { email, password })
      const sentHeaders = { ...headers, ...createNetworkHeader(), origin: server.url, cookie: client.cookie() }
      const answer = await send(server.url, {
        method,
        path: filledPath,
        headers: sentHeaders,
        ...(body === undefined ? {} : { body }),
      })
      // A call that ends the session deletes its cookie. Then sign in again before the next call.
      isSignedIn = answer.headers['set-cookie'] === undefined
      const { code } = answer.status < 400 ? { code: 'none' } : errorBody.parse(JSON.parse(answer.body))
      // The site of this test has no Telegram bot.
      const isOfBot = name === 'testTelegramBot' && code === 'kind_not_offered'
      const expected = ['none', 'not_found', 'no_active_subscription', 'too_many_requests']
      expect(isOfBot || expected.includes(code), `${label}: ${answer.body}`).toBe(true)
    }
  })

  test('an empty body is malformed where a payload is required', async () => {
    const headers = { ...createNetworkHeader(), origin: server.url, 'content-type': 'application/json' }
    const answer = await send(server.url, { method: 'POST', path: '/api/auth/login', headers, body: '' })
    expect(answer.status).toBe(400)
    expect(errorBody.parse(JSON.parse(answer.body)).code).toBe('malformed')
  })
})

describe('optional and unknown request keys', () => {
  const credentials = { email: 'named@example.com', password: 'a bell that rings at noon' }
  const form = { ...credentials, name: 'Ada', confirmPassword: credentials.password }
  const resetBody = { token: 'x', newPassword: form.password, confirmPassword: form.password }
  const cases: [string, string, object, string | null][] = [
    ['confirmPassword at sign-up', '/api/auth/register', form, null],
    ['other confirmPassword at sign-up', '/api/auth/register', { ...form, confirmPassword: 'other' }, 'malformed'],
    ['an unknown key at sign-up', '/api/auth/register', { ...form, isAdmin: true }, 'malformed'],
    [
      'rememberMe',
      '/api/auth/login',
      { email: 'unknown@example.com', password: 'x', rememberMe: false },
      'invalid_credentials',
    ],
    ['an unknown key at login', '/api/auth/login', { ...credentials, role: 'admin' }, 'malformed'],
    ['confirmPassword at reset', '/api/auth/reset-password', resetBody, 'token_invalid'],
    [
      'other confirmPassword at reset',
      '/api/auth/reset-password',
      { ...resetBody, confirmPassword: 'other' },
      'malformed',
    ],
    ['an unknown key at reset', '/api/auth/reset-password', { ...resetBody, email: 'a@example.com' }, 'malformed'],
  ]
  test.each(cases)(
    '%s: passes validation only if the key is known and its value is valid, and is malformed otherwise',
    async (_name, path, payload, code) => {
      const client = createSpecifiedClient({ emptyPayload: 'empty body', isBrowser: false })
      const answer = await client.call('POST', path, payload)
      expect(answer.body.code ?? null, JSON.stringify(answer.body)).toBe(code)
    },
  )
})
