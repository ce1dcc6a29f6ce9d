import { randomUUID } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { DestinationKind, Priority } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import type { Context } from '@tocsin/server/context.ts'
import { LeaseLost } from '@tocsin/server/db/leader.ts'
import { accounts } from '@tocsin/server/db/schema/accounts.ts'
import { channelAttempts, channelDeliveries, destinations } from '@tocsin/server/db/schema/channels.ts'
import { createIssuer } from '@tocsin/server/features/alerts/issue-alerts.ts'
import { enqueueDeliveries } from '@tocsin/server/features/channels/enqueue-deliveries.ts'
import { createSecrets, sealSecrets } from '@tocsin/server/features/channels/secrets.ts'
import { createSender, type Sender } from '@tocsin/server/features/channels/sender.ts'
import { ensureKeyList } from '@tocsin/server/features/tlog/service.ts'
import {
  addSubscription,
  type ConfigOverrides,
  createTestContext,
  fakeClock,
  startTcpProxy,
  startTestSession,
  type TestDatabase,
  testConfig,
} from '@tocsin/testkit'
import { createBrowserKeys, decryptPush } from '@tocsin/testkit/push-service'

/** Runs the sender and the delivery ledger with a fake clock against local endpoints. */

export interface ReceivedRequest {
  /** The `webhook-id` of the message, or the body if the message has no id. */
  id: string
  path: string
  body: string
  bytes: Buffer
}

export type Answer = (response: ServerResponse, received: ReceivedRequest) => void

export const answerWith =
  (status: number, headers: Record<string, string> = {}, body = ''): Answer =>
  (response) =>
    void response.writeHead(status, headers).end(body)

const success: Answer = (response, { path }) =>
  void response.writeHead(200).end(path.startsWith('/bot') ? '{"ok":true,"result":{"message_id":1}}' : '{}')

export type Fixture = Awaited<ReturnType<typeof startFixture>>

