import { type endpoints, exampleIds } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { eq, sql } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { dumpDatabase } from '../src/cli/dump.ts'
import type { Context } from '../src/context.ts'
import type { Tx } from '../src/db/database.ts'
import { auditEntries } from '../src/db/schema/audit.ts'
import { destinations } from '../src/db/schema/channels.ts'
import { totpFactors } from '../src/db/schema/factors.ts'
import { settings } from '../src/db/schema/server.ts'
import { lockSetting, saveSetting } from '../src/db/setting.ts'
import { formatSecretsAad, sealSecrets } from '../src/features/channels/secrets.ts'
import { resealDestinations } from '../src/features/channels/service.ts'
import { resealTotpSecrets } from '../src/features/factors/service.ts'
import { totpAad } from '../src/features/factors/verify-code.ts'
import { findReport } from '../src/features/feed/feed-report.ts'
import { FEED_SETTING, findFeedSettings } from '../src/features/feed/feed-settings.ts'
import { resealFeedKey } from '../src/features/feed/reseal-key.ts'
import * as feed from '../src/features/feed/routes.ts'
import { runFeed } from '../src/features/feed/service.ts'
import { insertRefused } from '../src/features/feed/store.ts'
import * as chain from '../src/features/settings/routes.ts'
import type { Refusal } from '../src/refusal.ts'
import { openSecret, sealSecret } from '../src/sealed-secret.ts'
import { type SignalServer, startSignalServer } from '../src/signal-server.ts'
import { type AdminFixture, createAdminFixture, readRefusal } from './admin-fixture.ts'

/** Tests the global settings that admins change: the signal feed and the payment chain. */

const database = useTestDatabase()
let fixture: AdminFixture
let root: string

beforeEach(async () => {
  fixture = await createAdminFixture(database)
  root = await fixture.addAccount('Root', { role: 'admin' })
})
afterEach(() => fixture.box.close())

const form = { externalEndpoint: 'wss://feed.example.com/v1', reconnectInterval: 30, maxRetries: 5, isEnabled: true }
const saveFeedConfig = (body: object) =>
  feed.saveFeedConfig(
    fixture.box.ctx,
    fixture.ask<typeof endpoints.saveFeedConfig>(root, { body: { ...form, ...body } }),
  )
const findFeedConfig = () => feed.findFeedConfig(fixture.box.ctx, fixture.ask<typeof endpoints.findFeedConfig>(root))
const findKeyInUse = async () => {
  const found = await findFeedSettings(fixture.box.ctx)
  return found && 'apiKey' in found ? found.apiKey : found
}
const secret = 'sk-live-0123456789-3f9a'
const lockWaitersSql = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
const countLockWaiters = async () => (await fixture.box.ctx.db.execute(lockWaitersSql)).rowCount

describe('feed settings', () => {
  it('default to an enabled feed with a reconnect interval of 30 s and 5 retries until an admin saves settings', async () => {
    const defaultForm = { externalEndpoint: '', reconnectInterval: 30, maxRetries: 5, isEnabled: true }
    expect(await findFeedConfig()).toMatchObject(defaultForm)
    expect(await findFeedSettings(fixture.box.ctx), 'no feed without an endpoint').toBeNull()
  })

  it('return a message that states whether the feed reconnects or is disabled when they are saved', async () => {
    expect(await saveFeedConfig({})).toMatchObject({ message: 'The signal feed was saved and is reconnecting.' })
    expect(await saveFeedConfig({ isEnabled: false })).toMatchObject({
      message: 'The signal feed was saved and is disabled.',
    })
  })
})

