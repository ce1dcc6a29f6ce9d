import { byApiKey, openAlertStream } from '@tocsin/client'
import { type ApiKeyScope, closeCodes, serverMessage } from '@tocsin/protocol'
import { DAY_MS, HOUR_MS } from '@tocsin/protocol/durations'
import { addSubscription, type FakeClock, fakeClock, startTestSession, type TestClient } from '@tocsin/testkit'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { apiKeys } from '../src/db/schema/api-keys.ts'
import { subscriptions } from '../src/db/schema/subscriptions.ts'
import { createAccount } from '../src/features/accounts/service.ts'
import { createApiKey, type NewKey, revokeApiKey } from '../src/features/api-keys/service.ts'
import { issueTestAlert } from './support/issue-test-alert.ts'

/** Tests API keys on the live socket, against the whole server. */

const parts = useTestDatabaseAndChain()
let clock: FakeClock
let server: TestServer
let admin: TestClient
let accountCount = 0

beforeAll(async () => {
  clock = fakeClock(new Date())
  server = await startTestServer(parts, { http: { trustedProxies: 1 } }, { clock })
  admin = await server.signInAdmin()
})
afterAll(() => server?.close())

async function addAccount(forMs: number | null = 100 * DAY_MS): Promise<string> {
  accountCount += 1
  const login = { email: `trader-${accountCount}@example.com`, password: 'the long password of a trader' }
  const accountId = await createAccount(server.ctx, { ...login, name: 'Trader', role: 'user', verified: true })
  if (forMs !== null) await addSubscription(server.ctx, accountId, forMs)
  return accountId
}

async function addKey(accountId: string, change: Partial<NewKey> = {}) {
  const keyFields = { name: 'Bot', scopes: ['stream'] as ApiKeyScope[], requestsPerMinute: 60, ...change }
  const { key, secret } = await createApiKey(
    server.ctx,
    await startTestSession(server.ctx, accountId),
    { actorId: accountId, requestId: 'test' },
    keyFields,
  )
  return { id: key.id, accountId, secret }
}

const revokeKey = async ({ id, accountId }: { id: string; accountId: string }) =>
  revokeApiKey(server.ctx, await startTestSession(server.ctx, accountId), { actorId: accountId, requestId: 'test' }, id)

interface StreamSocket {
  frames: string[]
  code(): number | null
  send(message: object): void
  close(): void
}

function openStream(path: string, headers: Record<string, string>): Promise<StreamSocket> {
  const socket = new WebSocket(`${server.url.replace(/^http/, 'ws')}${path}`, {
    headers: { 'x-forwarded-for': `198.18.0.${accountCount}`, ...headers },
  })
  const frames: string[] = []
  let code: number | null = null
  socket.on('message', (data) => void frames.push(data.toString()))
  socket.on('close', (closeCode) => {
    code = closeCode
  })
  const streamSocket = {
    frames,
    code: () => code,
    send: (message: object) => socket.send(JSON.stringify(message)),
    close: () => socket.close(),
  }
  return new Promise((resolve, reject) => {
    socket.on('open', () => resolve(streamSocket))
    socket.on('error', reject)
  })
}

const openWithKey = (secret: string, more = {}) => openStream('/ws', { authorization: `Bearer ${secret}`, ...more })
const expectFrame = (socket: StreamSocket, text: string) => expect.poll(() => socket.frames.join()).toContain(text)

async function listen(secret: string, cursor: object = {}): Promise<StreamSocket> {
  const socket = await openWithKey(secret)
  socket.send({ type: 'auth_key', ...cursor })
  await expectFrame(socket, '"live"')
  return socket
}

const issue = (summary: string) => issueTestAlert(server.ctx, summary)

