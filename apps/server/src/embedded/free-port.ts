import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below the ports that Linux (32768) and others give to whoever connects somewhere: one of those could be taken a moment later. */
const FIRST = 10_240
const BEYOND = 32_768
const TRIES = 100

/** A TCP port that was free on the loopback interface a moment ago. */
export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = randomInt(FIRST, BEYOND)
    if (await isFree(port)) return port
  }
  throw new Error('the system gave no free port')
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
