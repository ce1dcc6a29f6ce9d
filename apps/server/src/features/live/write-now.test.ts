import { openSocketPair } from '@tocsin/testkit'
import { describe, expect, it } from 'vitest'
import { writeNow } from './write-now.ts'

describe('writeNow', () => {
  it('writes nothing to a closed socket or one with queued data', async () => {
    const { socket: ours, peer } = await openSocketPair()
    const bytes = Buffer.from('a')
    ours.cork()
    ours.write('first')
    expect(writeNow(ours, bytes)).toBe(bytes)
    ours.uncork()
    ours.destroy()
    expect(writeNow(ours, bytes)).toBe(bytes)
    peer.destroy()
  })

  it('returns the data that does not fit into the kernel buffer, so that nothing is lost or reordered', async () => {
    const { socket: ours, peer } = await openSocketPair()
    peer.pause()
    let sentBytes = 0
    let hasWaited = false
    for (let write = 0; write < 200; write += 1) {
      const bytes = Buffer.alloc(100_000, write)
      sentBytes += bytes.length
      const unwrittenBytes = writeNow(ours, bytes)
      if (unwrittenBytes) ours.write(unwrittenBytes)
      hasWaited ||= unwrittenBytes !== null
    }
    expect(hasWaited).toBe(true)
    ours.end()
    const chunks: Buffer[] = []
    for await (const chunk of peer) chunks.push(chunk)
    const received = Buffer.concat(chunks)
    expect(received.length).toBe(sentBytes)
    expect(received.every((byte, index) => byte === Math.floor(index / 100_000) % 256)).toBe(true)
  })
})
