import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'

export interface SignalFeed {
  endpoint: string
  /** The Authorization header of the newest connection. */
  authorization(): string | undefined
  /**
   * Sends a message to all connected clients and again on each later connection, because a busy
   * product can lose its connection, or the lease for it, at any time. The product ignores signals
   * that it already has.
   */
  send(message: string): void
  /** From now on, closes each new connection as soon as it is open. */
  closeNewConnections(): void
  close(): void
}

/** Starts a signal feed that accepts every client and sends `messages` on each connection. */
export async function startSignalFeed(...messages: string[]): Promise<SignalFeed> {
  let authorization: string | undefined
  let closesConnections = false
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  server.on('connection', (socket, { headers }) => {
    socket.on('error', () => {})
    authorization = headers.authorization
    for (const message of messages) socket.send(message)
    if (closesConnections) socket.close()
  })
  await once(server, 'listening')
  return {
    endpoint: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    authorization: () => authorization,
    send(text) {
      messages.push(text)
      for (const socket of server.clients) socket.send(text)
    },
    closeNewConnections() {
      closesConnections = true
    },
    close() {
      for (const socket of server.clients) socket.terminate()
      server.close()
    },
  }
}
