import type { Socket } from 'node:net'
import { openSocketPair } from '@tocsin/testkit'
import { describe, expect, it } from 'vitest'
import { WriteBatch } from './write-batch.ts'

async function openConnection() {
  const { socket, peer } = await openSocketPair()
  return { socket, peer, queue: (bytes: Buffer) => void socket.write(bytes) }
}

async function readAll(peer: Socket): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of peer) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

describe('a write batch', () => {
  it('queues data behind the data that the stream has already queued', async () => {
    const { socket, peer, queue } = await openConnection()
    const writes = new WriteBatch()
    socket.cork()
    socket.write('first ')
    writes.add({ socket, queue }, Buffer.from('second'))
    socket.uncork()
    writes.flush()
    socket.end()
    expect(await readAll(peer)).toBe('first second')
  })

  it('queues the data that does not fit into the kernel buffer, without loss', async () => {
    const { socket, peer, queue } = await openConnection()
    peer.pause()
    const piece = '0123456789'.repeat(10_000)
    let sentText = ''
    for (let write = 0; write < 100; write += 1) {
      const writes = new WriteBatch()
      writes.add({ socket, queue }, Buffer.from(piece))
      writes.flush()
      sentText += piece
    }
    expect(socket.writableLength).toBeGreaterThan(0)
    socket.end()
    expect(await readAll(peer)).toBe(sentText)
  })

  it("writes each target's own bytes, at the latest on flush", async () => {
    const targets = []
    for (let count = 0; count < 150; count += 1) targets.push(await openConnection())
    const writes = new WriteBatch()
    targets.forEach((target, index) => {
      writes.add(target, Buffer.from(`for ${index}`))
    })
    writes.flush()
    writes.flush()
    for (const { socket } of targets) socket.end()
    expect(await Promise.all(targets.map(({ peer }) => readAll(peer)))).toEqual(
      targets.map((_, index) => `for ${index}`),
    )
  })
})
