import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DestinationKind } from '@tocsin/protocol'
import { HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { type FakeClock, fakeClock, type TestClient } from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccount } from '../src/features/accounts/service.ts'
import { clearedCodeColumns } from '../src/features/channels/confirm-code.ts'
import { sealSecrets } from '../src/features/channels/secrets.ts'
import { updateDestination } from '../src/features/channels/store.ts'
import { createWriteRequest, send } from './raw-client.ts'
import { issueTestAlert } from './support/issue-test-alert.ts'

/** A request to the local server that replaces the chat and topic services. */
interface ReceivedRequest {
  path: string
  headers: IncomingHttpHeaders
  body: Record<string, unknown>
}

interface ServiceResponse {
  status: number
  headers?: Record<string, string>
  body: string
  /** The response is delayed until this promise resolves. */
  gate?: Promise<void>
}

const TOKEN = `424242:${'t'.repeat(35)}`
const CHAT_ID = -1_001_234_567_890
const parts = useTestDatabaseAndChain()
let clock: FakeClock
let server: TestServer
let services: Server
let url: string
const receivedRequests: ReceivedRequest[] = []
/** Next responses by path, in order. When none is left, the services report success. */
const nextResponses = new Map<string, ServiceResponse[]>()
const pendingUpdates: object[] = []
let lastUpdateId = 0

