import { defaultPreferences, type EndpointName, endpoints, errorBody, exampleIds, examples } from '@tocsin/protocol'
import { fakeClock, type TestClient } from '@tocsin/testkit'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type RawAnswer, send } from './raw-client.ts'
import { readTables } from './table-snapshot.ts'

const parts = useTestDatabaseAndChain()
let server: TestServer
let admin: TestClient
let validBodies: Record<string, Record<string, unknown>>

beforeAll(async () => {
  server = await startTestServer(parts, { http: { trustedProxies: 1 } }, { clock: fakeClock(new Date()) })
  admin = await server.signInAdmin()
  await admin.proveWallet(parts.chain.wallet(1))
  const { alert } = await admin.call('createAlert', { body: alertBody })
  const ownBodies = createFullBodies(alert.id)
  validBodies = Object.fromEntries(writeNames.map((name) => [name, ownBodies[name] ?? { ...examples[name]?.body }]))
})
afterAll(() => server?.close())

const alertBody = {
  asset: 'BTC',
  summary: 'text',
  regime: 'text',
  anomalyType: 'text',
  confidence: 1,
  priority: 'low' as const,
  broadcast: false,
}

/** Returns valid bodies of the calls whose examples do not contain every field. */
function createFullBodies(alertId: string): Record<string, Record<string, unknown>> {
  const walletAddress = parts.chain.wallet(1).account.address
  const { email } = server.firstAdmin
  const rules = {
    ...{ assets: ['BTC'], types: [], regimes: [], watchlist: false, lowestPriority: 'low', lowestConfidence: 0 },
    ...{ coolDownMinutes: 0, mostPerHour: null },
  }
  return {
    register: { email, password: 'a very long password', confirmPassword: 'a very long password', name: 'New' },
    login: { email, password: 'wrong', rememberMe: true },
    logout: {},
    resendVerification: { email },
    forgotPassword: { email },
    resetPassword: {
      token: 'none',
      newPassword: 'a very long password',
      confirmPassword: 'a very long password',
      removeWallets: [walletAddress],
      removeFactors: ['totp'],
      factorCode: '123456',
      removeProviders: ['google'],
      removeDestinations: ['5f0c7c0e-6f4e-4f6e-9f59-0d3c5b1f2a11'],
    },
    walletSignInChallenge: { walletAddress, chainId: parts.chain.chainId },
    walletSignIn: { message: 'none', signature: '0x', rememberMe: true },
    createChallenge: { walletAddress, purpose: 'link' },
    proveWallet: { message: 'none', signature: '0x' },
    createWalletUser: { walletAddress },
    subscribe: { planType: '6h', transactionHash: `0x${'00'.repeat(32)}` },
    createOrder: { planType: '6h', walletAddress, couponCode: 'LAUNCH-2026' },
    cancelOrder: {},
    markAlertsRead: { ids: [alertId], verified: true },
    verifyAlert: { alertId, signature: `0x${'11'.repeat(65)}`, merklePath: [`0x${'22'.repeat(32)}`], avalancheTx: '' },
    createAlert: alertBody,
    correctAlert: alertBody,
    retractAlert: { reason: 'A reason', broadcast: true },
    broadcastAlert: {},
    extendSubscription: { additionalHours: 1, reason: 'A reason' },
    cancelSubscription: { reason: 'A reason' },
    suspendUser: { reason: 'A reason' },
    unsuspendUser: { reason: 'A reason' },
    endUserSessions: {},
    changeRole: { role: 'user', reason: 'A reason' },
    changeLetter: { state: 'open', assigneeId: exampleIds.account },
    createAnnouncement: { ...examples.createAnnouncement?.body, from: '2036-12-30T00:00:00.000Z' },
    resolveUnmatchedPayment: { action: 'ignore', accountId: 'none', planId: '6h', reason: 'A reason' },
    startReconciliation: {},
    changeChain: { value: '31337', description: 'text' },
    createDestination: { kind: 'ntfy', name: 'Bot', url: 'https://example.com/topic', token: 'tk_1' },
    renewPush: { previousEndpoint: 'x', subscription: { endpoint: 'https://example.com', p256dh: 'x', auth: 'x' } },
    changeDestination: {
      ...{ paused: true, name: 'Bot', rules, digest: { every: 'hour' }, events: ['outcome'] },
      quietHours: { days: [1], from: 0, to: 60, timeZone: 'UTC', criticalPasses: true },
    },
    changeAllDestinations: { paused: true },
    setEscalation: { ids: [] },
    previewRules: { rules, timeZone: 'UTC' },
    acknowledgeAlert: { logIndex: 1 },
    confirmDestination: { code: 'ABCDEFGH' },
    changeAlertView: { ...examples.createAlertView?.body },
    passkeySignIn: { ...examples.passkeySignIn?.body, rememberMe: true },
    createApiKey: { name: 'Bot', scopes: ['stream'], expiresInDays: 30, requestsPerMinute: 10 },
    redeliver: { index: 1, event: 'alert', andLater: true },
    savePreferences: { ...defaultPreferences },
    saveFeedConfig: {
      externalEndpoint: 'http://example.com',
      reconnectInterval: 5,
      maxRetries: 1,
      isEnabled: true,
    },
    testFeed: {
      externalEndpoint: 'http://example.com',
      reconnectInterval: 5,
      maxRetries: 1,
      isEnabled: true,
    },
  }
}

