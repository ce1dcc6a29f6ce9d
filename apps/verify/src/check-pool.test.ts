import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import {
  addressOfKey,
  encodeStatement,
  hashLeaf,
  hashStatement,
  type LogEntry,
  type OutcomeTask,
  type Prediction,
  signDigest,
} from '@tocsin/proof'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import type { CheckPool } from './check-pool.ts'
import { CannotCheck, UsageProblem } from './outcome.ts'

const domain = { chainId: 31337, verifyingContract: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' } as const
const keys = [7, 8, 9].map((byte) => new Uint8Array(32).fill(byte))

function createSignedEntry(index: number, key: Uint8Array): LogEntry {
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

/**
 * Starts a pool from a bundle, because threads run the bundled program and not its sources.
 * @param program if not null, the source text that the threads run instead of the bundle
 */
async function startBundledPool(
  folder: string,
  candles: string | null = null,
  program: string | null = null,
): Promise<CheckPool> {
  const outfile = join(folder, 'check-pool.mjs')
  const source = fileURLToPath(new URL('./check-pool.ts', import.meta.url))
  await build({ entryPoints: [source], outfile, bundle: true, platform: 'node', target: 'node20', format: 'esm' })
  // The cast is safe: the bundle has the exports of check-pool.ts.
  const { createCheckPool } = (await import(pathToFileURL(outfile).href)) as typeof import('./check-pool.ts')
  if (program !== null) await writeFile(outfile, program)
  const pool = createCheckPool({
    domain,
    evaluator: { candles, serverUrl: 'http://127.0.0.1:9', timeoutMs: 1_000 },
  })
  if (!pool) throw new Error('The bundle starts no threads')
  return pool
}

test('check pool: reads entries in order, and returns null for those that are malformed or withheld', async () => {
  const entries = Array.from({ length: 7 }, (_, index) =>
    createSignedEntry(index, keys[index % 3] ?? new Uint8Array(32)),
  )
  const [validEntry] = entries
  const malformed = [
    { signature: null },
    { bytes: null, signature: null },
    { bytes: '{' },
    { signature: '0x' },
    { signature: `0x${'ff'.repeat(64)}1b` },
  ].map((change) => ({ ...validEntry, ...change }) as LogEntry)
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-pool-'))
  const pool = await startBundledPool(folder)
  try {
    const [first, secondBatch, noEntries] = await Promise.all([
      pool.read([...entries, ...malformed]),
      pool.read(entries.slice(2, 3)),
      pool.read([]),
    ])
    const addresses = entries.map((_, index) => addressOfKey(keys[index % 3] ?? new Uint8Array(32)))
    expect(first?.map((read) => read?.signer ?? null)).toEqual([...addresses, ...malformed.map(() => null)])
    expect(first?.slice(0, 7).map((read) => read?.statement.index)).toEqual(entries.map(({ index }) => index))
    expect(secondBatch?.map((read) => read?.signer)).toEqual([addresses[2]])
    expect(noEntries).toEqual([])
  } finally {
    await pool.close()
    await rm(folder, { recursive: true })
  }
})

const prediction: Prediction = {
  metric: 'maxExcursion',
  comparison: 'gte',
  threshold: 1,
  venue: 'binance',
  market: 'BTCUSDT',
  candleSeconds: 60,
  startsAt: '2026-03-02T14:31:00.000Z',
  horizonSeconds: 300,
  resolveBy: '2026-03-02T14:40:00.000Z',
}
const task: OutcomeTask = {
  targetIndex: 1,
  statement: { verdict: 'did-not', measured: '0', messageHash: '0x', createdAt: '2026-03-02T14:36:06.000Z' },
  message: null,
  signal: { id: 'one', hash: '0x', prediction },
  anchoredMs: null,
}

test('check pool: evaluates outcomes and measures control minutes in a thread', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-pool-'))
  const pool = await startBundledPool(folder, folder)
  try {
    const [evaluator] = pool.evaluators
    expect(await evaluator?.evaluate([task])).toEqual([
      { problem: 'The outcome message is missing', isWitnessed: false, comparison: null },
    ])
    expect(await evaluator?.measure([{ index: 1, leafHash: '0x', prediction }], [])).toEqual([])
  } finally {
    await pool.close()
    await rm(folder, { recursive: true })
  }
})

test.each([
  ['a usage problem for a URL without placeholders', 'http://127.0.0.1:9/', UsageProblem, /\{market\}/],
  ['what it cannot check when the archive does not respond', 'http://127.0.0.1:9/{market}/{day}', CannotCheck, /127/],
])('check pool: a thread reports %s', async (_, candles, kind, message) => {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-pool-'))
  const pool = await startBundledPool(folder, candles)
  try {
    const error: unknown = await pool.evaluators[0]?.evaluate([task]).catch((reason: unknown) => reason)
    if (!(error instanceof Error)) throw new Error('The thread reports nothing')
    expect(error.message).toMatch(message)
    // Compare the names, because the bundle contains its own copies of the error classes.
    expect(error.constructor.name).toBe(kind.name)
  } finally {
    await pool.close()
    await rm(folder, { recursive: true })
  }
})

test.each([
  ['fails', 'throw new Error("It is broken")', /It is broken/],
  ['exits', 'process.exit(3)', /ended with code 3/],
])(
  'check pool: rejects the current and all later calls to a thread that %s',
  async (_, program, reason) => {
    const folder = await mkdtemp(join(tmpdir(), 'tocsin-pool-'))
    const pool = await startBundledPool(folder, null, program)
    try {
      const [evaluator] = pool.evaluators
      await expect(evaluator?.evaluate([task])).rejects.toThrow(reason)
      await expect(evaluator?.evaluate([task])).rejects.toThrow(reason)
      await expect(pool.read([])).rejects.toThrow(reason)
    } finally {
      await pool.close()
      await rm(folder, { recursive: true })
    }
  },
  30_000,
)
