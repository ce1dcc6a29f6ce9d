import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { refuseUpgrade } from './upgrade.ts'

test('refuseUpgrade: closes the connection, so that the server can stop, when the client keeps its side open', async () => {
  const server = createServer().on('upgrade', (_request, socket) => {
    refuseUpgrade(socket, 'not_found', 'Not found')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = connect({ host: '127.0.0.1', port: Object(server.address()).port, allowHalfOpen: true })
  onTestFinished(() => void client.destroy())
  client.write('GET /any HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  let answer = ''
  client.on('data', (chunk) => {
    answer += chunk
  })
  await once(client, 'end')
  expect(answer).toMatch(/^HTTP\/1\.1 404 .*"code":"not_found"/s)
  // The server emits `close` once all of its connections are closed.
  await once(server.close(), 'close')
})