test('API key of a stream: a handshake without a valid key with the scope “stream” is refused', async () => {
  const accountId = await addAccount()
  const [expiredKey, revokedKey, otherKey] = [
    await addKey(accountId, { expiresInDays: 1 }),
    await addKey(accountId),
    await addKey(accountId, { scopes: ['alerts', 'verify'] }),
  ]
  await revokeKey(revokedKey)
  await server.ctx.db.update(apiKeys).set({ expiresAt: clock.now() }).where(eq(apiKeys.id, expiredKey.id))
  for (const secret of ['', 'abc', otherKey.secret.slice(0, -1), expiredKey.secret, revokedKey.secret])
    await expect(openWithKey(secret)).rejects.toThrow('401')
  await expect(openWithKey(otherKey.secret)).rejects.toThrow('403')
  await expect(openWithKey('A'.repeat(10_000))).rejects.toThrow('401')
  await expect(openStream(`/ws?key=${otherKey.secret}`, {})).rejects.toThrow('401')
  await expect(openWithKey('abc', { cookie: admin.cookie(), origin: server.url })).rejects.toThrow('401')
})

test('API key of a stream: a first message without a valid key is refused with a reason and no alert', async () => {
  const accountId = await addAccount()
  const [otherKey, freeKey] = [await addKey(accountId, { scopes: ['alerts'] }), await addKey(await addAccount(null))]
  const cases = [
    [{ apiKey: 'abc' }, 'not an API key'],
    [{}, 'apiKey: Expected an API key'],
    [{ apiKey: 'x'.repeat(201) }, 'apiKey: '],
    [{ apiKey: `tocsin_${'A'.repeat(43)}` }, 'does not exist or was revoked'],
    [{ apiKey: otherKey.secret }, 'scope stream'],
    [{ apiKey: freeKey.secret }, 'No active subscription'],
  ] as const
  for (const [message, reason] of cases) {
    const socket = await openStream('/ws?auth=key', {})
    socket.send({ type: 'auth_key', lastIndex: 0, ...message })
    await expectFrame(socket, reason)
    expect(socket.frames.join()).not.toMatch(/new_alert|"authenticated"|tocsin_\w/)
    socket.close()
  }
  const page = await openStream('/ws', { origin: server.url, cookie: admin.cookie() })
  page.send({ type: 'auth_key', apiKey: freeKey.secret })
  await expectFrame(page, 'send authenticate')
  page.close()
})

test('API key of a stream: opens and resumes the stream from any origin, by header or first message', async () => {
  const { secret } = await addKey(await addAccount())
  const page = await openStream('/ws?auth=key', { origin: 'https://elsewhere.example', cookie: admin.cookie() })
  page.send({ type: 'auth_key', apiKey: secret, format: 'summary' })
  await expectFrame(page, '"live"')
  const bot = await listen(secret)
  const firstAlert = await issue('zqfirst')
  await expectFrame(bot, 'zqfirst')
  await expectFrame(page, 'market_alert')
  expect([...bot.frames, ...page.frames].join()).not.toContain('challenge')
  bot.close()
  await issue('zqsecond')
  const resumedBot = await listen(secret, { lastIndex: firstAlert.logIndex })
  // The late proof of the first alert may arrive too. It is an update.
  const newSummaries = resumedBot.frames.flatMap((frame) => {
    const message = serverMessage.parse(JSON.parse(frame))
    return message.type === 'new_alert' && message.isUpdate !== true ? [message.alert.summary] : []
  })
  expect(newSummaries).toEqual(['zqsecond'])
  for (const socket of [page, resumedBot]) socket.close()
  const received: string[] = []
  const stream = openAlertStream({
    url: `${server.url.replace(/^http/, 'ws')}/ws?auth=key`,
    authenticate: byApiKey(secret),
    from: { lastIndex: firstAlert.logIndex },
    onAlert: ({ summary }) => received.push(summary),
    WebSocket,
  })
  await expect.poll(() => stream.state).toBe('live')
  expect(received).toEqual(['zqsecond'])
  stream.close()
})

