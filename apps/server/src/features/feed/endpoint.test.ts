import { createSocket, type Socket } from 'node:dgram'
import { promises } from 'node:dns'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLookup, createPublicResolve } from './endpoint.ts'

function lookUp(addresses: string[], allowPrivate: boolean, all: boolean) {
  const resolve = async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  return new Promise((done, fail) =>
    createLookup(allowPrivate, resolve)('feed.example.com', { all }, (error, answer) =>
      error ? fail(error) : done(answer),
    ),
  )
}

describe('a resolved host name', () => {
  it.each([[['127.0.0.1']], [['1.1.1.1', '10.0.0.1']], [['1.1.1.1', '::1']], [['2606:4700::1', 'fd00::1']], [[]]])(
    'is rejected if it resolves to %j',
    async (addresses) => {
      for (const all of [true, false]) {
        await expect(lookUp(addresses, false, all)).rejects.toThrow('not at a public address')
      }
    },
  )

  it('yields exactly the checked addresses for the connection', async () => {
    expect(await lookUp(['1.1.1.1', '2606:4700::1'], false, true)).toEqual([
      { address: '1.1.1.1', family: 4 },
      { address: '2606:4700::1', family: 6 },
    ])
    expect(await lookUp(['1.1.1.1'], false, false)).toBe('1.1.1.1')
    expect(await lookUp(['127.0.0.1'], true, false)).toBe('127.0.0.1')
  })

  it('is resolved again at each connect, and rejected once it resolves to a private address', async () => {
    const answers = ['1.1.1.1', '169.254.169.254']
    const lookup = createLookup(false, async () => [{ address: answers.shift() ?? '', family: 4 }])
    const lookUpOnce = () =>
      new Promise((done, fail) =>
        lookup('feed.example.com', {}, (error, answer) => (error ? fail(error) : done(answer))),
      )
    expect(await lookUpOnce()).toBe('1.1.1.1')
    await expect(lookUpOnce()).rejects.toThrow('not at a public address')
  })
})

describe('a public host name', () => {
  let nameServer: Socket
  let queries: string[]

  beforeEach(async () => {
    queries = []
    nameServer = createSocket('udp4')
    nameServer.on('message', (query, { port }) => {
      const { name, type, end } = readQuestion(query)
      queries.push(`${name} ${type}`)
      if (!name.startsWith('silent')) nameServer.send(createAnswer(query, type, end), port)
    })
    nameServer.bind(0, '127.0.0.1')
    await once(nameServer, 'listening')
  })
  afterEach(() => void nameServer.close())

  const createResolve = () => {
    const resolver = new promises.Resolver({ timeout: 30_000, tries: 1 })
    resolver.setServers([`127.0.0.1:${(nameServer.address() as AddressInfo).port}`])
    return { resolve: createPublicResolve(resolver), cancel: () => resolver.cancel() }
  }

  it('is resolved although the DNS servers of many other names do not respond', async () => {
    const { resolve, cancel } = createResolve()
    const pendingQueries = Promise.allSettled(
      Array.from({ length: 50 }, (_, index) => resolve(`silent-${index}.example`)),
    )
    expect(await resolve('quick.example')).toEqual([{ address: '192.0.2.7', family: 4 }])
    cancel()
    expect((await pendingQueries).every(({ status }) => status === 'rejected')).toBe(true)
  })

  it('is queried once by concurrent lookups, and again by later ones', async () => {
    const { resolve } = createResolve()
    await Promise.all(Array.from({ length: 10 }, () => resolve('quick.example')))
    expect(queries.sort()).toEqual(['quick.example 1', 'quick.example 28'])
    await resolve('quick.example')
    expect(queries).toHaveLength(4)
  })
})

/** Reads the question of a DNS query (RFC 1035, 4.1.2). */
function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let offset = 12
  for (let length = query[offset] ?? 0; length > 0; length = query[offset] ?? 0) {
    labels.push(query.toString('latin1', offset + 1, offset + 1 + length))
    offset += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(offset + 1), end: offset + 5 }
}

/** Returns a DNS answer with one IPv4 address, or with no IPv6 address. */
function createAnswer(query: Buffer, type: number, end: number): Buffer {
  const records = type === 1 ? [Buffer.from('c00c00010001000000000004c0000207', 'hex')] : []
  const header = Buffer.from(query.subarray(0, 12))
  header.writeUInt16BE(0x8180, 2)
  header.writeUInt16BE(records.length, 6)
  // The answer contains no authority and no additional records.
  header.writeUInt32BE(0, 8)
  return Buffer.concat([header, query.subarray(12, end), ...records])
}
