import { createSocket } from 'node:dgram'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { expect, test } from 'vitest'
import type { EventRow } from './store.ts'
import { formatSyslog } from './syslog-message.ts'
import { createSyslogSender } from './syslog-sender.ts'

const createRow = (change: Partial<EventRow['event']> = {}): EventRow => ({
  event: {
    id: 7,
    at: new Date('2026-01-15T12:00:00.000Z'),
    category: 'sign-in',
    kind: 'signed_in',
    accountRef: 'ref',
    subjectRef: null,
    network: '192.0.2.7',
    detail: 'Signed in by password and passkey',
    requestId: 'r1',
    ...change,
  },
  account: { id: 'a1', name: 'Ada' },
  subject: null,
})

test('syslog message: has the form of RFC 5424 with facility 13', () => {
  expect(formatSyslog(createRow(), 'host.example', 42)).toBe(
    '<110>1 2026-01-15T12:00:00.000Z host.example tocsin 42 signed_in [tocsin@32473 id="7" category="sign-in" account="a1" network="192.0.2.7" request="r1"] Signed in by password and passkey',
  )
})

test.each([
  ['alarm', '<105>1 '],
  ['refused', '<108>1 '],
  ['admin', '<109>1 '],
] as const)('syslog message: of the category %s begins with the priority “%s”', (category, start) => {
  expect(formatSyslog(createRow({ category }))).toMatch(new RegExp(`^${start}`))
})

test('syslog message: delimiters and control characters in fields are escaped or removed', () => {
  const message = formatSyslog(
    createRow({ network: '"] x\\', detail: 'a\r\n<0>1 forged\u0000', kind: 'é k' }),
    'h ö',
    1,
  )
  expect(message).toContain('network="\\"\\] x\\\\"')
  expect(message).not.toMatch(/\p{Cc}/u)
  expect(message).toContain(' h tocsin 1 k [')
  expect(message.endsWith('] a <0>1 forged ')).toBe(true)
})

test('syslog over UDP: sends one datagram of at most 2,048 bytes for each message', async () => {
  const receiver = createSocket('udp4').bind(0, '127.0.0.1')
  await once(receiver, 'listening')
  const receivedMessages: Buffer[] = []
  receiver.on('message', (bytes) => receivedMessages.push(bytes))
  const sender = createSyslogSender({ protocol: 'udp', host: '127.0.0.1', port: receiver.address().port })
  await sender.send(['first', 'x'.repeat(5_000)])
  await expect.poll(() => receivedMessages.map(({ length }) => length)).toEqual([5, 2_048])
  sender.close()
  receiver.close()
})

test('syslog over TCP: frames messages by their length, and connects again after the receiver has closed', async () => {
  let text = ''
  const sockets: Socket[] = []
  const receiver = createTcpServer((socket) => {
    sockets.push(socket)
    socket.on('data', (bytes) => {
      text += bytes
    })
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const address = receiver.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const sender = createSyslogSender({ protocol: 'tcp', host: '127.0.0.1', port })
  await sender.send(['one', 'zwölf'])
  await expect.poll(() => text).toBe('3 one6 zwölf')
  const closed = once(sockets[0] ?? receiver, 'close')
  sockets[0]?.destroy()
  await closed
  await expect
    .poll(async () => {
      await sender.send(['again']).catch(() => {})
      return sockets.length
    })
    .toBe(2)
  await expect.poll(() => text).toMatch(/5 again$/)
  sender.close()
  receiver.close()
  await once(receiver, 'close')
  await expect(sender.send(['no receiver'])).rejects.toThrow()
})

test('syslog over TCP: sending adds no listeners to the connection', async () => {
  const connections: Socket[] = []
  const onConnect = (message: unknown) => void connections.push((message as { socket: Socket }).socket)
  subscribe('net.client.socket', onConnect)
  const receiver = createTcpServer((socket) => void socket.resume()).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const address = receiver.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const sender = createSyslogSender({ protocol: 'tcp', host: '127.0.0.1', port })
  await sender.send(['first'])
  unsubscribe('net.client.socket', onConnect)
  const [connection] = connections
  const listenersBefore = connection?.listenerCount('close')
  expect(listenersBefore).toBeGreaterThan(0)
  for (let n = 0; n < 20; n++) await sender.send(['next'])
  expect(connections).toHaveLength(1)
  expect(connection?.listenerCount('close')).toBe(listenersBefore)
  sender.close()
  receiver.close()
})

test('syslog over TLS: a receiver without a trusted certificate gets nothing', async () => {
  // Without a certificate the handshake fails, as it does with a certificate that no trusted
  // authority has issued.
  const receiver = createTlsServer({}, () => {}).listen(0, '127.0.0.1')
  receiver.on('tlsClientError', () => {})
  await once(receiver, 'listening')
  const address = receiver.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const sender = createSyslogSender({ protocol: 'tls', host: '127.0.0.1', port })
  await expect(sender.send(['secret'])).rejects.toThrow()
  receiver.close()
})
