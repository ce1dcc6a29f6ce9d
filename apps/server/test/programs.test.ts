import { byWalletSignature, openAlertStream } from '@tocsin/client'
import { closeCodes, formatSiwe, type ServerMessage, type StreamChallenge, serverMessage } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { addSubscription, type FakeClock, fakeClock, type TestClient, testAccount } from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { accounts } from '../src/db/schema/accounts.ts'
import { subscriptions } from '../src/db/schema/subscriptions.ts'
import { wallets } from '../src/db/schema/wallets.ts'
import { createAccount } from '../src/features/accounts/service.ts'
import { openSocket, type RawSocket } from './raw-client.ts'

/**
 * Tests programs on the live socket. They have no cookie and no Origin, and authenticate with a
 * signature of their wallet. Uses the whole server and a real chain.
 */

const parts = useTestDatabaseAndChain()
let clock: FakeClock
let server: TestServer
let admin: TestClient
/** Number of the test, from which its account, wallet and network address are derived. */
let testNumber = 400
let wallet: ReturnType<typeof testAccount>
let accountId: string

beforeAll(async () => {
  clock = fakeClock(new Date())
  server = await startTestServer(parts, { http: { trustedProxies: 1 } }, { clock })
  admin = await server.signInAdmin()
})
afterAll(() => server?.close())

beforeEach(async () => {
  testNumber += 1
  wallet = testAccount(testNumber)
  accountId = await addAccount(`trader-${testNumber}`)
  await linkWallet(wallet.address)
  await addSubscription(server.ctx, accountId, HOUR_MS)
})

async function addAccount(name: string): Promise<string> {
  const login = { email: `${name}@example.com`, password: `the long password of ${name}` }
  return createAccount(server.ctx, { ...login, name, role: 'user', verified: true })
}

const linkWallet = (address: string) =>
  server.ctx.db.insert(wallets).values({ address, accountId, linkedAt: clock.now() })

const connect = () =>
  openSocket(server.url, { 'x-forwarded-for': `198.51.${Math.floor(testNumber / 250)}.${testNumber % 250}` })

const getMessages = (socket: RawSocket): ServerMessage[] =>
  socket.frames.map((frame) => serverMessage.parse(JSON.parse(frame)))

async function waitForMessage<T extends ServerMessage['type']>(socket: RawSocket, type: T, count = 1) {
  return eventually(() => {
    const found = getMessages(socket).filter(
      (message): message is Extract<ServerMessage, { type: T }> => message.type === type,
    )[count - 1]
    if (!found) throw new Error(`Not received: ${type}, only ${socket.frames.join()}`)
    return found
  })
}

interface ResponseChange {
  /** Changes to the fields of the signed message. */
  fields?: Partial<StreamChallenge & { address: string }>
  /** Changes the text that is signed. */
  text?: (text: string) => string
  /** Changes to the message that is sent. */
  sent?: object
  signer?: ReturnType<typeof testAccount>
}

async function answerChallenge(
  socket: RawSocket,
  challenge: StreamChallenge,
  change: ResponseChange = {},
): Promise<void> {
  const { fields, text = (unchanged: string) => unchanged, sent, signer = wallet } = change
  const { type: _, ...rest } = { ...challenge, address: wallet.address, ...fields }
  const message = text(formatSiwe(rest))
  const signature = await signer.signMessage({ message })
  socket.send({ type: 'auth', walletAddress: wallet.address, message, signature, ...sent })
}

async function issue(summary = 'A signal'): Promise<string> {
  const body = { asset: 'BTC/USDT', anomalyType: 'Spread', summary, confidence: 90, priority: 'high' } as const
  return (await admin.call('createAlert', { body })).alert.id
}

async function listen(): Promise<RawSocket> {
  const socket = await connect()
  await answerChallenge(socket, await waitForMessage(socket, 'challenge'))
  await waitForMessage(socket, 'live')
  return socket
}

const createTimeGetter = (ms: number) => () => new Date(clock.now().getTime() + ms).toISOString()
const createTimeFields = (issuedMs: number, expiresMs: number) => () => ({
  issuedAt: createTimeGetter(issuedMs)(),
  expiresAt: createTimeGetter(expiresMs)(),
})

