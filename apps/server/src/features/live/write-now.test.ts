import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeNow } from './write-now.ts'

let server: Server
beforeAll(async () => {
  server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => {
  server.close()
})

async function open(): Promise<{ ours: Socket; peer: Socket }> {
  const arrived = once(server, 'connection')
  const peer = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [ours]: Socket[] = await arrived
  if (!ours) throw new Error('Nobody came')
  return { ours, peer }
}

describe('writeNow', () => {
  it('writes nothing to a closed socket or one with queued data', async () => {
    const { ours, peer } = await open()
    const bytes = Buffer.from('a')
    ours.cork()
    ours.write('first')
    expect(writeNow(ours, bytes)).toBe(bytes)
    ours.uncork()
    ours.destroy()
    expect(writeNow(ours, bytes)).toBe(bytes)
    peer.destroy()
  })

  it('returns what does not fit into the kernel buffer, so that nothing is lost or reordered', async () => {
    const { ours, peer } = await open()
    peer.pause()
    let sent = 0
    let waits = false
    for (let write = 0; write < 200; write += 1) {
      const bytes = Buffer.alloc(100_000, write)
      sent += bytes.length
      const rest = writeNow(ours, bytes)
      if (rest) ours.write(rest)
      waits ||= rest !== null
    }
    expect(waits).toBe(true)
    ours.end()
    const chunks: Buffer[] = []
    for await (const chunk of peer) chunks.push(chunk)
    const heard = Buffer.concat(chunks)
    expect(heard.length).toBe(sent)
    expect(heard.every((byte, at) => byte === Math.floor(at / 100_000) % 256)).toBe(true)
  })
})
