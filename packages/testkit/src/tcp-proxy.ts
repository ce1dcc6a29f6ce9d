import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy that can lose what it carries, as a network does that drops packets without a reset. */
export interface TcpProxy {
  port: number
  /** How many connections it has accepted, and how many pieces their clients have sent. */
  counts(): { connections: number; pieces: number }
  /** From now on nothing passes, in either direction. Connections that are open now stay silent for ever. */
  blackHole(): void
  /** New connections pass again. */
  heal(): void
  close(): Promise<void>
}

export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const open = new Set<Socket>()
  let generation = 0
  let isBlackHole = false
  let connections = 0
  let pieces = 0
  const server = createServer((client) => {
    const own = generation
    const passes = () => own === generation && !isBlackHole
    connections += 1
    keep(client)
    if (isBlackHole) return
    const target = keep(connect(targetPort, '127.0.0.1'))
    client.on('data', (piece) => {
      pieces += 1
      if (passes()) target.write(piece)
    })
    target.on('data', (piece) => {
      if (passes()) client.write(piece)
    })
    client.on('close', () => {
      if (passes()) target.destroy()
    })
    target.on('close', () => {
      if (passes()) client.destroy()
    })
  })
  const keep = (socket: Socket): Socket => {
    open.add(socket)
    return socket.on('error', () => {}).on('close', () => open.delete(socket))
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    // A listening TCP server has such an address.
    port: (server.address() as AddressInfo).port,
    counts: () => ({ connections, pieces }),
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
