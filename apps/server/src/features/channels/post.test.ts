import { randomInt } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createSelfSignedCertificate } from '@tocsin/testkit/self-signed'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { createLookup } from '../feed/endpoint.ts'
import { parseWebhookUrl, postMessage } from './post.ts'

let server: Server | undefined
afterEach(async () => {
  server?.closeAllConnections()
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(null)))
  server = undefined
})

async function listen(answer: RequestListener): Promise<string> {
  server = createServer(answer)
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}

const message = { headers: {}, body: '{}', allowPrivate: true, signal: new AbortController().signal }

test.each([
  'http://example.com',
  'ftp://example.com',
  'data:text/plain,x',
  'https://user:pass@example.com',
  'https://[::1]',
  'https://127.0.0.1',
  'https://2130706433',
  'https://169.254.169.254/latest',
  'https://localhost',
  'https://example.com:22',
  'https://example.com:5432',
  'text',
  `https://${'x'.repeat(10_000)}:1`,
])('parseWebhookUrl: refuses %s', (url) => {
  expect(() => parseWebhookUrl(url, false)).toThrow()
})

test.each(['https://example.com/a?b=c', 'https://example.com:8443', 'https://1.1.1.1'])(
  'parseWebhookUrl: accepts %s',
  (url) => {
    expect(parseWebhookUrl(url, false).href).toContain(url)
  },
)

test('post: does not connect if one of the addresses of the host name is private', async () => {
  const resolve = async () => [
    { address: '1.1.1.1', family: 4 },
    { address: '10.0.0.1', family: 4 },
  ]
  const answer = await postMessage({ ...message, url: 'https://example.com', allowPrivate: false, resolve })
  expect(answer).toMatchObject({ status: null, response: 'The endpoint is not at a public address' })
})

test('post: refuses a host name whose address was public before and is private now', async () => {
  const answers = ['1.1.1.1', '10.0.0.1']
  const resolve = async () => [{ address: answers.shift() ?? '', family: 4 }]
  const { hostname } = parseWebhookUrl('https://rebinding.example/hook', false)
  const firstLookup = new Promise((found) => {
    createLookup(false, resolve)(hostname, {}, (error, address) => found(error ?? address))
  })
  expect(await firstLookup).toBe('1.1.1.1')
  const answer = await postMessage({ ...message, url: `https://${hostname}/hook`, allowPrivate: false, resolve })
  expect(answer).toMatchObject({ status: null, response: 'The endpoint is not at a public address' })
  expect(answers, 'resolved once for each request').toEqual([])
})

test('post: does not follow a redirect', async () => {
  let requests = 0
  const url = await listen((_request, response) => {
    requests += 1
    response.writeHead(302, { location: '/hook' }).end()
  })
  expect(await postMessage({ ...message, url })).toMatchObject({ status: 302 })
  expect(requests).toBe(1)
})

test('post: reads at most 64 KiB of a response and returns 500 characters', async () => {
  let isOver = false
  const url = await listen((_request, response) => {
    response.writeHead(200)
    const write = () => {
      while (!isOver && response.write('x'.repeat(65_536))) {}
    }
    response.on('drain', write).on('close', () => {
      isOver = true
    })
    write()
  })
  const answer = await postMessage({ ...message, url })
  expect([answer?.status, answer?.response.length]).toEqual([200, 500])
})

test.each([
  ['cut off', (response: ServerResponse) => response.destroy()],
  ['reset', (response: ServerResponse) => response.socket?.resetAndDestroy()],
])('post: returns the status when the connection is %s while the body arrives', async (_name, end) => {
  const url = await listen((_request, response) => {
    response.writeHead(200, { 'content-length': '100', 'retry-after': '7' })
    response.write('part')
    // End the response 50 ms later, when the client has read the status.
    setTimeout(() => end(response), 50)
  })
  expect(await postMessage({ ...message, url })).toMatchObject({ status: 200, retryAfterMs: 7_000 })
})

test('post: gives up when the endpoint never responds', async () => {
  const url = await listen(() => {})
  expect(await postMessage({ ...message, url, timeoutMs: 50 })).toMatchObject({
    status: null,
    response: 'No response within 15 seconds',
  })
})