describe('a non-browser client is rejected with a reason and gets no alerts for', () => {
  const refusedCases: [string, () => ResponseChange, RegExp][] = [
    ['another domain', () => ({ fields: { domain: 'evil.example' } }), /another domain/],
    [
      'a domain that begins like the own one',
      () => ({ fields: { domain: `${new URL(server.url).hostname}.evil.example` } }),
      /domain/,
    ],
    ['another URI', () => ({ fields: { uri: 'http://evil.example' } }), /URI/],
    ['another chain', () => ({ fields: { chainId: 1 } }), /chain/],
    ['another nonce', () => ({ fields: { nonce: 'a'.repeat(32) } }), /nonce/],
    [
      'another statement',
      () => ({ fields: { statement: 'Sign in to Tocsin with this wallet. This costs nothing.' } }),
      /statement/,
    ],
    ['no statement', () => ({ text: (text) => text.replace(/Listen.+\n/, '') }), /statement/],
    ['another version', () => ({ text: (text) => text.replace('Version: 1', 'Version: 2') }), /EIP-4361/],
    ['another scheme', () => ({ text: (text) => `https://${text}` }), /scheme/],
    ['trailing text', () => ({ text: (text) => `${text}\n` }), /EIP-4361/],
    ['an old message', () => ({ fields: createTimeFields(-61_000, 60_000)() }), /just now/],
    ['a message from the future', () => ({ fields: createTimeFields(61_000, 120_000)() }), /domain|just now|later/],
    ['an expired message', () => ({ fields: createTimeFields(-30_000, 0)() }), /expired/],
    ['no expiration time', () => ({ text: (text) => text.replace(/\nExpiration Time.+/, '') }), /no expiration/],
    ['an expiration time too far away', () => ({ fields: createTimeFields(0, 600_001)() }), /too long/],
    ['another wallet in the message', () => ({ fields: { address: testAccount(1).address } }), /another wallet/],
    ['another wallet in the request', () => ({ sent: { walletAddress: testAccount(1).address } }), /another wallet/],
    ['a signature of another wallet', () => ({ signer: testAccount(1) }), /signature/],
    ['no signature', () => ({ sent: { signature: '' } }), /signature/],
    ['a number as the signature', () => ({ sent: { signature: 7 } }), /signature/],
    ['an unknown field', () => ({ sent: { accountId: 'another' } }), /accountId/],
    ['a negative cursor', () => ({ sent: { lastIndex: -1 } }), /lastIndex/],
    ['a huge cursor', () => ({ sent: { lastIndex: 1e308 } }), /lastIndex/],
    ['an unknown log', () => ({ sent: { lastIndex: 1, logId: 'another' } }), /logId/],
  ]
  test.each(refusedCases)('%s', async (_name, change, reason) => {
    const socket = await connect()
    await answerChallenge(socket, await waitForMessage(socket, 'challenge'), change())
    expect((await waitForMessage(socket, 'authentication_failed')).message).toMatch(reason)
    await issue()
    expect(socket.frames.join()).not.toMatch(/new_alert|"authenticated"/)
    socket.close()
  })

  test('the challenge of another socket, and its own challenge after a rejected response consumed it', async () => {
    const [firstSocket, otherSocket] = [await connect(), await connect()]
    const [ownChallenge, otherChallenge] = [
      await waitForMessage(firstSocket, 'challenge'),
      await waitForMessage(otherSocket, 'challenge'),
    ]
    await answerChallenge(firstSocket, otherChallenge)
    await waitForMessage(firstSocket, 'authentication_failed')
    // The rejected response has consumed the socket's own challenge.
    await answerChallenge(firstSocket, ownChallenge)
    await waitForMessage(firstSocket, 'authentication_failed', 2)
    await answerChallenge(firstSocket, await waitForMessage(firstSocket, 'challenge', 3))
    await waitForMessage(firstSocket, 'live')
    firstSocket.close()
    otherSocket.close()
  })

  test('all but one of fifty responses to one challenge', async () => {
    const socket = await connect()
    const challenge = await waitForMessage(socket, 'challenge')
    const { type: _, ...fields } = challenge
    const message = formatSiwe({ ...fields, address: wallet.address })
    const auth = {
      type: 'auth',
      walletAddress: wallet.address,
      message,
      signature: await wallet.signMessage({ message }),
    }
    for (let time = 0; time < 50; time++) socket.send(auth)
    await waitForMessage(socket, 'authentication_failed', 49)
    expect(getMessages(socket).filter(({ type }) => type === 'authenticated')).toHaveLength(1)
    socket.close()
  })

  test('an unknown wallet, one without a plan, and one of a suspended account', async () => {
    const stranger = testAccount(testNumber + 5_000)
    const socket = await connect()
    await answerChallenge(socket, await waitForMessage(socket, 'challenge'), {
      fields: { address: stranger.address },
      sent: { walletAddress: stranger.address },
      signer: stranger,
    })
    expect((await waitForMessage(socket, 'authentication_failed')).message).toBe('No account has this wallet')
    await admin.call('suspendUser', { params: { id: accountId }, body: { reason: 'Test' } })
    await answerChallenge(socket, await waitForMessage(socket, 'challenge', 2))
    expect((await waitForMessage(socket, 'authentication_failed', 2)).message).toBe('No account has this wallet')
    await admin.call('unsuspendUser', { params: { id: accountId }, body: { reason: 'Test' } })
    await server.ctx.db.delete(subscriptions).where(eq(subscriptions.accountId, accountId))
    await answerChallenge(socket, await waitForMessage(socket, 'challenge', 3))
    expect((await waitForMessage(socket, 'authentication_failed', 3)).message).toBe('No active subscription')
    await issue()
    expect(socket.frames.join()).not.toContain('new_alert')
    socket.close()
  })

  test('the wallet of an admin without a plan', async () => {
    await server.ctx.db.delete(subscriptions).where(eq(subscriptions.accountId, accountId))
    await server.ctx.db.update(accounts).set({ role: 'admin' }).where(eq(accounts.id, accountId))
    const socket = await connect()
    await answerChallenge(socket, await waitForMessage(socket, 'challenge'))
    expect((await waitForMessage(socket, 'authentication_failed')).message).toBe('No active subscription')
    socket.close()
  })

  test('an “authenticate” message, which is for browsers, as a browser is rejected for an “auth” message', async () => {
    const program = await connect()
    program.send({ type: 'authenticate', walletAddress: wallet.address })
    expect((await waitForMessage(program, 'authentication_failed')).message).toContain('send auth')
    const page = await openSocket(server.url, { origin: server.url, cookie: admin.cookie() })
    const challenge = await waitForMessage(program, 'challenge')
    await answerChallenge(page, challenge)
    expect((await waitForMessage(page, 'authentication_failed')).message).toContain('send authenticate')
    program.close()
    page.close()
  })

  test.each([
    ['the own Origin', () => ({ origin: server.url }), '401'],
    ['a foreign Origin', () => ({ origin: 'https://evil.example' }), '403'],
    ['an empty Origin', () => ({ origin: '' }), '403'],
    ['a cookie', () => ({ cookie: admin.cookie() }), '403'],
    ['any cookie', () => ({ cookie: 'a=b' }), '403'],
  ])('a connection with %s', async (_name, headers, status) => {
    await expect(openSocket(server.url, headers())).rejects.toThrow(status)
  })
})

