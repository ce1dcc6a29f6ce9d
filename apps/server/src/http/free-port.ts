import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'

/**
 * Range of ports. It is below the ephemeral range (from 32768 on Linux), whose ports an outgoing
 * connection could use at any moment.
 */
const FIRST_PORT = 10_240
const END_PORT = 32_768
const MAX_TRIES = 100

/**
 * Finds a free TCP port on the loopback interface and reserves it until this process ends, so that
 * no other caller on this machine gets it before the port is used, or while its server restarts.
 */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const port = randomInt(FIRST_PORT, END_PORT)
    if ((await reservePort(port)) && (await isFree(port))) return port
  }
  throw new Error('No free port was found')
}

/**
 * Reserves a TCP port by binding the UDP port of the same number. This does not affect TCP, and the
 * UDP port is released when this process ends. Returns false if the port is already reserved.
 */
export function reservePort(port: number): Promise<boolean> {
  const socket = createSocket('udp4').unref()
  return new Promise((resolve) => {
    socket.once('error', () => {
      socket.close()
      resolve(false)
    })
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(true))
  })
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
