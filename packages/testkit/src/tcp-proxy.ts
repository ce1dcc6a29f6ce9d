import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * A TCP proxy on the loopback interface, to PostgreSQL or any other server, that behaves like a bad
 * network.
 */
export interface TcpProxy {
  /** URL of the server through the proxy. */
  url: string
  port: number
  /** Number of accepted connections and of chunks received from clients. */
  counts(): { connections: number; chunks: number }
  /**
   * Drops all data in both directions from now on. Existing connections never receive data again,
   * not even after `heal`.
   */
  dropData(): void
  /** Closes all connections, and resets new ones. */
  resetConnections(): void
  /** Delays each chunk by this time in each direction. 0 ends the delay. */
  setDelay(delayMs: number): void
  /** Accepts new connections again, and forwards their data. */
  heal(): void
  /** Connects new connections to another port from now on. Closes existing ones. */
  pointTo(targetPort: number): void
  close(): Promise<void>
}

export interface ProxyOptions {
  /**
   * If true, connects from the loopback address of the client, so that the server sees that
   * address.
   */
  keepAddress?: boolean
  /**
   * If the client closes a black-holed connection, the proxy closes the server's end after this
   * time. This simulates TCP keepalive, by which a real server detects such a connection.
   */
  keepaliveMs?: number
}

/** The keepalive that the product sets for its sessions at PostgreSQL. */
const KEEPALIVE_MS = 25_000

/** Returns the ports of the servers, in the order in which a connection tries them. */
type FindPorts = () => readonly number[]

export async function startTcpProxy(targetUrl: string, options: ProxyOptions = {}): Promise<TcpProxy> {
  const { protocol, username, port, pathname } = new URL(targetUrl)
  let targetPort = Number(port)
  const proxy = await startPortProxy(() => [targetPort], options)
  const user = username === '' ? '' : `${username}@`
  return {
    ...proxy,
    url: `${protocol}//${user}127.0.0.1:${proxy.port}${pathname}`,
    pointTo(nextPort) {
      targetPort = nextPort
      proxy.reset()
    },
  }
}

/**
 * Starts a proxy in front of several servers. A connection goes to the first server that accepts
 * it.
 */
export async function startPortProxy(
  findPorts: FindPorts,
  { keepAddress = false, keepaliveMs = KEEPALIVE_MS }: ProxyOptions = {},
) {
  const openSockets = new Set<Socket>()
  let connectionGeneration = 0
  let isBlackHole = false
  let isCut = false
  let delayMs = 0
  let connections = 0
  let chunks = 0
  const trackSocket = (socket: Socket): Socket => {
    openSockets.add(socket)
    return socket.on('error', () => {}).on('close', () => openSockets.delete(socket))
  }
  const server = createServer((client) => {
    const ownGeneration = connectionGeneration
    const isForwarding = () => ownGeneration === connectionGeneration && !isBlackHole
    const [toTarget, toClient] = [createDelayLine(isForwarding), createDelayLine(isForwarding)]
    connections += 1
    trackSocket(client)
    if (isCut) client.resetAndDestroy()
    if (isCut || isBlackHole) return
    const waitingChunks: Buffer[] = []
    let target: Socket | null = null
    client.on('data', (chunk) => {
      chunks += 1
      if (target === null) waitingChunks.push(chunk)
      else toTarget(delayMs, () => target?.write(chunk))
    })
    client.on('close', () => {
      if (isForwarding()) toTarget(delayMs, () => target?.destroy())
      else setTimeout(() => target?.destroy(), keepaliveMs).unref()
    })
    const connectToNext = ([firstPort, ...otherPorts]: readonly number[]) => {
      if (firstPort === undefined || client.destroyed) return client.destroy()
      const localAddress = keepAddress ? client.remoteAddress : undefined
      const nextSocket = trackSocket(
        connect({ port: firstPort, host: '127.0.0.1', ...(localAddress ? { localAddress } : {}) }),
      )
      let isConnected = false
      nextSocket.on('connect', () => {
        isConnected = true
        target = nextSocket
        for (const chunk of waitingChunks.splice(0)) toTarget(delayMs, () => nextSocket.write(chunk))
      })
      nextSocket.on('data', (chunk) => toClient(delayMs, () => client.write(chunk)))
      nextSocket.on('close', () =>
        isConnected ? toClient(delayMs, () => client.destroy()) : connectToNext(otherPorts),
      )
    }
    connectToNext(findPorts())
  })
  const resetSockets = () => {
    for (const socket of openSockets) socket.destroy()
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has an AddressInfo, not a path.
  const { port } = server.address() as AddressInfo
  return {
    port,
    reset: resetSockets,
    counts: () => ({ connections, chunks }),
    dropData() {
      isBlackHole = true
    },
    resetConnections() {
      isCut = true
      resetSockets()
    },
    setDelay(ms: number) {
      delayMs = ms
    },
    heal() {
      if (isBlackHole) connectionGeneration += 1
      isBlackHole = false
      isCut = false
    },
    async close() {
      resetSockets()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/**
 * Creates one direction of a connection. Delayed chunks keep their order, even when the delay
 * becomes shorter.
 */
function createDelayLine(isForwarding: () => boolean): (delayMs: number, run: () => void) => void {
  const queue: (() => void)[] = []
  return (delayMs, run) => {
    if (delayMs === 0 && queue.length === 0) {
      if (isForwarding()) run()
      return
    }
    queue.push(run)
    // To keep the order, each timer forwards the oldest chunk, even before that chunk's delay has
    // passed.
    setTimeout(() => {
      const runOldest = queue.shift()
      if (isForwarding()) runOldest?.()
    }, delayMs)
  }
}
