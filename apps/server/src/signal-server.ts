import { createServer, type Server } from 'node:http'
import { type WebSocket, WebSocketServer } from 'ws'
import { isEqualSecret } from './is-equal-secret.ts'

export interface SignalServer {
  /** ws:// URL on the loopback interface. */
  url: string
  close(): Promise<void>
}

/**
 * Serves the signal protocol on the loopback interface. Clients must send the key as a Bearer
 * token. If no key is configured, clients can connect without one.
 */
export async function startSignalServer({
  apiKey,
  port = 0,
  onConnection,
}: {
  apiKey: string | null
  port?: number
  onConnection(socket: WebSocket): void
}): Promise<SignalServer> {
  const server = createServer((_request, response) => response.writeHead(426).end())
  const sockets = new WebSocketServer({
    server,
    perMessageDeflate: false,
    maxPayload: 1024,
    verifyClient: ({ req }: { req: { headers: { authorization?: string | undefined } } }) =>
      apiKey === null || isEqualSecret(req.headers.authorization ?? '', `Bearer ${apiKey}`),
  })
  sockets.on('connection', (socket) => {
    socket.on('error', () => socket.terminate())
    onConnection(socket)
  })
  // The WebSocket server repeats each error of the HTTP server. `listen` below handles the
  // original, and an unhandled copy would end the process.
  sockets.on('error', () => {})
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The signal server has no port')
  return { url: `ws://127.0.0.1:${address.port}`, close: () => closeAll(sockets, server) }
}

async function closeAll(sockets: WebSocketServer, server: Server): Promise<void> {
  for (const socket of sockets.clients) socket.terminate()
  sockets.close()
  server.closeAllConnections()
  await new Promise<void>((resolve) => server.close(() => resolve()))
}
