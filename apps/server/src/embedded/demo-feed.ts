import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { type WebSocket, WebSocketServer } from 'ws'
import { type Scheduler, systemScheduler } from '../scheduler.ts'
import { makeSignal, type Random } from './demo-signal.ts'

export interface DemoFeed {
  /** ws:// URL on loopback. */
  url: string
  close(): Promise<void>
}

const FIRST_AFTER_MS = 8_000
const SHORTEST_PAUSE_MS = 20_000
const LONGEST_PAUSE_MS = 60_000
const PING_MS = 30_000

/** A signal feed like a real one, on a free loopback port: wants the Bearer key, then sends a signal every 20 to 60 seconds. */
export async function startDemoFeed({
  apiKey,
  random = Math.random,
  schedule = systemScheduler,
}: {
  apiKey: string
  random?: Random
  schedule?: Scheduler
}): Promise<DemoFeed> {
  const server = createServer((_request, response) => response.writeHead(426).end())
  const sockets = new WebSocketServer({
    server,
    perMessageDeflate: false,
    maxPayload: 1024,
    verifyClient: ({ req }: { req: { headers: { authorization?: string | undefined } } }) =>
      isEqual(req.headers.authorization ?? '', `Bearer ${apiKey}`),
  })
  sockets.on('connection', (socket) => sendSignals(socket, random, schedule))
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The demo feed has no port')
  return {
    url: `ws://127.0.0.1:${address.port}`,
    close: () => closeAll(sockets, server),
  }
}

function sendSignals(socket: WebSocket, random: Random, schedule: Scheduler): void {
  let stop = schedule.after(FIRST_AFTER_MS, send)
  const stopPinging = schedule.every(PING_MS, () => socket.ping())
  socket.on('error', () => socket.terminate())
  socket.on('close', () => {
    stop()
    stopPinging()
  })
  function send() {
    socket.send(JSON.stringify(makeSignal(random, new Date())))
    stop = schedule.after(SHORTEST_PAUSE_MS + random() * (LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS), send)
  }
}

async function closeAll(sockets: WebSocketServer, server: ReturnType<typeof createServer>): Promise<void> {
  for (const socket of sockets.clients) socket.terminate()
  sockets.close()
  server.closeAllConnections()
  await new Promise<void>((resolve) => server.close(() => resolve()))
}

/** In the same time whatever differs. */
function isEqual(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}