/** @param overrides additional settings, which senders in other processes get too */
export async function startFixture(database: TestDatabase, overrides: ConfigOverrides = {}) {
  const clock = fakeClock(new Date())
  const received: ReceivedRequest[] = []
  /** Chooses the response to a message. If it returns undefined, the endpoint reports success. */
  const endpoints = { answer: (_received: ReceivedRequest): Answer | undefined => undefined }
  const endpointServer = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', () => {
      const id = request.headers['webhook-id']
      const bytes = Buffer.concat(chunks)
      const body = bytes.toString()
      const message = { id: typeof id === 'string' ? id : body, path: request.url ?? '', body, bytes }
      received.push(message)
      const answer = endpoints.answer(message) ?? success
      answer(response, message)
    })
  })
  await new Promise<void>((resolve) => endpointServer.listen(0, '0.0.0.0', resolve))
  const { port } = endpointServer.address() as AddressInfo
  const telegram = { token: `1:${'t'.repeat(35)}`, apiRoot: `http://127.0.0.1:${port}` }
  const proxy = await startTcpProxy(await database.createDatabase())
  const config: ConfigOverrides = { databaseUrl: proxy.url, telegram, ...overrides }
  const { ctx, mails, close } = await createTestContext(testConfig(config), clock)
  await ensureKeyList(ctx)
  await enqueueDeliveries(ctx)
  /**
   * Hooks of the sender. It calls `beforeSend` after its last check, before it sends a message, and
   * `run` after it has sent a message.
   */
  const failpoint = { run: () => {}, beforeSend: () => {} }
  const observedContext: Context = {
    ...ctx,
    failpoint(at) {
      if (at === 'channel: after send') failpoint.run()
      if (at === 'channel: before send') failpoint.beforeSend()
    },
  }
  let senderProcess = startProcess(observedContext)
  const webhook = createSecrets(`http://127.0.0.1:${port}`)
  const browser = createBrowserKeys()

  const getRow = (accountId: string, kind: DestinationKind, path: string, host: string) => {
    const id = randomUUID()
    const url = `http://${host}:${port}${path}`
    const endpointFields = { url, token: null }
    const secrets = {
      telegram: { chatId: Number(path.slice(1)), threadId: null },
      webhook: { ...webhook, url },
      email: { address: path },
      'web-push': { url, ...browser.publicKeys },
      ...{ discord: endpointFields, slack: endpointFields, ntfy: endpointFields },
    }[kind]
    return {
      id,
      accountId,
      kind,
      name: path,
      host: kind === 'telegram' ? path : `${host}:${port}`,
      sealed: sealSecrets(ctx.config, id, secrets),
      state: 'on' as const,
      createdAt: clock.now(),
    }
  }
  return {
    ctx,
    /** Settings for a sender in another process. */
    config,
    clock,
    mails,
    /** Proxy between the sender and its database. */
    proxy,
    received,
    /** Decrypts the body of a request to `/push`. */
    readPush: (body: Buffer) => decryptPush(browser.keys, body),
    endpoints,
    failpoint,
    async addDestination(
      accountId: string,
      kind: DestinationKind,
      path: string,
      host = '127.0.0.1',
      settings: Omit<Partial<typeof destinations.$inferInsert>, 'id'> = {},
    ) {
      const row = { ...getRow(accountId, kind, path, host), ...settings }
      await ctx.db.insert(destinations).values(row)
      return row.id
    },
    async addDestinations(count: number, ...destinationArgs: Parameters<typeof getRow>) {
      for (let from = 0; from < count; from += 1_000) {
        await ctx.db
          .insert(destinations)
          .values(Array.from({ length: Math.min(1_000, count - from) }, () => getRow(...destinationArgs)))
      }
    },
    async addAccount(forMs: number | null = 100 * DAY_MS): Promise<string> {
      const id = randomUUID()
      await ctx.db.insert(accounts).values({ id, name: 'Trader', createdAt: clock.now() })
      if (forMs !== null) await addSubscription(ctx, id, forMs)
      return id
    },
    /** Starts a session of the account owner. */
    startOwnerSession: async (accountId: string) => ({
      ...(await startTestSession(ctx, accountId)),
      requestId: 'test',
    }),
    async issue(summary: string, priority: Priority = 'high', asset = 'ETH') {
      const content = { asset, anomalyType: 'Spread', regime: 'Calm', summary, confidence: 90, priority }
      return (await createIssuer(ctx)({ content, origin: 'admin', broadcast: true })).alert
    },
    /** Corrects or retracts an alert. */
    async replace(kind: 'correction' | 'retraction', targetId: string, text: string, priority: Priority = 'high') {
      const content = { asset: 'ETH', anomalyType: 'Spread', regime: 'Calm', confidence: 90, priority }
      const issue =
        kind === 'retraction'
          ? { kind, targetId, reason: text, broadcast: true }
          : { kind, targetId, content: { ...content, summary: text }, broadcast: true }
      return (await createIssuer(ctx)(issue)).alert
    },
    /** Starts another instance that also believes that it is the leader. */
    startProcess: () => startProcess(observedContext),
    /** Simulates a kill: the sender can record nothing more, and a new sender starts. */
    kill() {
      senderProcess.abort.abort()
      senderProcess = startProcess(observedContext)
    },
    /**
     * Simulates the loss of the lease, as after an outage of the database that outlasts the lease.
     */
    loseLease: () => senderProcess.abort.abort(new LeaseLost('channels')),
    sender: (): Sender => senderProcess.sender,
    /** Sends everything that is due at the time of the clock. Repeats until nothing more is due. */
    async settle(): Promise<void> {
      await enqueueDeliveries(observedContext)
      for (let receivedBefore = -1; receivedBefore !== received.length; ) {
        receivedBefore = received.length
        await senderProcess.sender.startDue(clock.now())
        await senderProcess.sender.ended()
      }
    },
    async listDeliveries(destinationId?: string) {
      const rows = await ctx.db.select().from(channelDeliveries).orderBy(channelDeliveries.id)
      return destinationId === undefined ? rows : rows.filter((row) => row.destinationId === destinationId)
    },
    /**
     * Resolves when all connections to the endpoints are closed. The endpoints have then read
     * everything that a killed process has sent.
     */
    async waitUntilDisconnected(): Promise<void> {
      const countConnections = () =>
        new Promise<number>((resolve) => endpointServer.getConnections((_error, open) => resolve(open)))
      while ((await countConnections()) > 0) await delay(5)
    },
    listAttempts: () => ctx.db.select().from(channelAttempts),
    async stop() {
      senderProcess.abort.abort()
      endpointServer.closeAllConnections()
      await senderProcess.sender.ended()
      await close()
      await proxy.close()
      await new Promise((resolve) => endpointServer.close(resolve))
    },
  }
}

function startProcess(ctx: Context): { sender: Sender; abort: AbortController } {
  const abort = new AbortController()
  return { sender: createSender(ctx, () => {}, abort.signal), abort }
}
