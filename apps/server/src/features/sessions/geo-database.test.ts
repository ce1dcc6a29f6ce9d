import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getNetwork } from '../../http/network.ts'
import { openGeoDatabase } from './geo-database.ts'

const silentLogger = pino({ level: 'silent' })
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'geo-database-'))
})
afterAll(() => rm(folder, { recursive: true }))

describe('openGeoDatabase', () => {
  test('rejects a missing file and one in another format, and names the setting', async () => {
    await expect(openGeoDatabase(join(folder, 'missing.mmdb'), silentLogger)).rejects.toThrow(
      'GEO_DATABASE cannot be read',
    )
    const path = join(folder, 'other.mmdb')
    await writeFile(path, 'not a database')
    await expect(openGeoDatabase(path, silentLogger)).rejects.toThrow('GEO_DATABASE cannot be read')
  })

  test('returns no location without a database', async () => {
    const { findLocation } = await openGeoDatabase(null, silentLogger)
    expect(findLocation('203.0.113.7')).toBeNull()
  })

  test('finds the city and country of IPv4 addresses and IPv6 networks', async () => {
    const path = join(folder, 'city.mmdb')
    const lyon = { city: { names: { en: 'Lyon' } }, country: { names: { en: 'France' } } }
    const files = { '2001:db8:1:2::/64': lyon, '203.0.113.7': { country: { names: { en: 'Japan' } } } }
    await writeFile(path, encodeDatabase([...Object.entries(files), ['198.51.100.1', {}]]))
    const { findLocation, close } = await openGeoDatabase(path, silentLogger)
    expect(findLocation(getNetwork('2001:db8:1:2:3::4'))).toBe('Lyon, France')
    expect(findLocation(getNetwork('::ffff:203.0.113.7'))).toBe('Japan')
    for (const network of ['198.51.100.1', '203.0.113.8', '2001:db8:1:3::/64', 'unix', null]) {
      expect(findLocation(network), `${network}`).toBeNull()
    }
    close()
  })

  test('reads a replaced file, and keeps the former content while the file is invalid', async () => {
    const path = join(folder, 'replaced.mmdb')
    const encodeCountry = (name: string) => encodeDatabase([['203.0.113.7', { country: { names: { en: name } } }]])
    const replaceFile = async (content: string | Buffer) => {
      await writeFile(`${path}.new`, content)
      await rename(`${path}.new`, path)
    }
    const logLines: string[] = []
    const logger = pino({ level: 'error' }, { write: (line: string) => void logLines.push(line) })
    await replaceFile(encodeCountry('Japan'))
    const { findLocation, close } = await openGeoDatabase(path, logger, 10)
    // Replace the file at each poll: the first check for changes only records the file's state.
    await expect
      .poll(async () => {
        await replaceFile('not a database')
        return logLines.length
      })
      .toBeGreaterThan(0)
    expect(findLocation('203.0.113.7')).toBe('Japan')
    await expect
      .poll(async () => {
        await replaceFile(encodeCountry('France'))
        return findLocation('203.0.113.7')
      })
      .toBe('France')
    close()
  })
})

type Value = string | { uint: number } | { [key: string]: Value }

/**
 * Encodes a database in MaxMind's format, version 2.0: a binary tree of IPv6 addresses, then data.
 */
function encodeDatabase(entries: [network: string, data: Value][]): Buffer {
  const nodes: [number | string, number | string][] = [['', '']]
  const data: Buffer[] = []
  const offsets = new Map<string, number>()
  for (const [network, value] of entries) {
    offsets.set(network, Buffer.concat(data).length)
    data.push(encode(value))
    const bits = toBits(network)
    let nodeIndex = 0
    for (const [depth, bit] of [...bits].entries()) {
      const node = nodes[nodeIndex]
      if (!node) throw new Error('Node not found')
      const side = bit === '1' ? 1 : 0
      if (depth === bits.length - 1) node[side] = network
      else if (typeof node[side] === 'number') nodeIndex = node[side]
      else {
        nodeIndex = nodes.push(['', '']) - 1
        node[side] = nodeIndex
      }
    }
  }
  const encodeRecord = (side: number | string) => {
    const value = typeof side === 'number' ? side : nodes.length + (side === '' ? 0 : 16 + (offsets.get(side) ?? 0))
    return [value >> 16, (value >> 8) & 255, value & 255]
  }
  const metadata = {
    binary_format_major_version: { uint: 2 },
    binary_format_minor_version: { uint: 0 },
    build_epoch: { uint: 1 },
    database_type: 'Test-City',
    ip_version: { uint: 6 },
    node_count: { uint: nodes.length },
    record_size: { uint: 24 },
  }
  const tree = Buffer.from(nodes.flat().flatMap(encodeRecord))
  const metadataMarker = Buffer.concat([Buffer.from([0xab, 0xcd, 0xef]), Buffer.from('MaxMind.com')])
  return Buffer.concat([tree, Buffer.alloc(16), ...data, metadataMarker, encode(metadata)])
}

/** Returns the bits of an IPv4 address in its IPv6 form (::a.b.c.d), or of a /64 prefix. */
function toBits(network: string): string {
  const toBinary = (part: number, width: number) => part.toString(2).padStart(width, '0')
  if (network.includes('.'))
    return (
      '0'.repeat(96) +
      network
        .split('.')
        .map((part) => toBinary(Number(part), 8))
        .join('')
    )
  return network
    .replace('::/64', '')
    .split(':')
    .map((part) => toBinary(Number.parseInt(part, 16), 16))
    .join('')
}

const STRING = 2
const UINT32 = 6
const MAP = 7

function encode(value: Value): Buffer {
  const encodeHead = (type: number, size: number) => Buffer.from([(type << 5) | size])
  if (typeof value === 'string')
    return Buffer.concat([encodeHead(STRING, Buffer.byteLength(value)), Buffer.from(value)])
  if ('uint' in value && typeof value.uint === 'number') {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value.uint)
    return Buffer.concat([encodeHead(UINT32, 4), bytes])
  }
  const parts = Object.entries(value as Record<string, Value>).flatMap(([key, entryValue]) => [
    encode(key),
    encode(entryValue),
  ])
  return Buffer.concat([encodeHead(MAP, parts.length / 2), ...parts])
}
