import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import type { Duplex } from 'node:stream'

/**
 * The behaviour of an abusive client. It never answers a close frame. It opens at most one socket
 * per second, or reconnects immediately if it is relentless.
 */
export interface FloodBehaviour {
  message: string
  perSecond: number
  /** Maximum number of messages per socket. After them, the socket stays open. */
  maxMessages: number
  /** True if the client reconnects immediately after every close or refusal. */
  isRelentless: boolean
}

export interface FloodFigures {
  messages: number
  accepted: number
  refused: number
  /** Longest time that a socket stayed open after its first message. */
  longestOpenMs: number
}

const TICK_MS = 5

/**
 * Floods the stream from one account and one address. Returns a function that stops the flood and
 * returns its statistics.
 */
export function flood(
  port: number,
  cookie: string,
  { message, perSecond, maxMessages, isRelentless }: FloodBehaviour,
): () => Promise<FloodFigures> {
  const messagesPerTick = (perSecond * TICK_MS) / 1_000
  const burst = Buffer.concat(Array.from({ length: messagesPerTick }, () => createMaskedFrame(message)))
  const figures: FloodFigures = { messages: 0, accepted: 0, refused: 0, longestOpenMs: 0 }
  const openSockets = new Set<Duplex>()
  let isStopped = false

  const connect = (): Promise<Duplex | null> =>
    new Promise((resolve) => {
      const headers = {
        host: `localhost:${port}`,
        origin: `http://localhost:${port}`,
        'x-forwarded-for': '192.0.2.1',
        cookie,
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': randomBytes(16).toString('base64'),
      }
      const upgradeRequest = request({ port, host: '127.0.0.1', path: '/ws', headers, agent: false })
      upgradeRequest.on('upgrade', (_answer, socket) => resolve(socket))
      upgradeRequest.on('response', (answer) => {
        answer.resume()
        resolve(null)
      })
      upgradeRequest.on('error', () => resolve(null))
      upgradeRequest.end()
    })

  const sendFlood = (socket: Duplex): Promise<void> =>
    new Promise((resolve) => {
      const beganAt = performance.now()
      let sentCount = 0
      const timer = setInterval(() => {
        if (sentCount >= maxMessages) {
          clearInterval(timer)
          return resolve()
        }
        socket.write(burst)
        sentCount += messagesPerTick
        figures.messages += messagesPerTick
      }, TICK_MS)
      openSockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        openSockets.delete(socket)
        clearInterval(timer)
        if (!isStopped && sentCount < maxMessages)
          figures.longestOpenMs = Math.max(figures.longestOpenMs, performance.now() - beganAt)
        resolve()
      })
      // A relentless client closes the socket itself when the server sends something.
      if (isRelentless) socket.once('data', () => socket.destroy())
      socket.resume()
    })

  const floodRepeatedly = async () => {
    while (!isStopped) {
      const beganAt = performance.now()
      const socket = await connect()
      if (socket) figures.accepted += 1
      else figures.refused += 1
      if (socket) await sendFlood(socket)
      const remainingMs = isRelentless ? TICK_MS : beganAt + 1_000 - performance.now()
      if (!isStopped && remainingMs > 0) await new Promise((resolve) => setTimeout(resolve, remainingMs))
    }
  }
  const running = floodRepeatedly()
  return async () => {
    isStopped = true
    for (const socket of openSockets) socket.destroy()
    await running
    return figures
  }
}

/** Returns a client's text frame with a zero mask (RFC 6455, section 5.2). */
function createMaskedFrame(text: string): Buffer {
  const payload = Buffer.from(text)
  const { length } = payload
  const head = length < 126 ? [0x81, 0x80 | length] : [0x81, 0x80 | 126, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), payload])
}