const pathParams: Record<string, string> = {
  id: '00000000-0000-0000-0000-000000000000',
  address: `0x${'0'.repeat(39)}1`,
  provider: 'google',
  index: '12',
}

let requestCount = 0
/**
 * Sends a request as the admin, each time from another address, so that rate limits do not apply.
 */
function post(name: EndpointName, body: string | Buffer, headers: Record<string, string> = {}): Promise<RawAnswer> {
  requestCount += 1
  const { method, path } = endpoints[name]
  return send(server.url, {
    method,
    path: path.replace(/:(\w+)/g, (_, param: string) => pathParams[param] ?? ''),
    headers: {
      origin: server.url,
      'content-type': 'application/json',
      'x-forwarded-for': `10.0.${requestCount >> 8}.${requestCount & 255}`,
      cookie: admin.cookie(),
      ...headers,
    },
    body,
  })
}

const LEAK_PATTERN =
  /\bat .+:\d+|node_modules|\.ts\b|\/work|\/app|select |insert |update |postgres|drizzle|zod|viem|undefined|Error:/i

/** Checks that the response is an API error without internal details. */
function expectRefusal(answer: RawAnswer, what: string): void {
  expect(answer.status, `${what}: ${answer.body}`).toBeGreaterThanOrEqual(400)
  expect(answer.status, `${what}: ${answer.body}`).toBeLessThan(500)
  const { message, code, issues = [] } = errorBody.parse(JSON.parse(answer.body))
  for (const text of [message, code, ...issues.map((issue) => issue.message)])
    expect(text, what).not.toMatch(LEAK_PATTERN)
}

interface RefusedFields {
  /** The fields that the schema rejected. */
  fields: Set<string | undefined>
  /** All messages of the schema as one text. */
  text: string
}

/**
 * Reads the rejected fields from a response. The schemas check each field on its own and report
 * every invalid field and unknown key, so one request tests many fields. Fields that its response
 * does not name are then tested one by one.
 */
function readRefusedFields({ body }: RawAnswer): RefusedFields {
  const { issues = [] } = errorBody.safeParse(JSON.parse(body)).data ?? {}
  return {
    fields: new Set(issues.map(({ path }) => path.split('.')[0])),
    text: issues.map(({ message }) => message).join(),
  }
}

// The cast is safe, because the keys of the table are the names of endpoints.
const names = Object.keys(endpoints) as EndpointName[]
const writeNames = names.filter((name) => endpoints[name].method !== 'GET')

/** Fields of older clients that are accepted and ignored, with any value. */
const ignoredFields = [
  'userId',
  'tokenAmount',
  'startTime',
  'endTime',
  'isActive',
  'signature',
  'merklePath',
  'avalancheTx',
]

test('malformed requests: the test covers every call and field', () => {
  const untriedFields = writeNames.flatMap((name) => {
    const { body } = endpoints[name]
    const fields = body instanceof z.ZodObject ? Object.keys(body.shape) : []
    const isUntried = (field: string) =>
      !ignoredFields.includes(field) && !Object.hasOwn(validBodies[name] ?? {}, field)
    return fields.filter(isUntried).map((field) => `${name}.${field}`)
  })
  // Fields that this test does not try. The fields of `createWalletUser` are ignored. All others
  // have tests of their own: pasted alerts, the fields of other kinds of destinations, the amount
  // of a coupon without a percentage, and two fields that may be null (the feed key and the end of
  // a mute).
  const walletUserFields = ['email', 'name', 'password'].map((field) => `createWalletUser.${field}`)
  const ofOtherKinds = ['address', 'subscription'].map((field) => `createDestination.${field}`)
  const muteFields = ['changeDestination.mutedUntil', 'changeAllDestinations.mutedUntil']
  expect(untriedFields).toEqual([
    ...walletUserFields,
    'verifyAlert.alert',
    ...ofOtherKinds,
    ...muteFields,
    'saveFeedConfig.apiKey',
    'createCoupon.amountWei',
  ])
})