const streamEnds: [string, number, (key: { id: string; accountId: string }) => Promise<unknown>][] = [
  ['its key is revoked', closeCodes.sessionEnded, revokeKey],
  [
    'its account is suspended',
    closeCodes.sessionEnded,
    ({ accountId }) => admin.call('suspendUser', { params: { id: accountId }, body: { reason: 'Test' } }),
  ],
  [
    'the plan is cancelled',
    closeCodes.entitlementEnded,
    ({ accountId }) => admin.call('cancelSubscription', { params: { id: accountId }, body: { reason: 'Test' } }),
  ],
]
test.each(streamEnds)('API key of a stream: the stream closes when %s', async (name, code, endStream) => {
  const key = await addKey(await addAccount())
  const idleSocket = await openWithKey(key.secret)
  const socket = await listen(key.secret)
  await endStream(key)
  await expect.poll(() => socket.code(), { interval: 10 }).toBe(code)
  // Searches only for the alert of this test, because the proofs of earlier alerts may still
  // arrive.
  const text = `zqafterwards ${name}`
  await issue(text)
  expect(socket.frames.join()).not.toContain(text)
  // The socket `idleSocket` has presented its key but has not requested the stream yet, so the
  // server may not have closed it.
  if (idleSocket.code() === null) {
    idleSocket.send({ type: 'auth_key', lastIndex: 0 })
    await expectFrame(idleSocket, 'authentication_failed')
  }
  expect(idleSocket.frames.join()).not.toContain(text)
  idleSocket.close()
})

test('API key of a stream: the stream closes when the key expires, and sends no later alert', async () => {
  const accountId = await addAccount()
  const key = await addKey(accountId)
  await server.ctx.db
    .update(apiKeys)
    .set({ expiresAt: new Date(clock.now().getTime() + HOUR_MS) })
    .where(eq(apiKeys.id, key.id))
  const socket = await listen(key.secret)
  clock.advance(HOUR_MS)
  await issue('zqexpired')
  await expect.poll(() => socket.code()).toBe(closeCodes.sessionEnded)
  expect(socket.frames.join()).not.toContain('zqexpired')
})

test('API key of a stream: a sixth socket of the account closes the socket of a page, not of a program', async () => {
  const accountId = await addAccount()
  const keys = [await addKey(accountId), await addKey(accountId)]
  const client = server.createClient()
  const login = { email: `trader-${accountCount}@example.com`, password: 'the long password of a trader' }
  await client.call('login', { body: login })
  const sockets = [await listen(keys[0]?.secret ?? '')]
  const page = await openStream('/ws', { origin: server.url, cookie: client.cookie() })
  for (let count = 0; count < 4; count += 1) sockets.push(await listen(keys[count % 2]?.secret ?? ''))
  await expect.poll(() => page.code()).toBe(closeCodes.tooManySockets)
  for (const socket of sockets) {
    expect(socket.code()).toBeNull()
    socket.close()
  }
})

test('API key of a stream: a client beyond the limit of its key is asked to reconnect, not refused', async () => {
  const { secret } = await addKey(await addAccount(), { requestsPerMinute: 1 })
  const sockets = [await openStream('/ws?auth=key', {}), await openStream('/ws?auth=key', {})]
  sockets[0]?.send({ type: 'auth_key', apiKey: secret })
  await expectFrame(sockets[0] as StreamSocket, '"live"')
  sockets[1]?.send({ type: 'auth_key', apiKey: secret })
  await expect.poll(() => sockets[1]?.code()).toBe(closeCodes.restart)
  expect(sockets[1]?.frames.join()).not.toContain('authentication_failed')
  sockets[0]?.close()
})

test('API key of a stream: an admin’s key gets nothing without a plan', async () => {
  accountCount += 1
  const login = { email: `admin-${accountCount}@example.com`, password: 'the long password of an admin' }
  const accountId = await createAccount(server.ctx, { ...login, name: 'Admin', role: 'admin', verified: true })
  await server.ctx.db.delete(subscriptions).where(eq(subscriptions.accountId, accountId))
  const { secret } = await addKey(accountId)
  const socket = await openWithKey(secret)
  socket.send({ type: 'auth_key', lastIndex: 0 })
  await expectFrame(socket, 'No active subscription')
  socket.close()
})