describe('feed API key', () => {
  it('is stored encrypted, and its plain text is in no table, response or audit entry', async () => {
    await saveFeedConfig({ apiKey: secret })
    const stored = await fixture.box.ctx.db.select().from(settings)
    const auditRows = await fixture.box.ctx.db.select().from(auditEntries)
    expect(JSON.stringify([stored, await findFeedConfig(), auditRows])).not.toContain('0123456789')
    expect((await findFeedConfig()).apiKeyHint).toBe('…3f9a')
    expect(await findKeyInUse()).toBe(secret)
    expect(auditRows[0]).toMatchObject({ action: 'feed_saved', detail: { key: 'replaced' } })
  })

  it.each([
    ['absent', {}, secret],
    ['empty', { apiKey: '' }, secret],
    ['null', { apiKey: null }, null],
    ['another key', { apiKey: 'another-key-of-length' }, 'another-key-of-length'],
  ])('is kept, removed or replaced when its value in the request is %s', async (_name, change, expected) => {
    await saveFeedConfig({ apiKey: secret })
    await saveFeedConfig(change)
    expect(await findKeyInUse()).toBe(expected)
  })

  it('has a hint without any of its characters when the key is short', async () => {
    await saveFeedConfig({ apiKey: 'short' })
    expect((await findFeedConfig()).apiKeyHint).toBe('…')
  })

  it('needs a recent authentication to be replaced or sent to another endpoint', async () => {
    await saveFeedConfig({ apiKey: secret })
    const oldInput = fixture.ask<typeof endpoints.saveFeedConfig>(root)
    const saveLater = async (body: object, actorFields: object = {}) => {
      const actor = {
        ...oldInput.actor,
        authenticatedAt: new Date(fixture.clock.now().getTime() - 11 * MINUTE_MS),
        ...actorFields,
      }
      // The cast is safe, because only the actor and the body differ.
      const input = { ...oldInput, actor, body: { ...form, ...body } } as typeof oldInput
      return feed.saveFeedConfig(fixture.box.ctx, input)
    }
    for (const body of [
      { apiKey: 'another' },
      { externalEndpoint: 'wss://thief.example.com' },
      { externalEndpoint: 'ws://feed.example.com/v1' },
    ]) {
      expect((await readRefusal(saveLater(body))).code).toBe('reauthentication_required')
    }
    const withFactor = saveLater({ reconnectInterval: 50 }, { hasFactor: true })
    expect((await readRefusal(withFactor)).code, 'any change, if the account has a factor').toBe(
      'reauthentication_required',
    )
    expect(await findKeyInUse()).toBe(secret)
    await saveLater({ reconnectInterval: 60, externalEndpoint: 'wss://feed.example.com/v2' })
    expect((await findFeedConfig()).reconnectInterval).toBe(60)
  })

  it('needs a recent authentication to be sent to another endpoint even if another admin saves it during the request', async () => {
    const { ctx } = fixture.box
    const body = { ...form, externalEndpoint: 'wss://thief.example.com' }
    const input = fixture.ask<typeof endpoints.saveFeedConfig>(root, { body })
    if (input.actor) input.actor.authenticatedAt = new Date(0)
    let refusal: Promise<Refusal> | undefined
    await ctx.db.transaction(async (tx) => {
      await lockSetting(tx, FEED_SETTING)
      refusal = readRefusal(feed.saveFeedConfig(ctx, input))
      await expect.poll(countLockWaiters).toBe(1)
      const apiKey = sealSecret(ctx.config.appSecret, FEED_SETTING, secret)
      await saveSetting(tx, FEED_SETTING, { ...form, apiKey }, ctx.clock.now())
    })
    expect((await refusal)?.code).toBe('reauthentication_required')
    expect((await findFeedConfig()).externalEndpoint).toBe(form.externalEndpoint)
  })

  it('is reported when it can’t be decrypted, and can be entered again', async () => {
    await saveFeedConfig({ apiKey: secret })
    const { ctx } = fixture.box
    ctx.config.appSecret = 'x'.repeat(40)
    expect(await findFeedSettings(ctx)).toEqual({ problem: expect.stringContaining('APP_SECRET') })
    expect(await findFeedConfig()).toMatchObject({
      apiKeyHint: null,
      lastError: expect.stringContaining('Enter the key again'),
    })
    await saveFeedConfig({ apiKey: secret })
    expect(await findKeyInUse()).toBe(secret)
  })

  it('can’t be decrypted when ciphertexts of two rows are swapped', async () => {
    await saveFeedConfig({ apiKey: secret })
    const { ctx } = fixture.box
    await ctx.db.execute(`insert into settings (name, value, updated_at)
      select 'feed-copy', value, updated_at from settings where name = 'feed'`)
    const [copy] = await ctx.db.select().from(settings).where(eq(settings.name, 'feed-copy'))
    expect(() => openSecret(ctx.config, 'feed-copy', Object(copy?.value).apiKey)).toThrow()
    const foreignKey = sealSecret(ctx.config.appSecret, 'feed-copy', secret)
    await ctx.db.execute(
      sql`update settings set value = jsonb_set(value, '{apiKey}', to_jsonb(${foreignKey}::text)) where name = 'feed'`,
    )
    expect(await findFeedSettings(ctx)).toHaveProperty('problem')
  })

  it('does not appear in a dump of the database', async () => {
    await saveFeedConfig({ apiKey: secret })
    const { ctx } = fixture.box
    const lines: string[] = []
    for await (const line of dumpDatabase(ctx.config.databaseUrl, ctx.clock.now())) lines.push(line)
    const dump = lines.join('\n')
    expect(dump).toContain('feed_saved')
    const secretForms = [
      secret,
      Buffer.from(secret).toString('hex'),
      Buffer.from(secret).toString('base64url').slice(0, -2),
    ]
    for (const form of secretForms) expect(dump).not.toContain(form)
  })
})

