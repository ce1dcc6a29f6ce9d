import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * Below the ephemeral range (from 32768 on Linux), whose ports an outgoing connection could take at
 * any moment.
 */
const FIRST = 10_240
const BEYOND = 32_768
const TRIES = 100

/** Finds a TCP port that is currently free on the loopback interface. */
export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = randomInt(FIRST, BEYOND)
    if (await isFree(port)) return port
  }
  throw new Error('No free port was found')
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