/** All calls share one parser, so one call covers it. The call accepts an empty object. */
test.each<[string, string | Buffer, Record<string, string>?]>([
  ['half a document', '{"a":'],
  ['a NUL', '\0'],
  ['invalid UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
  ['100,000 nested arrays', '['.repeat(100_000) + ']'.repeat(100_000)],
  ['nested arrays up to the size limit', '['.repeat(50_000) + ']'.repeat(50_000)],
  ['invalid gzip', '{}', { 'content-encoding': 'gzip' }],
  ['an unknown encoding', '{}', { 'content-encoding': 'snappy' }],
])('malformed requests: the parser rejects %s', async (what, body, headers) => {
  expectRefusal(await post('startReconciliation', body, headers), what)
})

describe('requests that every call must reject', () => {
  let tablesBefore: Awaited<ReturnType<typeof readTables>>
  beforeAll(async () => {
    tablesBefore = await readTables(server.ctx.db)
  })

  test.each(writeNames)('malformed requests: %s rejects anything but a JSON object of its schema', async (name) => {
    const cases: [string, string][] = [
      ['an array', '[]'],
      ['a number', '1'],
      ['a string', '"x"'],
      ['true', 'true'],
      ['1 MB', JSON.stringify({ ...validBodies[name], more: 'x'.repeat(1_000_000) })],
      ['the prototype', '{"__proto__":{"isAdmin":true}}'],
      ['the prototype, escaped', '{"\\u005f\\u005fproto__":{"isAdmin":true}}'],
      [
        'the prototype in a field',
        JSON.stringify({ ...validBodies[name], x: 1 }).replace('"x":1', '"x":{"__proto__":{"polluted":1}}'),
      ],
      ['the constructor', '{"constructor":{"prototype":{"polluted":1}}}'],
    ]
    for (const [what, body] of cases) expectRefusal(await post(name, body), what)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect(({} as Record<string, unknown>).isAdmin).toBeUndefined()
  })

  test.each(writeNames)('malformed requests: %s rejects unknown keys, such as names of columns', async (name) => {
    const columns = [
      'isAdmin',
      'is_admin',
      'role',
      'id',
      'accountId',
      'emailVerified',
      'emailVerifiedAt',
      'email_verified_at',
      'passwordHash',
      'createdAt',
      'expiresAt',
      'broadcastAt',
      'logIndex',
      'signer',
      'origin',
      'startsAt',
      'endsAt',
      'amountWei',
      '$set',
      'constructor',
      'toString',
    ]
    // Leave out fields that the call knows. The call that changes a role has a field `role`.
    const unknownColumns = columns.filter((column) => !Object.hasOwn(validBodies[name] ?? {}, column))
    const values = [true, 'admin', { role: 'admin' }, ['admin']]
    const postColumns = async (columns: string[]) => {
      const addedFields = Object.fromEntries(columns.map((column, index) => [column, values[index % values.length]]))
      const answer = await post(name, JSON.stringify({ ...validBodies[name], ...addedFields }))
      expectRefusal(answer, columns.join())
      expect(answer.status).toBe(400)
      return readRefusedFields(answer)
    }
    const { text } = await postColumns(unknownColumns)
    await Promise.all(
      unknownColumns.filter((column) => !text.includes(`"${column}"`)).map((column) => postColumns([column])),
    )
  })

  test('malformed requests: change nothing in the database', async () => {
    expect(await readTables(server.ctx.db)).toEqual(tablesBefore)
  })
})

/** Fields that may be null: no quiet hours, no digest, no rate, no assignee. */
const nullableFields = ['quietHours', 'digest', 'rate', 'assigneeId']

const wrongValues: [string, unknown][] = [
  ['null', null],
  ['a number', 7],
  ['a huge number', 1e308],
  ['a negative number', -1],
  ['true', true],
  ['an array', ['x']],
  ['an object', { toString: 'x' }],
  ['nested', { a: { b: { c: [[[]]] } } }],
]
const wrongTexts: [string, string][] = [
  ['NUL', 'a\0b'],
  ['a lone high surrogate', 'a\ud800b'],
  ['a lone low surrogate', '\udc00'],
  ['lines and escapes', 'a\r\nb\u001b[31mc\u2028\u202ed'],
  ['60,000 characters', 'x'.repeat(60_000)],
  ['SQL', "'; drop table accounts; --"],
  ['a template', '{{7*7}}<script>alert(1)</script>'],
]

test.each(writeNames)(
  'malformed requests: %s rejects values of a wrong type in every field, and never returns a server error',
  async (name) => {
    const fields = Object.keys(validBodies[name] ?? {})
    if (fields.length === 0) return
    const valueFor = (field: string, value: unknown) =>
      Array.isArray(validBodies[name]?.[field]) && typeof value === 'string' ? [value] : value
    const refusedFields = await Promise.all(
      [...wrongValues, ...wrongTexts].map(async ([what, value]) => {
        const body = Object.fromEntries(fields.map((field) => [field, valueFor(field, value)]))
        const answer = await post(name, JSON.stringify({ ...validBodies[name], ...body }))
        expect(answer.status, `${what}: ${answer.body}`).toBeLessThan(500)
        if (answer.status >= 400) expectRefusal(answer, what)
        return answer.status >= 400 ? readRefusedFields(answer).fields : new Set()
      }),
    )
    for (const field of fields) {
      const isOfOldClients = (name === 'createAlert' || name === 'correctAlert') && ignoredFields.includes(field)
      // The check of a reset link responds with 200 to any invalid token.
      const isIgnored = isOfOldClients || name === 'checkResetLink'
      const isNumber = typeof validBodies[name]?.[field] === 'number'
      const isBoolean = typeof validBodies[name]?.[field] === 'boolean'
      const isList = Array.isArray(validBodies[name]?.[field])
      const checkValue = async ([what, value]: [string, unknown]) => {
        const answer = await post(name, JSON.stringify({ ...validBodies[name], [field]: valueFor(field, value) }))
        const label = `${field}: ${what}`
        expect(answer.status, `${label}: ${answer.body}`).toBeLessThan(500)
        if (answer.status >= 400) expectRefusal(answer, label)
        const isRightType =
          isIgnored ||
          typeof value === 'string' ||
          (value === null && nullableFields.includes(field)) ||
          (isNumber && typeof value === 'number') ||
          (isBoolean && typeof value === 'boolean') ||
          (isList && Array.isArray(value))
        if (!isRightType) expect(answer.status, label).toBe(400)
      }
      await Promise.all(
        [...wrongValues, ...wrongTexts].filter((_, index) => !refusedFields[index]?.has(field)).map(checkValue),
      )
    }
  },
)

test.each<[EndpointName, string]>([
  ['changeDestination', 'mutedUntil'],
  ['changeAllDestinations', 'mutedUntil'],
  ['createAnnouncement', 'from'],
  ['createAnnouncement', 'until'],
  ['scheduleAlert', 'issueAt'],
  ['changeScheduledAlert', 'issueAt'],
  ['createCoupon', 'expiresAt'],
])('malformed requests: %s rejects %s in a 13th month and in the year 0', async (name, field) => {
  for (const time of ['2027-13-01T00:00:00.000Z', '0000-01-01T00:00:00.000Z']) {
    const answer = await post(name, JSON.stringify({ ...validBodies[name], [field]: time }))
    expect(answer.status, `${time}: ${answer.body}`).toBe(400)
    expect([...readRefusedFields(answer).fields]).toEqual([field])
  }
})

test('alerts and accounts: texts with control characters or invalid Unicode are rejected', async () => {
  const tablesBefore = await readTables(server.ctx.db)
  for (const field of ['asset', 'summary', 'regime', 'anomalyType']) {
    for (const text of ['a\0b', '\ud800', 'a\udc00']) {
      expect((await post('createAlert', JSON.stringify({ ...alertBody, [field]: text }))).status).toBe(400)
    }
  }
  for (const text of ['a\0b', '\ud800', 'a\nb', 'a\u202eb']) {
    const registration = { email: 'plain@example.com', password: 'a very long password' }
    expect((await post('register', JSON.stringify({ ...registration, name: text }))).status).toBe(400)
    expect(
      (await post('register', JSON.stringify({ ...registration, name: 'a', email: `${text}@example.com` }))).status,
    ).toBe(400)
  }
  expect(await readTables(server.ctx.db)).toEqual(tablesBefore)
})

test('pasted alert: is refused or reported as invalid when a field has an extreme or malformed value', async () => {
  const [alert] = await admin.call('listAlerts')
  for (const [field, value] of Object.entries(alert ?? {})) {
    const wrongFieldValues =
      typeof value === 'number' || field === 'treeSize'
        ? [-1, 0, -0, 0.5, 1e21, 1e308, 5e-324, 2 ** 53, -(2 ** 63)]
        : ['', '\0', '\ud800', '0x', '0xzz', `0x${'ff'.repeat(2_000)}`, '__proto__']
    for (const value of wrongFieldValues) {
      const body = { ...validBodies.verifyAlert, alert: { ...alert, [field]: value } }
      const answer = await post('verifyAlert', JSON.stringify(body))
      expect(answer.status, `${field} ${value}: ${answer.body}`).toBeLessThan(500)
      if (answer.status === 200) expect(JSON.parse(answer.body).valid).toBe(false)
      else expectRefusal(answer, field)
    }
  }
})

test.each([
  ['nothing', '0x'],
  ['half a byte', '0x1'],
  ['zeros', `0x${'00'.repeat(65)}`],
  ['a signature of a contract that does not exist', `0x${'00'.repeat(96)}${'6492'.repeat(16)}`],
  ['long garbage', `0x${'ab'.repeat(2_000)}`],
])('wallet proof: is rejected when the signature is %s', async (_, signature) => {
  const walletAddress = parts.chain.wallet(2).account.address
  const { message } = await admin.call('createChallenge', { body: { walletAddress } })
  const answer = await post('proveWallet', JSON.stringify({ message, signature }))
  expectRefusal(answer, signature)
  expect(answer.status).toBe(422)
  expect((await admin.call('currentUser')).user?.provedWallets).not.toContain(walletAddress)
})

test('malformed requests: previewMessage rejects a segment whose chain id exceeds a signed 32-bit integer', async () => {
  const segment = { kind: 'by-chain', chainId: 2 ** 31 }
  const answer = await post('previewMessage', JSON.stringify({ ...validBodies.previewMessage, segment }))
  expectRefusal(answer, 'chainId')
  expect(answer.status).toBe(400)
})

describe('URLs and cookies', () => {
  test.each([
    '/api/alerts/recent?limit=1&limit=2',
    '/api/alerts/recent?limit[]=1',
    '/api/alerts/recent?limit=1e9',
    '/api/alerts/recent?limit=-1',
    '/api/alerts/recent?limit=NaN',
    '/api/alerts/recent?limit=',
    '/api/alerts/recent?__proto__=1',
    '/api/alerts/recent?constructor[prototype][x]=1',
    '/api/alerts/recent?limit=1%00',
    '/api/activity?limit=1&limit=1',
    '/api/activity?limit=99999999999999999999',
    '/api/auth/verify-email?token=a&page=1',
    '/api/auth/verify-email?token=a&role=admin',
    '/api/config?x=1',
    '/api/auth/google?returnTo=/settings&returnTo=//evil.example',
    '/api/auth/google?purpose=link&purpose=confirm',
    '/api/auth/linkedin?purpose=admin',
    '/api/auth/linkedin?returnTo[]=/settings',
    '/api/auth/sessions?id=1',
    '/api/admin/payments?chainId=2147483648',
    '/api/admin/export/payments?chainId=2147483648',
    '/api/account?id=00000000-0000-0000-0000-000000000000',
    '/api/account/export?accountId=1',
    '/api/users/0x',
    '/api/users/%00',
    '/api/users/..%2f..%2fadmin',
    '/api/subscriptions/active/%00',
    "/api/subscriptions/active/1'%20or%201=1",
    '/api/alerts/user/%ED%A0%80',
    '/api/alerts/user/%F0%9F%92%A9%00',
    '/api/log/candles/%00/BTCUSDT/2026-01-15',
    '/api/log/candles/binance/%00/2026-01-15',
    '/api/log/candles/binance/BTCUSDT/0000-01-01',
    '/api/log/candles/binance/BTCUSDT/9999-12-31',
    '/api/alerts/search?from=0000-01-01',
    '/api/alerts/search?to=0000-01-01T00:00:00.000Z',
    '/api/%',
    `/api/subscriptions/active/${'a'.repeat(5_000)}`,
  ])('the path %s is rejected', async (path) => {
    expectRefusal(await send(server.url, { path, headers: { cookie: admin.cookie() } }), path)
  })

  test('malformed cookies are treated as no session', async () => {
    for (const cookie of [
      'tocsin',
      'tocsin=',
      'tocsin=%00',
      'tocsin=%',
      `tocsin=${'a'.repeat(8_000)}`,
      'tocsin=a; tocsin=b',
      '__proto__=1; =; ;;',
    ]) {
      expect((await send(server.url, { path: '/api/status', headers: { cookie } })).status).toBe(401)
    }
  })
})

test('server: still works after all malformed requests', async () => {
  expect((await send(server.url, { path: '/readyz' })).status).toBe(200)
  expect((await admin.call('currentUser')).user?.isAdmin).toBe(true)
  // The server runs in this process, so this test would see a polluted prototype.
  for (const name of ['polluted', 'isAdmin', 'x']) expect(Reflect.get({}, name)).toBeUndefined()
})