describe('APP_SECRET rotation', () => {
  const newSecret = 'n'.repeat(64)
  const readStoredKey = async () => {
    const [row] = await fixture.box.ctx.db.select().from(settings).where(eq(settings.name, 'feed'))
    return { apiKey: String(Object(row?.value).apiKey), updatedAt: row?.updatedAt }
  }

  it('re-encrypts the feed key at start, so that the previous secret is no longer needed', async () => {
    await saveFeedConfig({ apiKey: secret })
    const keyBefore = await readStoredKey()
    const { config } = fixture.box.ctx
    Object.assign(config, { appSecret: newSecret, appSecretPrevious: config.appSecret })
    expect(await findKeyInUse()).toBe(secret)
    await resealFeedKey(fixture.box.ctx)
    const keyAfter = await readStoredKey()
    expect(keyAfter.apiKey).not.toBe(keyBefore.apiKey)
    expect(keyAfter.updatedAt).toEqual(keyBefore.updatedAt)
    await resealFeedKey(fixture.box.ctx)
    expect(await readStoredKey(), 'once is enough').toEqual(keyAfter)
    config.appSecretPrevious = null
    expect(await findKeyInUse()).toBe(secret)
  })

  it.each([
    ['is missing', null],
    ['is wrong', 'w'.repeat(64)],
  ])('keeps the ciphertext and reports the problem when the previous secret %s', async (_name, appSecretPrevious) => {
    await saveFeedConfig({ apiKey: secret })
    const keyBefore = await readStoredKey()
    Object.assign(fixture.box.ctx.config, { appSecret: newSecret, appSecretPrevious })
    await resealFeedKey(fixture.box.ctx)
    expect(await readStoredKey()).toEqual(keyBefore)
    expect((await findFeedConfig()).lastError).toContain('APP_SECRET is another one now')
  })

  it('lets two instances with swapped secrets read the key that the other one has saved, until the last start', async () => {
    const { config } = fixture.box.ctx
    const oldSecret = config.appSecret
    const restartedInstance = { appSecret: newSecret, appSecretPrevious: oldSecret }
    const waitingInstance = { appSecret: oldSecret, appSecretPrevious: newSecret }
    for (const [saving, reading] of [
      [restartedInstance, waitingInstance],
      [waitingInstance, restartedInstance],
    ]) {
      Object.assign(config, saving)
      await saveFeedConfig({ apiKey: secret })
      Object.assign(config, reading)
      expect(await findKeyInUse()).toBe(secret)
    }
    await resealFeedKey(fixture.box.ctx)
    config.appSecretPrevious = null
    expect(await findKeyInUse()).toBe(secret)
  })

  it('does nothing when no feed or no key is configured', async () => {
    Object.assign(fixture.box.ctx.config, { appSecret: newSecret, appSecretPrevious: 'p'.repeat(64) })
    await resealFeedKey(fixture.box.ctx)
    await saveFeedConfig({ apiKey: null })
    await resealFeedKey(fixture.box.ctx)
    expect(await findKeyInUse()).toBe(null)
  })
})

