import { closeCodes, serverMessage } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { addSubscription, type FakeClock, fakeClock, type TestClient } from '@tocsin/testkit'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setPassword } from '../src/features/accounts/service.ts'
import { createIssuer } from '../src/features/alerts/issue-alerts.ts'
import { openSocket, type RawSocket } from './raw-client.ts'

/**
 * Tests events that end a page's stream, and what the page receives when it resumes. Uses two
 * servers on one database.
 */

const parts = useTestDatabaseAndChain()
let clock: FakeClock
let server: TestServer
let otherServer: TestServer
let admin: TestClient
let accountCount = 0

beforeAll(async () => {
  clock = fakeClock(new Date())
  server = await startTestServer(parts, {}, { clock })
  otherServer = await startTestServer(parts, { databaseUrl: server.ctx.config.databaseUrl }, { clock })
  admin = await server.signInAdmin()
})
afterAll(() => Promise.all([server?.close(), otherServer?.close()]))

interface Trader {
  client: TestClient
  accountId: string
  walletAddress: string
}

async function addTrader(): Promise<Trader> {
  accountCount += 1
  const { client, accountId } = await server.addUser({ planMs: HOUR_MS })
  const wallet = parts.chain.wallet(accountCount)
  await client.proveWallet(wallet)
  return { client, accountId, walletAddress: wallet.account.address }
}

async function listen({ client, walletAddress }: Trader, on = server, cursor: object = {}): Promise<RawSocket> {
  const socket = await openSocket(on.url, { origin: on.url, cookie: client.cookie() })
  socket.send({ type: 'authenticate', walletAddress, ...cursor })
  await expect.poll(() => socket.frames.join()).toMatch(/"live"|subscription_expired/)
  return socket
}

const listLiveMessages = ({ frames }: RawSocket) =>
  frames.map((frame) => serverMessage.parse(JSON.parse(frame))).filter(({ type }) => type === 'live')

const getIndexes = ({ frames }: RawSocket) =>
  frames.flatMap((frame) => {
    const message = serverMessage.parse(JSON.parse(frame))
    return message.type === 'new_alert' && !message.isUpdate ? [message.alert.logIndex] : []
  })

async function issueAlerts(count: number): Promise<number[]> {
  const issueAlert = createIssuer(server.ctx)
  const content = {
    asset: 'BTC/USDT',
    summary: 'A signal',
    anomalyType: '',
    regime: '',
    confidence: 90,
    priority: 'high',
  } as const
  const issuedAlerts = await Promise.all(
    Array.from({ length: count }, () => issueAlert({ content, origin: 'admin', broadcast: true })),
  )
  return issuedAlerts.map(({ alert }) => alert.logIndex).sort((a, b) => a - b)
}

describe('a stream ends on every instance and receives no later alert when', () => {
  const streamEnds: [string, (trader: Trader) => Promise<unknown>, number][] = [
    ['the user signs out', ({ client }) => client.call('logout'), closeCodes.sessionEnded],
    [
      'the password is changed',
      ({ accountId }) => setPassword(server.ctx, accountId, 'another long password'),
      closeCodes.sessionEnded,
    ],
    [
      'the account is suspended',
      ({ accountId }) => admin.call('suspendUser', { params: { id: accountId }, body: { reason: 'Test' } }),
      closeCodes.sessionEnded,
    ],
    [
      'an admin ends its sessions',
      ({ accountId }) => admin.call('endUserSessions', { params: { id: accountId }, body: {} }),
      closeCodes.sessionEnded,
    ],
    [
      'an admin cancels the plan',
      ({ accountId }) => admin.call('cancelSubscription', { params: { id: accountId }, body: { reason: 'Test' } }),
      closeCodes.entitlementEnded,
    ],
    [
      'the wallet is unlinked',
      ({ client, walletAddress }) => client.call('unlinkWallet', { params: { address: walletAddress } }),
      closeCodes.entitlementEnded,
    ],
  ]
  test.each(streamEnds)('%s', async (_name, endStream, code) => {
    const trader = await addTrader()
    const [firstSocket, otherSocket] = [await listen(trader), await listen(trader, otherServer)]
    await endStream(trader)
    const [index] = await issueAlerts(1)
    await expect.poll(() => [firstSocket.closeCode(), otherSocket.closeCode()]).toEqual([code, code])
    // Check only this alert. An instance can read the alert of an earlier test late, while this
    // stream is open.
    expect([...getIndexes(firstSocket), ...getIndexes(otherSocket)]).not.toContain(index)
  })
})

describe('a stream that missed five hundred alerts resumes', () => {
  test('with all of them in order while the plan runs, and only with those issued before the expiry when it has ended', async () => {
    const [payingTrader, endedTrader] = [await addTrader(), await addTrader()]
    await addSubscription(server.ctx, payingTrader.accountId, 3 * HOUR_MS)
    clock.advance(HOUR_MS / 2)
    const indexesBefore = await issueAlerts(250)
    const lastIndex = (indexesBefore[0] ?? 0) - 1
    clock.advance(HOUR_MS / 2)
    const indexesAfter = await issueAlerts(250)
    const socket = await listen(payingTrader, server, { lastIndex })
    expect(getIndexes(socket)).toEqual([...indexesBefore, ...indexesAfter])
    expect(listLiveMessages(socket)).toEqual([expect.objectContaining({ recovered: true })])
    socket.close()
    const lateSocket = await listen(endedTrader, server, { lastIndex })
    expect(getIndexes(lateSocket)).toEqual(indexesBefore)
    await expect.poll(() => lateSocket.closeCode()).toBe(closeCodes.entitlementEnded)
  })
})

test('expired plan: a stream resends missed alerts without retractions and corrections issued after the expiry', async () => {
  const endedTrader = await addTrader()
  clock.advance(HOUR_MS / 2)
  const [first = 0, second = 0] = await issueAlerts(2)
  clock.advance(HOUR_MS / 2 + 1_000)
  // An admin session ends after 30 minutes without a call.
  admin = await server.signInAdmin()
  const sentAlerts = await admin.call('listAlerts')
  const findId = (logIndexOfAlert: number) => sentAlerts.find(({ logIndex }) => logIndex === logIndexOfAlert)?.id ?? ''
  const correction = {
    asset: 'BTC/USDT',
    summary: 'Corrected',
    confidence: 80,
    priority: 'high',
    broadcast: true,
  } as const
  await admin.call('retractAlert', { params: { id: findId(first) }, body: { reason: 'Stale book', broadcast: true } })
  await admin.call('correctAlert', { params: { id: findId(second) }, body: correction })
  const getSuperseded = ({ frames }: RawSocket) =>
    frames.flatMap((frame) => {
      const message = serverMessage.parse(JSON.parse(frame))
      return message.type === 'new_alert' ? [[message.alert.logIndex, message.alert.supersededBy?.kind ?? null]] : []
    })
  const lateSocket = await listen(endedTrader, server, { lastIndex: first - 1 })
  expect(getSuperseded(lateSocket)).toEqual([
    [first, null],
    [second, null],
  ])
  // Callers with access to all alerts see the retraction and the correction.
  const allAlerts = await admin.call('listAlerts')
  const findKind = (at: number) => allAlerts.find(({ logIndex }) => logIndex === at)?.supersededBy?.kind
  expect([findKind(first), findKind(second)]).toEqual(['retraction', 'correction'])
})
