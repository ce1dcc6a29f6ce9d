import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { addressOfKey, encodeStatement, hashLeaf, hashStatement, type LogEntry, signDigest } from '@tocsin/proof'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import type { SignerPool } from './signer-pool.ts'

const domain = { chainId: 31337, verifyingContract: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' } as const
const keys = [7, 8, 9].map((byte) => new Uint8Array(32).fill(byte))

function signed(index: number, key: Uint8Array): LogEntry {
  const createdAt = new Date(index * 1000).toISOString()
  const statement = { kind: 'heartbeat', index, createdAt, signer: addressOfKey(key) } as const
  const bytes = encodeStatement(statement)
  return {
    index,
    leafHash: `0x${Buffer.from(hashLeaf(bytes)).toString('hex')}`,
    bytes: Buffer.from(bytes).toString(),
    signature: signDigest(hashStatement(domain, statement), key),
  }
}

/** Threads run the bundled program, not its sources. */
async function startBundledPool(folder: string): Promise<SignerPool> {
  const outfile = join(folder, 'signer-pool.mjs')
  const source = fileURLToPath(new URL('./signer-pool.ts', import.meta.url))
  await build({ entryPoints: [source], outfile, bundle: true, platform: 'node', target: 'node20', format: 'esm' })
  // import() is untyped: the bundle has the exports of signer-pool.ts.
  const { createSignerPool } = (await import(pathToFileURL(outfile).href)) as typeof import('./signer-pool.ts')
  const pool = createSignerPool(domain)
  if (!pool) throw new Error('The bundle starts no threads')
  return pool
}

test('signer pool: returns signers in order, and null for entries that are malformed or withheld', async () => {
  const entries = Array.from({ length: 7 }, (_, index) => signed(index, keys[index % 3] ?? new Uint8Array(32)))
  const [valid] = entries
  const malformed = [
    { signature: null },
    { bytes: null, signature: null },
    { bytes: '{' },
    { signature: '0x' },
    { signature: `0x${'ff'.repeat(64)}1b` },
  ].map((change) => ({ ...valid, ...change }) as LogEntry)
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-pool-'))
  const pool = await startBundledPool(folder)
  try {
    const [first, second, none] = await Promise.all([
      pool.recover([...entries, ...malformed]),
      pool.recover(entries.slice(2, 3)),
      pool.recover([]),
    ])
    const addresses = entries.map((_, index) => addressOfKey(keys[index % 3] ?? new Uint8Array(32)))
    expect(first).toEqual([...addresses, ...malformed.map(() => null)])
    expect(second).toEqual([addresses[2]])
    expect(none).toEqual([])
  } finally {
    await pool.close()
    await rm(folder, { recursive: true })
  }
})