describe('APP_SECRET rotation, while an account changes its secret', () => {
  const formerSecret = 'f'.repeat(64)
  const openSealed = (aad: string, sealed = '') => openSecret(fixture.box.ctx.config, aad, sealed)

  /**
   * Runs `change` in a transaction, and starts the re-encryption before the transaction commits.
   */
  async function changeDuring(reseal: (ctx: Context) => Promise<void>, change: (tx: Tx) => Promise<void>) {
    const { ctx } = fixture.box
    ctx.config.appSecretPrevious = formerSecret
    let resealing: Promise<void> | undefined
    await ctx.db.transaction(async (tx) => {
      await change(tx)
      resealing = reseal(ctx)
      await expect.poll(countLockWaiters).toBe(1)
    })
    await resealing
  }

  it('keeps the new secrets of a destination', async () => {
    const { db, config } = fixture.box.ctx
    const id = exampleIds.account
    const destination = { id, accountId: root, kind: 'telegram', name: 'Chat', host: 'Chat', state: 'on' } as const
    const seal = (appSecret: string, chatId: number) => sealSecrets({ appSecret }, id, { chatId, threadId: null })
    await db
      .insert(destinations)
      .values({ ...destination, sealed: seal(formerSecret, 1), createdAt: fixture.box.ctx.clock.now() })
    await changeDuring(resealDestinations, async (tx) => {
      await tx.update(destinations).set({ sealed: seal(config.appSecret, 2) })
    })
    const [storedDestination] = await db.select().from(destinations)
    expect(JSON.parse(openSealed(formatSecretsAad(id), storedDestination?.sealed))).toEqual({
      chatId: 2,
      threadId: null,
    })
  })

  it('keeps the new secret of an authenticator app', async () => {
    const { db, config } = fixture.box.ctx
    const seal = (appSecret: string, text: string) => sealSecret(appSecret, totpAad(root), text)
    const enrolment = {
      accountId: root,
      sessionId: await fixture.addSession(root),
      createdAt: fixture.box.ctx.clock.now(),
    }
    await db.insert(totpFactors).values({ ...enrolment, sealedSecret: seal(formerSecret, 'OLD') })
    await changeDuring(resealTotpSecrets, async (tx) => {
      await tx.update(totpFactors).set({ sealedSecret: seal(config.appSecret, 'NEW') })
    })
    const [storedFactor] = await db.select().from(totpFactors)
    expect(openSealed(totpAad(root), storedFactor?.sealedSecret)).toBe('NEW')
  })
})

describe('feed endpoint', () => {
  it.each(['http://feed.example.com', 'wss://user:pass@feed.example.com', 'feed.example.com', ''])(
    'rejects %j',
    async (externalEndpoint) => {
      expect((await readRefusal(saveFeedConfig({ externalEndpoint }))).code).toBe('endpoint_refused')
      expect((await findFeedConfig()).isSaved).toBe(false)
    },
  )

  it('may be private only when the operator allows it', async () => {
    await saveFeedConfig({ externalEndpoint: 'ws://10.0.0.1' })
    fixture.box.ctx.config.feed.allowPrivate = false
    expect((await readRefusal(saveFeedConfig({ externalEndpoint: 'ws://10.0.0.2' }))).message).toBe(
      'The endpoint is not at a public address',
    )
  })

  it('is reconnected when it is saved', async () => {
    const notifiedKey = new Promise((resolve) => fixture.box.ctx.notifications.on('settings', resolve))
    await saveFeedConfig({})
    expect(await notifiedKey).toBe('feed')
  })
})