test('post: accepts a response within 15 seconds, and gives up after that', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const openResponses: ServerResponse[] = []
    const url = await listen((_request, response) => void openResponses.push(response))
    const lateResponse = postMessage({ ...message, url })
    while (openResponses.length < 1) await new Promise(setImmediate)
    vi.advanceTimersByTime(14_900)
    openResponses[0]?.writeHead(200).end()
    expect(await lateResponse).toMatchObject({ status: 200 })
    const missingResponse = postMessage({ ...message, url })
    while (openResponses.length < 2) await new Promise(setImmediate)
    vi.advanceTimersByTime(15_000)
    expect(await missingResponse).toMatchObject({ status: null, response: 'No response within 15 seconds' })
  } finally {
    vi.useRealTimers()
  }
})

test('post: gives up when the body never ends, and returns the received status', async () => {
  const url = await listen((_request, response) => void response.writeHead(204).flushHeaders())
  expect(await postMessage({ ...message, url, timeoutMs: 200 })).toMatchObject({ status: 204 })
})

test('post: reports only that the endpoint could not be reached when the port is closed', async () => {
  const url = await listen(() => {})
  server?.closeAllConnections()
  await new Promise((resolve) => server?.close(resolve))
  expect(await postMessage({ ...message, url })).toMatchObject({ response: 'The endpoint could not be reached' })
})

test('post: reuses a connection only when keepsConnection is true', async () => {
  let connections = 0
  const url = await listen((_request, response) => response.end())
  server?.on('connection', () => {
    connections += 1
  })
  const send = (keepsConnection: boolean) => postMessage({ ...message, url, keepsConnection })
  for (const keepsConnection of [true, true]) expect(await send(keepsConnection)).toMatchObject({ status: 200 })
  expect(connections).toBe(1)
  for (const keepsConnection of [false, false]) expect(await send(keepsConnection)).toMatchObject({ status: 200 })
  expect(connections).toBe(3)
})

test('post: does not reuse a connection to a private address when the endpoint must be public', async () => {
  const privateServer = createSecureServer(createSelfSignedCertificate('private.example'), (_request, response) =>
    response.end(),
  )
  onTestFinished(() => {
    privateServer.closeAllConnections()
    privateServer.close()
    vi.unstubAllEnvs()
  })
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  // A loopback address that no other process uses, because the port is fixed.
  const address = `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`
  await new Promise<void>((resolve) => privateServer.listen(8443, address, resolve))
  const endpoint = {
    url: 'https://private.example:8443/hook',
    keepsConnection: true,
    resolve: async () => [{ address, family: 4 }],
  }
  expect(await postMessage({ ...message, ...endpoint })).toMatchObject({ status: 200 })
  expect(await postMessage({ ...message, ...endpoint, allowPrivate: false })).toMatchObject({
    status: null,
    response: 'The endpoint is not at a public address',
  })
})

test('post: repeats the request on a new connection when the server has closed the reused one', async () => {
  const usedSockets = new Set<unknown>()
  const url = await listen(({ socket }, response) => {
    if (usedSockets.has(socket)) return void socket.destroy()
    usedSockets.add(socket)
    response.end()
  })
  const send = () => postMessage({ ...message, url, keepsConnection: true })
  expect([await send(), await send()]).toMatchObject([{ status: 200 }, { status: 200 }])
  expect(usedSockets.size).toBe(2)
})

test('post: sends the message once when a reused connection is reset after the status has arrived', async () => {
  let requests = 0
  const url = await listen((_request, response) => {
    requests += 1
    if (requests !== 2) return void response.end()
    const reset = () => {
      unsubscribe('http.client.response.finish', reset)
      response.socket?.resetAndDestroy()
    }
    // Runs when the client has read the status.
    subscribe('http.client.response.finish', reset)
    response.writeHead(200, { 'content-length': '100' }).write('part')
  })
  const send = () => postMessage({ ...message, url, keepsConnection: true })
  expect([await send(), await send()]).toMatchObject([{ status: 200 }, { status: 200 }])
  // A duplicate would arrive before this message.
  await send()
  expect(requests).toBe(3)
})

test.each([
  ['before', 0],
  ['after', 1],
])(
  'post: writes the request only if the plan is still active when the connection opens: the plan ends %s it opens',
  async (_when, requests) => {
    let connections = 0
    let receivedCount = 0
    const url = await listen((_request, response) => {
      receivedCount += 1
      response.end()
    })
    server?.on('connection', () => {
      connections += 1
    })
    const answer = await postMessage({ ...message, url, mayWrite: async () => requests === 1 })
    await expect.poll(() => connections).toBe(1)
    expect(answer === null ? null : answer.status).toBe(requests === 1 ? 200 : null)
    expect(receivedCount).toBe(requests)
  },
)