describe('a non-browser client', () => {
  test('receives each alert immediately and again with its proof, and can resume', async () => {
    const socket = await listen()
    // Stop mining, so that the alert has no proof yet when it arrives, even if it arrives late.
    await parts.chain.control.setAutomine(false)
    const id = await issue()
    // Alerts of earlier tests may arrive too, with or without their proofs.
    const listCopies = () =>
      getMessages(socket).flatMap((message) =>
        message.type === 'new_alert' && message.alert.id === id ? [message.alert] : [],
      )
    const listTransactions = () => listCopies().map(({ avalancheTx }) => avalancheTx)
    await expect.poll(listTransactions).toEqual([null])
    await parts.chain.control.setAutomine(true)
    await parts.chain.mine()
    await expect.poll(listTransactions).toEqual([null, expect.stringMatching(/^0x/)])
    const [{ logIndex = 0 } = {}] = listCopies()
    const { logId } = await waitForMessage(socket, 'live')
    socket.close()
    const missedIds = [await issue(), await issue()]
    const resumedSocket = await connect()
    await answerChallenge(resumedSocket, await waitForMessage(resumedSocket, 'challenge'), {
      sent: { lastIndex: logIndex, logId },
    })
    expect((await waitForMessage(resumedSocket, 'live')).recovered).toBe(true)
    const ids = getMessages(resumedSocket).flatMap((message) =>
      message.type === 'new_alert' && !message.isUpdate ? [message.alert.id] : [],
    )
    expect(ids).toEqual(missedIds)
    resumedSocket.close()
  })

  test('is asked to reconnect, not refused, when its network made too many attempts', async () => {
    const socket = await connect()
    for (let time = 1; time <= 60; time++)
      socket.send({ type: 'auth', walletAddress: wallet.address, message: '', signature: '' })
    await waitForMessage(socket, 'authentication_failed', 60)
    const otherSocket = await connect()
    await answerChallenge(otherSocket, await waitForMessage(otherSocket, 'challenge'))
    await expect.poll(() => otherSocket.closeCode()).toBe(closeCodes.restart)
    expect(otherSocket.frames.join()).not.toContain('authentication_failed')
    socket.close()
  })

  test('receives alerts in the summary format when it requests it', async () => {
    const socket = await connect()
    await answerChallenge(socket, await waitForMessage(socket, 'challenge'), { sent: { format: 'summary' } })
    await waitForMessage(socket, 'live')
    const id = await issue('In short')
    const alert = { id, title: 'BTC/USDT: Spread', description: 'In short', priority: 'high' }
    // Alerts of earlier tests may arrive first.
    await expect
      .poll(() => getMessages(socket))
      .toContainEqual({ type: 'market_alert', data: expect.objectContaining(alert) })
    expect(await waitForMessage(socket, 'subscription_update')).toMatchObject({ status: 'active' })
    await server.ctx.db.delete(subscriptions).where(eq(subscriptions.accountId, accountId))
    await server.ctx.notifications.notify(server.ctx.db, 'entitlement', accountId)
    expect(await waitForMessage(socket, 'subscription_update', 2)).toMatchObject({ status: 'expired' })
    expect(socket.frames.join()).not.toMatch(/new_alert|subscription_expired/)
  })

  test('of a contract wallet is authenticated by its contract', async () => {
    const setContractAnswer = (word: string) =>
      parts.chain.control.setCode({ address: wallet.address, bytecode: `0x63${word}60e01b60005260206000f3` })
    const socket = await connect()
    await setContractAnswer('ffffffff')
    await answerChallenge(socket, await waitForMessage(socket, 'challenge'), {
      sent: { signature: `0x${'12'.repeat(65)}` },
    })
    expect((await waitForMessage(socket, 'authentication_failed')).message).toContain('signature')
    await setContractAnswer('1626ba7e')
    await answerChallenge(socket, await waitForMessage(socket, 'challenge', 2), {
      sent: { signature: `0x${'12'.repeat(65)}` },
    })
    await waitForMessage(socket, 'live')
    socket.close()
  })

  test('counts toward the five sockets of its account', async () => {
    const first = await listen()
    const otherSockets = [await listen(), await listen(), await listen(), await listen(), await listen()]
    await expect.poll(() => first.closeCode()).toBe(closeCodes.tooManySockets)
    expect(otherSockets.map((socket) => socket.closeCode())).toEqual([null, null, null, null, null])
    for (const socket of otherSockets) socket.close()
  })

  const streamEnds: [string, number, () => Promise<unknown>][] = [
    [
      'its plan is cancelled',
      closeCodes.entitlementEnded,
      () => admin.call('cancelSubscription', { params: { id: accountId }, body: { reason: 'Test' } }),
    ],
    [
      'its account is suspended',
      closeCodes.sessionEnded,
      () => admin.call('suspendUser', { params: { id: accountId }, body: { reason: 'Test' } }),
    ],
    [
      'its wallet is unlinked',
      closeCodes.sessionEnded,
      async () => {
        const client = server.createClient()
        const [email, password] = [`trader-${testNumber}@example.com`, `the long password of trader-${testNumber}`]
        await client.call('login', { body: { email, password } })
        await client.call('unlinkWallet', { params: { address: wallet.address } })
      },
    ],
  ]
  test.each(streamEnds)('is closed when %s, and receives no later alert', async (_name, code, endStream) => {
    const socket = await listen()
    await endStream()
    const id = await issue()
    await expect.poll(() => socket.closeCode()).toBe(code)
    expect(socket.frames.join()).not.toContain(id)
  })

  test('with the published client reports each alert once and reconnects', async () => {
    const receivedSummaries: string[] = []
    const sockets: WebSocket[] = []
    let maySign = Promise.resolve()
    const signMessage = async (request: { message: string }) => {
      await maySign
      return wallet.signMessage(request)
    }
    const stream = openAlertStream({
      url: `${server.url.replace(/^http/, 'ws')}/ws`,
      authenticate: byWalletSignature({ address: wallet.address, signMessage }),
      // Alerts of earlier tests may still arrive.
      onAlert: ({ summary }, missed) => {
        if (['one', 'two', 'three'].includes(summary))
          receivedSummaries.push(`${missed ? 'missed' : 'fresh'} ${summary}`)
      },
      random: () => 0,
      WebSocket: class extends WebSocket {
        constructor(url: string) {
          super(url)
          sockets.push(this)
        }
      },
    })
    await expect.poll(() => stream.state).toBe('live')
    await issue('one')
    await expect.poll(() => receivedSummaries).toEqual(['fresh one'])
    // The client cannot reconnect before the alert is issued, so it misses the alert and gets it
    // later.
    let allowSigning = () => {}
    maySign = new Promise((resolve) => {
      allowSigning = resolve
    })
    sockets[0]?.terminate()
    await expect.poll(() => stream.state).toBe('reconnecting')
    await issue('two')
    allowSigning()
    await expect.poll(() => stream.state).toBe('live')
    await issue('three')
    await expect.poll(() => receivedSummaries).toEqual(['fresh one', 'missed two', 'fresh three'])
    stream.close()
  })
})
