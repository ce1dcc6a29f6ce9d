import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { Duplex } from 'node:stream'

export interface SignalFeed {
  endpoint: string
  /** The Authorization header of the newest connection. */
  authorization(): string | undefined
  /** Sends a message to all connected clients. */
  send(message: string): void
  close(): void
}

/**
 * Starts a WebSocket server (minimal RFC 6455) that accepts every client, sends `messages` on
 * connection and ignores everything it receives, including pings.
 */
export async function startSignalFeed(...messages: string[]): Promise<SignalFeed> {
  const sockets = new Set<Duplex>()
  let authorization: string | undefined
  const server = createServer()
  server.on('upgrade', ({ headers }, socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    authorization = headers.authorization
    const accept = createHash('sha1')
      .update(`${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64')
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    )
    for (const message of messages) socket.write(textFrame(message))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (!address || typeof address === 'string') throw new Error('No port')
  return {
    endpoint: `ws://127.0.0.1:${address.port}`,
    authorization: () => authorization,
    send(text) {
      for (const socket of sockets) socket.write(textFrame(text))
    },
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

function textFrame(text: string): Buffer {
  const payload = Buffer.from(text)
  if (payload.length > 65_535) throw new Error('Too long for this feed')
  const head = payload.length < 126 ? [0x81, payload.length] : [0x81, 126, payload.length >> 8, payload.length & 255]
  return Buffer.concat([Buffer.from(head), payload])
}
