import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * Below the ephemeral range: an outgoing connection could take an ephemeral port while the server
 * is down.
 */
const FROM = 20_000
const TO = 30_000

/**
 * Finds a free TCP port on the loopback interface that stays usable while a server crashes and
 * restarts.
 */
export async function findReusablePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    const port = randomInt(FROM, TO)
    if (await isFree(port)) return port
  }
  throw new Error(`No port from ${FROM} to ${TO} is free`)
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
