import { type ChildProcess, fork } from 'node:child_process'
import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createSelfSignedCertificate } from '@tocsin/testkit/self-signed'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SendCommand } from '../../../test/support/http-sender-test-child.ts'
import { sharedNowMs } from './http-message.ts'
import { sealSecrets } from './secrets.ts'

const config = { appSecret: 'a'.repeat(32), appSecretPrevious: null, allowPrivate: true }
let server: Server
let child: ChildProcess
const receivedRequests: { path: string; body: string }[] = []

const listener: RequestListener = async (request, response) => {
  const body = (await request.toArray()).join('')
  const path = request.url ?? ''
  receivedRequests.push({ path, body })
  if (path !== '/hang') response.writeHead(path === '/refuse' ? 403 : 200).end('heard')
}

beforeAll(async () => {
  server = createServer(listener)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  child = fork(join(import.meta.dirname, '../../../test/support/http-sender-test-child.ts'), {
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1' },
  })
})
afterAll(() => {
  child.kill()
  server.closeAllConnections()
  server.close()
})

async function send(
  path: string,
  {
    id = 'a',
    withinMs = 120_000,
    origin,
    addresses,
    ...options
  }: Partial<SendCommand> & {
    id?: string
    withinMs?: number
    origin?: string
    addresses?: LookupAddress[]
  } = {},
) {
  const secrets = { url: `${origin ?? `http://127.0.0.1:${getPort(server)}`}${path}`, token: null }
  const destination = { id, sealed: sealSecrets(config, 'a', secrets) }
  const message = {
    config,
    destination,
    at: new Date(),
    addresses,
    kind: 'slack' as const,
    message: { text: `To ${path}` },
  }
  child.send({ message, startByMs: sharedNowMs() + withinMs, ...options } satisfies SendCommand)
  const [report] = await once(child, 'message')
  return report
}

function getPort(listening: { address(): ReturnType<Server['address']> }): number {
  const address = listening.address()
  return typeof address === 'object' && address ? address.port : 0
}

test('sendHttp: sends a message from a worker thread and returns the response', async () => {
  expect(await send('/services/a')).toMatchObject({ answer: { status: 200, response: 'heard' } })
  expect(receivedRequests.at(-1)).toMatchObject({
    path: '/services/a',
    body: expect.stringContaining('To /services/a'),
  })
  expect(await send('/refuse')).toMatchObject({ answer: { status: 403 } })
})

test('sendHttp: connects only to the given addresses, and fails without any', async () => {
  const origin = `http://unknown.invalid:${getPort(server)}`
  const addresses = [{ address: '127.0.0.1', family: 4 }]
  expect(await send('/given', { origin, addresses })).toMatchObject({ answer: { status: 200 } })
  const knownOrigin = `http://localhost:${getPort(server)}`
  const response = 'The endpoint could not be reached'
  expect(await send('/none', { origin: knownOrigin, addresses: [] })).toMatchObject({
    answer: { status: null, response },
  })
})

test('sendHttp: reports UnreadableSecretError and sends nothing when the secret cannot be decrypted', async () => {
  const countBefore = receivedRequests.length
  expect(await send('/services/b', { id: 'another' })).toMatchObject({ error: 'UnreadableSecretError' })
  expect(receivedRequests).toHaveLength(countBefore)
})

test('sendHttp: aborts a request in flight when the server stops', async () => {
  expect(await send('/hang', { stopAfterMs: 100 })).toMatchObject({
    answer: { status: null, response: 'The server was stopped' },
  })
})

test('pauseSending: the worker thread starts no request during the pause', async () => {
  const askedAtMs = performance.now()
  expect(await send('/services/c', { pauseMs: 300 })).toMatchObject({ answer: { status: 200 } })
  expect(performance.now() - askedAtMs).toBeGreaterThan(300)
})

test('sendHttp: does not send a message when its latest start time after the plan check (`startByMs`) has passed', async () => {
  const countBefore = receivedRequests.length
  expect(await send('/services/d', { pauseMs: 300, withinMs: 100 })).toMatchObject({ error: 'StartedTooLate' })
  expect(receivedRequests).toHaveLength(countBefore)
  expect(await send('/services/d')).toMatchObject({ answer: { status: 200 } })
})

test.each([
  ['sends nothing if the plan has ended', { isEntitled: false }, 0],
  ['sends the message if the plan continues', { isEntitled: true }, 1],
  ['sends the message if the plan continues, even after another one', { isEntitled: true, sendsSecond: true }, 2],
])('sendHttp: checks the plan again when the connection opens slowly, and %s', async (_how, options, count) => {
  const secureServer = createHttpsServer(createSelfSignedCertificate('localhost'), listener)
  /** Delays each connection by 2.5 s, past the deadline for starting the message (`withinMs`). */
  const slowServer = createTcpServer(async (socket) => {
    await pause(2_500)
    secureServer.emit('connection', socket)
  })
  await once(slowServer.listen(0, '127.0.0.1'), 'listening')
  const countBefore = receivedRequests.length
  const origin = `https://127.0.0.1:${getPort(slowServer)}`
  const report = await send('/services/e', { origin, withinMs: 2_000, ...options })
  slowServer.close()
  secureServer.closeAllConnections()
  expect(report).toMatchObject({
    isAsked: true,
    ...(options.isEntitled ? { answer: { status: 200 } } : { error: 'StartedTooLate' }),
  })
  expect(receivedRequests).toHaveLength(countBefore + count)
})

test('sendHttp: does not check the plan again when the connection opens in time', async () => {
  expect(await send('/services/f', { isEntitled: false })).toMatchObject({ isAsked: false, answer: { status: 200 } })
})

test('sendHttp: the worker thread does not keep the process running', async () => {
  child.disconnect()
  expect(await once(child, 'exit')).toEqual([0, null])
})