beforeAll(async () => {
  services = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', async () => {
      const path = request.url ?? ''
      const isRead = path.endsWith('/getUpdates')
      if (!isRead) receivedRequests.push({ path, headers: request.headers, body: JSON.parse(text || '{}') })
      const result = isRead ? await waitForUpdates() : getTelegramResult(path)
      const { status, headers, body, gate }: ServiceResponse = nextResponses.get(path)?.shift() ?? {
        status: path.startsWith('/api/webhooks') ? 204 : 200,
        body: path.startsWith('/bot')
          ? JSON.stringify({ ok: true, result })
          : path.startsWith('/services')
            ? 'ok'
            : '{}',
      }
      await gate
      response.writeHead(status, headers)
      response.end(status === 204 ? undefined : body)
    })
  })
  await new Promise<void>((resolve) => services.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(services.address() as AddressInfo).port}`
  clock = fakeClock(new Date())
  server = await startTestServer(parts, { telegram: { token: TOKEN, apiRoot: url } }, { clock })
})
afterAll(async () => {
  await server?.close()
  services?.close()
  services?.closeAllConnections()
})

function getTelegramResult(path: string): unknown {
  if (path.endsWith('/getMe')) return { id: 424_242, is_bot: true, first_name: 'Tocsin', username: 'tocsin_test_bot' }
  return path.endsWith('/sendMessage') ? { message_id: 17, date: 1, chat: { id: CHAT_ID, type: 'supergroup' } } : true
}

async function waitForUpdates(): Promise<object[]> {
  if (pendingUpdates.length === 0) await new Promise((resolve) => setTimeout(resolve, 50))
  return pendingUpdates.splice(0)
}

function sendUpdate(content: object): void {
  lastUpdateId += 1
  pendingUpdates.push({ update_id: lastUpdateId, ...content })
}

interface OwnDestination {
  client: TestClient
  id: string
}

const signIn = async () => (await server.addUser({ planMs: 1_000 * HOUR_MS })).client

async function addDestination(kind: DestinationKind, path?: string): Promise<OwnDestination> {
  const client = await signIn()
  const body = { kind, name: kind, ...(path === undefined ? {} : { url: url + path }) }
  const { destination, secret } = await client.call('createDestination', { body })
  expect(secret).toBeNull()
  return { client, id: destination.id }
}

const listTextsSentTo = (path: string) =>
  receivedRequests.filter((message) => message.path === path).map(({ body }) => JSON.stringify(body))
const findCodeSentTo = (path: string) => /([A-Z2-9]{8}) is the code/.exec(listTextsSentTo(path).at(-1) ?? '')?.[1] ?? ''
const readState = async ({ client, id }: OwnDestination) =>
  (await client.call('listDestinations')).find((destination) => destination.id === id)?.state
const findLedgerRow = async ({ client, id }: OwnDestination, logIndex: number) =>
  (await client.call('listChannelDeliveries', { params: { id } })).find((row) => row.logIndex === logIndex)

const issue = (summary: string) => issueTestAlert(server.ctx, summary, { priority: 'critical' })

async function addConfirmedDestination(kind: DestinationKind, path: string, codePath = path): Promise<OwnDestination> {
  const own = await addDestination(kind, path)
  const params = { id: own.id }
  await own.client.call('confirmDestination', { params, body: {} })
  await own.client.call('confirmDestination', { params, body: { code: findCodeSentTo(codePath).toLowerCase() } })
  expect(await readState(own)).toBe('on')
  return own
}

test('a chat is confirmed once, by its code within five tries and 15 minutes', async () => {
  const path = '/api/webhooks/1/codes'
  const own = await addDestination('discord', path)
  const confirm = (code?: string) =>
    own.client.call('confirmDestination', { params: { id: own.id }, body: code === undefined ? {} : { code } })
  const wrongCode = { code: 'code_wrong', status: 422 }
  await expect(confirm('AAAAAAAA')).rejects.toMatchObject(wrongCode)
  const writeRequest = createWriteRequest(server.url, `/api/channels/${own.id}/confirm`, {}, own.client.cookie())
  const { status, body } = await send(server.url, { ...writeRequest, body: '' })
  expect([status, JSON.parse(body)], 'an empty body').toMatchObject([200, { isDelivered: true, status: 204 }])
  const firstCode = findCodeSentTo(path)
  expect(firstCode).toHaveLength(8)
  for (let tries = 0; tries < 5; tries += 1) await expect(confirm('WRONGONE')).rejects.toMatchObject(wrongCode)
  await expect(confirm(firstCode), 'after five wrong tries').rejects.toMatchObject(wrongCode)
  await confirm()
  const second = findCodeSentTo(path)
  clock.advance(16 * MINUTE_MS)
  await expect(confirm(second), 'after 15 minutes').rejects.toMatchObject(wrongCode)
  await confirm()
  expect(await confirm(findCodeSentTo(path))).toMatchObject({ isDelivered: true })
  expect(await readState(own)).toBe('on')
  await expect(confirm(findCodeSentTo(path)), 'a second time').rejects.toMatchObject(wrongCode)
})

test.each([
  ['discord', '/api/webhooks/2/x', '/api/webhooks/2/x', 'content'],
  ['slack', '/services/T/B/x', '/services/T/B/x', 'text'],
  ['ntfy', '/desk-topic', '/', 'message'],
] as const)('%s receives a test message, and alerts in its own format', async (kind, path, sentTo, field) => {
  const own = await addConfirmedDestination(kind, path, sentTo)
  expect(await own.client.call('testDestination', { params: { id: own.id } })).toMatchObject({ isDelivered: true })
  const { logIndex } = await issue(`A spike for ${kind}`)
  await eventually(async () => expect(await findLedgerRow(own, logIndex)).toMatchObject({ state: 'delivered' }))
  const sentRequests = receivedRequests.filter(
    (message) => message.path === sentTo && JSON.stringify(message.body).includes('A spike'),
  )
  expect(sentRequests).toHaveLength(1)
  expect(sentRequests[0]?.body[field]).toContain(`A spike for ${kind}`)
  await own.client.call('deleteDestination', { params: { id: own.id } })
})

test('a mute holds alerts back until it ends, and is rejected when its time is invalid', async () => {
  const own = await addConfirmedDestination('slack', '/services/T/B/mute')
  const mute = (mutedUntil: string | null) =>
    own.client.call('changeDestination', { params: { id: own.id }, body: { mutedUntil } })
  for (const wrongTime of ['2026-13-01T00:00:00.000Z', 'tomorrow', '']) {
    await expect(mute(wrongTime), wrongTime).rejects.toMatchObject({ status: 400 })
  }
  const until = new Date(clock.now().getTime() + HOUR_MS).toISOString()
  await mute(until)
  expect(await own.client.call('listDestinations')).toMatchObject([{ mutedUntil: until }])
  const mutedAlert = await issue('A spike during a mute')
  await eventually(async () => expect(await findLedgerRow(own, mutedAlert.logIndex)).toMatchObject({ state: 'held' }))
  expect((await findLedgerRow(own, mutedAlert.logIndex))?.reason).toContain('Muted until')
  expect(listTextsSentTo('/services/T/B/mute').join()).not.toContain('during a mute')
  await mute(null)
  await eventually(async () =>
    expect(await findLedgerRow(own, mutedAlert.logIndex)).toMatchObject({ state: 'delivered' }),
  )
  expect(listTextsSentTo('/services/T/B/mute').join()).toContain('1 alert was held back')
})

test('a Discord webhook is retried after the delay of a rate limit, and marked as gone when it is deleted', async () => {
  const path = '/api/webhooks/3/x'
  const own = await addConfirmedDestination('discord', path)
  nextResponses.set(path, [
    { status: 429, body: '{"message":"You are being rate limited.","retry_after":64.57,"global":false}' },
  ])
  const { logIndex } = await issue('A limited spike')
  await eventually(async () => expect((await findLedgerRow(own, logIndex))?.attempts).toHaveLength(1))
  const waitingRow = await findLedgerRow(own, logIndex)
  expect(Date.parse(waitingRow?.nextAt ?? '') - clock.now().getTime()).toBe(65_000)
  clock.advance(66_000)
  await eventually(async () => expect(await findLedgerRow(own, logIndex)).toMatchObject({ state: 'delivered' }))
  nextResponses.set(path, [{ status: 404, body: '{"message": "Unknown Webhook", "code": 10015}' }])
  await issue('A spike that cannot arrive')
  await eventually(async () => expect(await readState(own)).toBe('gone'))
})

test('a global rate limit of Discord delays all Discord webhooks, and no other kind', async () => {
  const [one, other] = [
    await addConfirmedDestination('discord', '/api/webhooks/4/x'),
    await addConfirmedDestination('discord', '/api/webhooks/5/x'),
  ]
  const slackDestination = await addConfirmedDestination('slack', '/services/T/B/y')
  const refused = { status: 429, headers: { 'retry-after': '300' }, body: '{"retry_after":300,"global":true}' }
  nextResponses.set('/api/webhooks/4/x', [refused])
  nextResponses.set('/api/webhooks/5/x', [refused])
  const first = await issue('A spike before the limit')
  await eventually(async () => expect((await findLedgerRow(one, first.logIndex))?.attempts).toHaveLength(1))
  const second = await issue('A spike while limited')
  await eventually(async () =>
    expect(await findLedgerRow(slackDestination, second.logIndex)).toMatchObject({ state: 'delivered' }),
  )
  expect(await findLedgerRow(other, second.logIndex)).toMatchObject({ state: 'waiting', attempts: [] })
  clock.advance(301_000)
  await eventually(async () =>
    expect(await findLedgerRow(other, second.logIndex)).toMatchObject({ state: 'delivered' }),
  )
})

const sendPath = `/bot${TOKEN}/sendMessage`
const findLastSent = () => receivedRequests.filter(({ path }) => path === sendPath).at(-1)?.body
const groupMovedResponse: ServiceResponse = {
  status: 400,
  body: '{"ok":false,"error_code":400,"description":"Bad Request: group chat was upgraded to a supergroup chat","parameters":{"migrate_to_chat_id":-1009999999999}}',
}
const chat = { id: CHAT_ID, type: 'supergroup', title: 'The \u202edesk' }
const sender = { id: 7, is_bot: false, first_name: 'Mara' }
const sendStart = (text: string) =>
  sendUpdate({
    message: {
      message_id: 1,
      date: 1,
      chat,
      from: sender,
      text,
      message_thread_id: 5,
      is_topic_message: true,
      entities: [{ type: 'bot_command', offset: 0, length: 6 }],
    },
  })

test('a Telegram chat is linked by a code, muted by a button, and marked as gone when it blocks the bot', async () => {
  const own = await addDestination('telegram')
  const answer = await own.client.call('confirmDestination', { params: { id: own.id }, body: {} })
  const code = /^https:\/\/t\.me\/tocsin_test_bot\?start=([\w-]{32})$/.exec(answer.link ?? '')?.[1]
  sendStart('/start wrong')
  await eventually(() => expect(listTextsSentTo(sendPath).join()).toContain('This code is not valid'))
  expect(await readState(own)).toBe('unconfirmed')
  sendStart(`/start ${code}`)
  await eventually(async () => expect(await readState(own)).toBe('on'))
  const [linked] = await own.client.call('listDestinations')
  expect(linked?.host).toBe('The desk')

  const { logIndex } = await issue('A <b>spike</b>')
  await eventually(async () => expect(await findLedgerRow(own, logIndex)).toMatchObject({ state: 'delivered' }))
  const sent = findLastSent()
  expect(sent).toMatchObject({ chat_id: CHAT_ID, message_thread_id: 5, parse_mode: 'HTML' })
  expect(sent?.text).toContain('A &lt;b&gt;spike&lt;/b&gt;')
  expect(JSON.stringify(sent?.reply_markup)).toContain(`mute:${own.id}`)

  const pressButton = (pressedIn: object) =>
    sendUpdate({
      callback_query: {
        id: '1',
        from: sender,
        chat_instance: '1',
        data: `mute:${own.id}`,
        message: { message_id: 17, date: 1, chat: pressedIn },
      },
    })
  pressButton({ ...chat, id: 666 })
  await eventually(() => expect(listTextsSentTo(`/bot${TOKEN}/answerCallbackQuery`).join()).toContain('not linked'))
  pressButton(chat)
  await eventually(() => expect(listTextsSentTo(`/bot${TOKEN}/answerCallbackQuery`).join()).toContain('Muted until'))
  const mutedAlert = await issue('A spike while muted')
  await eventually(async () => expect((await findLedgerRow(own, mutedAlert.logIndex))?.reason).toContain('Muted until'))
  clock.advance(HOUR_MS)
  // Waits for the digest of the muted alert, which could otherwise be sent while the chat is moved
  // below.
  await eventually(async () =>
    expect(await findLedgerRow(own, mutedAlert.logIndex)).toMatchObject({ state: 'delivered' }),
  )

  nextResponses.set(sendPath, [groupMovedResponse])
  const alertAfterMove = await issue('A spike for the new group')
  await eventually(async () =>
    expect(await findLedgerRow(own, alertAfterMove.logIndex)).toMatchObject({ state: 'delivered' }),
  )
  expect(findLastSent()).toMatchObject({ chat_id: -1_009_999_999_999, message_thread_id: 5 })
  expect(findLastSent()?.text).toContain('A spike for the new group')

  nextResponses.set(sendPath, [
    { status: 403, body: '{"ok":false,"error_code":403,"description":"Forbidden: bot was blocked by the user"}' },
  ])
  await issue('A spike that cannot arrive')
  await eventually(async () => expect(await readState(own)).toBe('gone'))
})

test('a newly linked Telegram chat is not replaced by the new group id in a late response for the previous chat', async () => {
  const own = await addDestination('telegram')
  const linkChat = (chatId: number) => {
    const sealed = sealSecrets(server.ctx.config, own.id, { chatId, threadId: null })
    return updateDestination(server.ctx.db, own.id, { ...clearedCodeColumns, sealed, state: 'on' })
  }
  await linkChat(CHAT_ID)
  let releaseResponse = () => {}
  const gate = new Promise<void>((resolve) => {
    releaseResponse = resolve
  })
  nextResponses.set(sendPath, [{ ...groupMovedResponse, gate }])
  const { logIndex } = await issue('A spike while another chat is linked')
  await eventually(() => expect(findLastSent()?.text).toContain('A spike while another chat is linked'))
  await linkChat(-5)
  releaseResponse()
  await eventually(async () => expect(await findLedgerRow(own, logIndex)).toMatchObject({ state: 'delivered' }))
  const next = await issue('A spike for the other chat')
  await eventually(async () => expect(await findLedgerRow(own, next.logIndex)).toMatchObject({ state: 'delivered' }))
  expect(findLastSent()).toMatchObject({ chat_id: -5 })
  await own.client.call('deleteDestination', { params: { id: own.id } })
})

test('an admin sees counts of each channel kind and can test the Telegram bot, without seeing secrets', async () => {
  const login = { email: 'operator@example.com', password: 'a very long password of an admin' }
  await createAccount(server.ctx, { ...login, name: 'Admin', role: 'admin', verified: true })
  const admin = server.createClient()
  await admin.call('login', { body: login })
  const slackDestination = await addConfirmedDestination('slack', '/services/admin')
  nextResponses.set('/services/admin', [{ status: 403, body: 'invalid_token' }])
  const { logIndex } = await issue('A spike that is refused')
  await eventually(async () => expect(await findLedgerRow(slackDestination, logIndex)).toMatchObject({ state: 'dead' }))
  // Poll, because the alert also goes to the Slack channels of other tests, and the figures count
  // these deliveries until they are sent.
  await eventually(async () => {
    const { kinds } = await admin.call('adminChannels')
    expect(kinds.find(({ kind }) => kind === 'slack')).toMatchObject({ failedLastHour: 1, waiting: 0, due: 0 })
  })
  const figures = await admin.call('adminChannels')
  expect(figures).toMatchObject({ hasTelegramBot: true, canPush: true })

  const workingResult = await admin.call('testTelegramBot')
  expect(workingResult).toMatchObject({ isWorking: true, message: 'The token is that of @tocsin_test_bot.' })
  nextResponses.set(`/bot${TOKEN}/getMe`, [
    { status: 401, body: '{"ok":false,"error_code":401,"description":"Unauthorized"}' },
  ])
  const failing = await admin.call('testTelegramBot')
  expect(failing).toMatchObject({ isWorking: false, message: 'Telegram says: Unauthorized' })
  expect(JSON.stringify([figures, workingResult, failing])).not.toMatch(/tttt|services\/|424242/)
  await expect(slackDestination.client.call('testTelegramBot')).rejects.toMatchObject({ code: 'admin_required' })
})