describe('test of the feed connection', () => {
  /** Timeouts that are long enough for tests that expect a signal. */
  const times = { connectTimeoutMs: 2_000, totalMs: 62_000 }
  const signal = {
    id: 'a',
    asset: 'BTC/USDT',
    anomalyType: 'Volume spike',
    confidence: 90,
    regime: '',
    summary: 'Volume rose',
    priority: 'high',
    observedAt: '2026-01-15T12:00:00.000Z',
  }
  let server: SignalServer | undefined
  afterEach(() => server?.close())

  const testConnection = (body: object, change: Partial<typeof times> = {}) =>
    feed.testFeed(fixture.box.ctx, fixture.ask<typeof endpoints.testFeed>(root, { body }), { ...times, ...change })
  const startServer = async (firstMessage: string | null) => {
    server = await startSignalServer({
      apiKey: 'key',
      onConnection: (socket) => firstMessage !== null && socket.send(firstMessage),
    })
    return server.url
  }

  it('shows the first signal and clears the failed state', async () => {
    const notifiedKeys: string[] = []
    fixture.box.ctx.notifications.on('settings', (key) => notifiedKeys.push(key))
    await saveFeedConfig({ externalEndpoint: await startServer(JSON.stringify(signal)), apiKey: 'key' })
    expect(await testConnection({})).toMatchObject({ success: true, firstSignal: { id: 'a', asset: 'BTC/USDT' } })
    // Saving the settings and testing the connection each notify the feed once.
    await expect.poll(() => notifiedKeys).toEqual(['feed', 'feed'])
  })

  it('keeps the open connection to the feed', async () => {
    const { ctx } = fixture.box
    const sockets: WebSocket[] = []
    const sendSignal = (socket: WebSocket) => {
      sockets.push(socket)
      socket.send(JSON.stringify(signal))
    }
    server = await startSignalServer({ apiKey: 'key', onConnection: sendSignal })
    await saveFeedConfig({ externalEndpoint: server.url, apiKey: 'key' })
    const stop = new AbortController()
    const running = runFeed(ctx, stop.signal, { issueAlert: async () => {} })
    try {
      await expect.poll(async () => (await findReport(ctx)).state).toBe('connected')
      const [feedSocket] = sockets
      const answer = new Promise((resolve) => {
        feedSocket?.once('pong', () => resolve('pong')).once('close', () => resolve('close'))
      })
      expect(await testConnection({})).toMatchObject({ success: true })
      await ctx.notifications.catchUp()
      feedSocket?.ping()
      expect(await answer).toBe('pong')
      expect(sockets, 'of the feed and of the test').toHaveLength(2)
    } finally {
      stop.abort()
      await running
    }
  })

  it.each<[string, string | null, string, object]>([
    ['the wrong key', '{}', 'The endpoint refused the API key', { apiKey: 'wrong', success: false }],
    [
      'no valid signal',
      '{"id":1}',
      'Connected, but the first signal is not valid. id: Invalid input: expected string, received number',
      { success: false },
    ],
    [
      'no signal yet',
      null,
      'Connected and authenticated. No signal came within the 8 seconds of a test: the feed may be quiet.',
      { success: true },
    ],
  ])(
    'reports %s',
    async (_name, firstMessage, message, { apiKey = 'key', success }: { apiKey?: string; success?: boolean }) => {
      const externalEndpoint = await startServer(firstMessage)
      const change = firstMessage === null ? { totalMs: 100 } : {}
      expect(await testConnection({ ...form, externalEndpoint, apiKey }, change)).toMatchObject({ success, message })
      expect((await findFeedConfig()).isSaved).toBe(false)
    },
  )

  it.each<[string, object, { endpoint: string; key: string }]>([
    ['the stored key', {}, { endpoint: '', key: 'stored' }],
    ['the stored key to another path', { path: '/other?token=t0p' }, { endpoint: '/other', key: 'stored' }],
    ['an entered key', { path: '/', apiKey: 'entered key' }, { endpoint: '/', key: 'entered' }],
    ['no key', { path: '/', apiKey: null }, { endpoint: '/', key: 'none' }],
  ])('is audited with the endpoint, without its query, when it sends %s', async (_what, enteredFields, expected) => {
    const url = await startServer(null)
    await saveFeedConfig({ externalEndpoint: url, apiKey: 'key' })
    const { path, ...otherFields }: { path?: string } = enteredFields
    await testConnection(path === undefined ? otherFields : { ...otherFields, externalEndpoint: `${url}${path}` }, {
      totalMs: 100,
    })
    const [entry] = await fixture.box.ctx.db.select().from(auditEntries).where(eq(auditEntries.action, 'feed_tested'))
    expect(entry?.detail).toMatchObject({ endpoint: `${url}${expected.endpoint}`, key: expected.key })
    expect(JSON.stringify(entry)).not.toMatch(/t0p|entered key/)
  })

  it('does not send the stored key to another endpoint without a recent authentication', async () => {
    await saveFeedConfig({ apiKey: secret })
    const credentials: (string | undefined)[] = []
    const thiefServer = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    thiefServer.on('connection', (_socket, request) => credentials.push(request.headers.authorization))
    await new Promise((resolve) => thiefServer.once('listening', resolve))
    const { port } = Object(thiefServer.address())
    const input = fixture.ask<typeof endpoints.testFeed>(root, { body: { externalEndpoint: `ws://127.0.0.1:${port}` } })
    if (input.actor) input.actor.authenticatedAt = new Date(0)
    expect((await readRefusal(feed.testFeed(fixture.box.ctx, input, times))).code).toBe('reauthentication_required')
    expect(credentials).toEqual([])
    thiefServer.close()
  })
})

