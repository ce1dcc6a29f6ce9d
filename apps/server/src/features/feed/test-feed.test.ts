import { once } from 'node:events'
import { createServer } from 'node:http'
import { fakeClock, testConfig } from '@tocsin/testkit'
import { afterEach, expect, test, vi } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { testFeed } from './test-feed.ts'

/** Maximum duration of a test. nginx gives up after 10 seconds (ops/nginx.conf). */
const MAX_MS = 8_000
const SLOW_HANDSHAKE_MS = 4_900

const server = createServer()
afterEach(() => {
  vi.useRealTimers()
  server.closeAllConnections()
  server.close()
})

test('testFeed: ends after eight seconds, however late the connection was accepted', async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = Object(server.address())
  const upgrades = new WebSocketServer({ noServer: true })
  const upgradeEvent = once(server, 'upgrade')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const config = testConfig({ feed: { allowPrivate: true } })
  const result = testFeed({ config, clock: fakeClock() }, { endpoint: `ws://127.0.0.1:${port}`, apiKey: null })
  const [request, stream, head] = await upgradeEvent
  vi.advanceTimersByTime(SLOW_HANDSHAKE_MS)
  const socket = await new Promise<WebSocket>((resolve) => upgrades.handleUpgrade(request, stream, head, resolve))
  const pingSocket = () => {
    socket.ping()
    return Promise.race([once(socket, 'pong').then(() => 'open'), once(socket, 'close').then(() => 'closed')])
  }
  expect(await pingSocket()).toBe('open')
  vi.advanceTimersByTime(MAX_MS - SLOW_HANDSHAKE_MS)
  expect(await pingSocket()).toBe('closed')
  expect(await result).toEqual({
    success: true,
    message: 'Connected and authenticated. No signal came within the 8 seconds of a test: the feed may be quiet.',
    connectedAfterMs: SLOW_HANDSHAKE_MS,
  })
})
