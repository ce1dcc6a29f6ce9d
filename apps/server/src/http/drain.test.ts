import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createDrain } from './drain.ts'

const CLIENTS = 20

test('drain: serves requests on connections that were not accepted yet when the drain began', async () => {
  const drain = createDrain()
  const server = drain.createServer((_request, response) => void delay(20).then(() => response.end('answered')))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const sendRequest = () =>
    new Promise<string>((resolve) => {
      let answer = ''
      const socket = connect(port, '127.0.0.1').setEncoding('utf8')
      socket.on('data', (text) => {
        answer += text
      })
      socket.on('error', ({ message }) => resolve(message))
      socket.on('close', () => resolve(answer))
      socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
    })
  const answers = Array.from({ length: CLIENTS }, sendRequest)
  // The kernel establishes the connections now, but Node accepts them only in the next turn of the
  // event loop.
  await new Promise<void>((resolve) => process.nextTick(resolve))
  await drain.drain({ noticeMs: 0, timeoutMs: 10_000 }, async () => {})
  for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1.1 200 .*answered/s)
})