it('engine status: is deleted when the feed settings are saved, because the feed may be another engine', async () => {
  const { ctx } = fixture.box
  const row = { name: 'feed.engine', value: {}, updatedAt: ctx.clock.now() }
  await ctx.db.insert(settings).values(row)
  await saveFeedConfig({})
  expect(await ctx.db.select().from(settings).where(eq(settings.name, row.name))).toEqual([])
})

it('refused signals: are paged, newest first, up to a last page without a cursor', async () => {
  const { ctx } = fixture.box
  const refused = ['a', 'b', 'c', 'd'].map((raw) => ({ raw, reason: 'Not JSON' }))
  await insertRefused(ctx.db, refused, refused.length, ctx.clock.now())
  const listPage = (query: object) =>
    feed.listRefusedSignals(
      ctx,
      fixture.ask<typeof endpoints.listRefusedSignals>(root, { query: { limit: 2, ...query } }),
    )
  const first = await listPage({})
  expect(first.items.map(({ raw }) => raw)).toEqual(['d', 'c'])
  const last = await listPage({ cursor: first.nextCursor })
  expect(last.items.map(({ raw }) => raw)).toEqual(['b', 'a'])
  expect(last.nextCursor).toBeNull()
})

describe('payment chain', () => {
  const changeChain = (value: string, description = '') =>
    chain.changeChain(
      fixture.box.ctx,
      fixture.ask<typeof endpoints.changeChain>(root, { body: { value, description } }),
    )
  const readChainId = async () => (await chain.chainConfig(fixture.box.ctx)).chainId

  it.each([
    ['31337', 'chain_unchanged', 'Chain ID is already set to this value.'],
    ['7', 'chain_unsupported', 'This chain is not supported.'],
    ['43114', 'chain_unsupported', 'This chain is not supported.'],
    ['0x1', 'chain_unsupported', 'This chain is not supported.'],
    ['', 'chain_unsupported', 'This chain is not supported.'],
    ['1e0', 'chain_unsupported', 'This chain is not supported.'],
  ])('rejects %j', async (value, code, message) => {
    expect(await readRefusal(changeChain(value))).toMatchObject({ code, message })
    expect([await readChainId(), await fixture.audited()]).toEqual(['31337', []])
  })

  it('rejects a real chain in a demo', async () => {
    fixture.box.ctx.config.demo = true
    expect((await readRefusal(changeChain('1'))).message).toBe(
      'This is a demo on a local chain: it can’t be pointed at a real one.',
    )
  })

  it('changes immediately, is announced to all pages and is audited', async () => {
    const notifiedKey = new Promise((resolve) => fixture.box.ctx.notifications.on('settings', resolve))
    expect((await changeChain('137', 'Lower fees')).message).toContain('No node is configured for this chain')
    expect([await readChainId(), await notifiedKey]).toEqual(['137', 'chain_id'])
    expect(await fixture.audited()).toEqual([['chain_changed', 'chain_id', 'Lower fees']])
    const setting = await chain.findChainSetting(fixture.box.ctx, fixture.ask<typeof endpoints.findChainSetting>(root))
    expect(setting).toMatchObject({ value: '137', chainName: 'Polygon (MATIC)', description: 'Lower fees' })
    expect(setting.supported.map(({ chainId }) => chainId)).toEqual([
      '1',
      '137',
      '56',
      '10',
      '42161',
      '5',
      '11155111',
      '31337',
    ])
    expect((await readRefusal(changeChain('137'))).code).toBe('chain_unchanged')
    await changeChain('31337')
    expect(await readChainId()).toBe('31337')
  })

  it('changes once when two admins choose the same chain', async () => {
    const outcomes = await Promise.allSettled([changeChain('137'), changeChain('137')])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })
})
