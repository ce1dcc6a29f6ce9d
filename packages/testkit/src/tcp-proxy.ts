import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * A TCP proxy to PostgreSQL that can drop all data without closing connections, like a network that
 * drops packets.
 */
export interface TcpProxy {
  /** URL of the database through the proxy. */
  url: string
  /** Number of accepted connections and of chunks received from clients. */
  counts(): { connections: number; chunks: number }
  /**
   * Drops all data in both directions from now on. Existing connections stay silent permanently.
   */
  blackHole(): void
  /** Forwards data of new connections again. */
  heal(): void
  close(): Promise<void>
}

export async function startTcpProxy(databaseUrl: string): Promise<TcpProxy> {
  const { port: targetPort, pathname } = new URL(databaseUrl)
  const open = new Set<Socket>()
  let generation = 0
  let isBlackHole = false
  let connections = 0
  let chunks = 0
  const server = createServer((client) => {
    const ownGeneration = generation
    const isForwarding = () => ownGeneration === generation && !isBlackHole
    connections += 1
    track(client)
    if (isBlackHole) return
    const target = track(connect(Number(targetPort), '127.0.0.1'))
    client.on('data', (chunk) => {
      chunks += 1
      if (isForwarding()) target.write(chunk)
    })
    target.on('data', (chunk) => {
      if (isForwarding()) client.write(chunk)
    })
    client.on('close', () => {
      if (isForwarding()) target.destroy()
    })
    target.on('close', () => {
      if (isForwarding()) client.destroy()
    })
  })
  const track = (socket: Socket): Socket => {
    open.add(socket)
    return socket.on('error', () => {}).on('close', () => open.delete(socket))
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has an AddressInfo, not a path.
  const { port } = server.address() as AddressInfo
  return {
    url: `postgres://tocsin@127.0.0.1:${port}${pathname}`,
    counts: () => ({ connections, chunks }),
    blackHole() {
      isBlackHole = true
    },
    heal() {
      isBlackHole = false
      generation += 1
    },
    async close() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
