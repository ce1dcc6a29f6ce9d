import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { publicUrl } from '@tocsin/server/test/support/live-test-bed.ts'
import { startTestDatabase } from '@tocsin/testkit'
import { type Memory, SOCKETS } from './instance.ts'

const MAX_GROWTH_MIB = 50
const CLOSE_TIMEOUT_MS = 20_000
const MASK = [0, 0, 0, 0]

const hundredMiBHeader = Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0x06, 0x40, 0, 0, ...MASK])
const fragment = Buffer.from([0x00, 0x81, ...MASK, 0x41])
const deflateBomb = deflateRawSync(Buffer.alloc(10 * 2 ** 20))

/** The raw frames that each client sends after its upgrade. */
const attacks: [string, Buffer[]][] = [
  ['frames of 100 MiB', [hundredMiBHeader, ...Array.from({ length: 100 }, () => Buffer.alloc(2 ** 20, 0x41))]],
  [
    '131,000 fragments of a byte',
    [Buffer.from([0x01, 0x81, ...MASK, 0x41]), Buffer.concat(Array(131_000).fill(fragment))],
  ],
  [
    'decompression bombs',
    [
      Buffer.concat([
        Buffer.from([0xc1, 0xfe, deflateBomb.length >> 8, deflateBomb.length & 255, ...MASK]),
        deflateBomb,
      ]),
    ],
  ],
  ['1,000 messages', [Buffer.concat(Array(1_000).fill(Buffer.from([0x81, 0x82, ...MASK, 0x7b, 0x7d])))]],
]

/**
 * Runs each attack with 50 clients concurrently. Prints the time until the server has closed all
 * their connections, and the growth of its memory.
 */
export async function testHostileClients(printLine: (line: string) => void): Promise<string[]> {
  const database = await startTestDatabase()
  const child = fork(join(import.meta.dirname, 'instance.ts'), { execArgv: ['--import', 'tsx'] })
  const exit = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`The server has ended (${signal ?? code})`)
  })
  // The rejection is expected when the test kills the server at its end.
  exit.catch(() => {})
  const askInstance = async (message: string): Promise<unknown> => {
    // Ignore the error of sending to a process that has ended, because `exit` reports it.
    child.send(message, () => {})
    const [answer] = await Promise.race([once(child, 'message'), exit])
    return answer
  }
  const problems: string[] = []
  try {
    const { port, hostname } = new URL(String(await askInstance(await database.createDatabase())))
    for (const [name, pieces] of attacks) {
      const memoryBefore = readMemory(await askInstance(''))
      const peers = await Promise.all(
        Array.from({ length: SOCKETS }, (_, index) => openWebSocket(hostname, Number(port), index)),
      )
      const beganAt = performance.now()
      const peerClosures = peers.map(async (peer) => {
        const peerClose = new Promise<void>((resolve) => peer.on('close', () => resolve()))
        for (const piece of pieces)
          if (!peer.destroyed && !peer.write(piece))
            await Promise.race([once(peer, 'drain'), peerClose]).catch(() => {})
        await Promise.race([
          peerClose,
          new Promise((_, reject) => setTimeout(() => reject(new Error('open')), CLOSE_TIMEOUT_MS)),
        ])
      })
      const openCount = (await Promise.allSettled(peerClosures)).filter(({ status }) => status === 'rejected').length
      const tookMs = performance.now() - beganAt
      // This is an upper bound, because the peak RSS may have been reached before the attack.
      const grownMiB = (readMemory(await askInstance('')).maxRss - memoryBefore.rss) / 2 ** 20
      for (const peer of peers) peer.destroy()
      printLine(
        `${name.padEnd(28)} x ${SOCKETS}: ${SOCKETS - openCount} closed after ${(tookMs / 1000).toFixed(1)} s, RSS grew by ${grownMiB.toFixed(0)} MiB at most`,
      )
      if (openCount > 0) problems.push(`${name}: ${openCount} stay open`)
      if (grownMiB > MAX_GROWTH_MIB) problems.push(`${name}: memory grew by ${grownMiB.toFixed(0)} MiB`)
    }
  } catch (error) {
    problems.push(String(error))
  } finally {
    child.kill('SIGKILL')
    await database.stop()
  }
  return problems
}

/** The cast is safe, because the child process sends no other messages. */
const readMemory = (answer: unknown) => answer as Memory

async function openWebSocket(host: string, port: number, peerIndex: number): Promise<Socket> {
  const socket = connect(port, host)
  socket.on('error', () => socket.destroy())
  socket.write(
    [
      'GET /ws HTTP/1.1',
      'Host: localhost',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Extensions: permessage-deflate',
      `Origin: ${publicUrl}`,
      `Cookie: person ${peerIndex}`,
      '',
      '',
    ].join('\r\n'),
  )
  const [answer] = await once(socket, 'data')
  if (!String(answer).startsWith('HTTP/1.1 101')) throw new Error(String(answer))
  socket.resume()
  return socket
}
