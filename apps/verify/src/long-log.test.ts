import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import {
  type AlertStatement,
  addressOfKey,
  appendLeaf,
  bytesToHex,
  checkpointPublicKey,
  deriveCheckpointSeed,
  emptyFrontier,
  encodeStatement,
  formatCheckpoint,
  frontierRoot,
  type Hex,
  hashLeaf,
  hashStatement,
  hexToBytes,
  type LogEntry,
  maxRecentEntries,
  type Statement,
  signDigest,
  signNote,
} from '@tocsin/proof'
import { build } from 'esbuild'
import { expect, onTestFinished, test } from 'vitest'
import { runVerifyJson, startSite } from '../test/support/command-test-bed.ts'

/** Number of entries. With so many, the check uses threads. */
const SIZE = 3_200
const domain = { chainId: 31337, verifyingContract: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' } as const
const key = new Uint8Array(32).fill(7)
const signer = addressOfKey(key)
const seed = deriveCheckpointSeed(key)
const salt: Hex = `0x${'5a'.repeat(16)}`

const formatCreatedAt = (index: number) => new Date(index * 1_000).toISOString()

function signEntry(statement: Statement): LogEntry {
  const bytes = encodeStatement(statement)
  return {
    index: statement.index,
    leafHash: bytesToHex(hashLeaf(bytes)),
    bytes: Buffer.from(bytes).toString(),
    signature: signDigest(hashStatement(domain, statement), key),
  }
}

const createAlert = (index: number, change: Partial<AlertStatement> = {}): AlertStatement => ({
  ...{ kind: 'alert', index, id: `a-${index}`, asset: 'BTC/USD', priority: 'high', anomalyType: 'Volume spike' },
  ...{ regime: 'Calm', summary: 'Quoted', confidence: 87.5, createdAt: formatCreatedAt(index), origin: 'admin' },
  ...{ signalHash: null, signer, targetIndex: null, targetLeafHash: null, ...change },
})

/** Writes a mirror file. Returns its path. */
async function writeMirror(entries: readonly LogEntry[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-long-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const header = {
    ...{ format: 'tocsin-log-mirror', version: 1, firstSigner: signer },
    ...{ chainId: domain.chainId, contract: domain.verifyingContract },
  }
  const file = join(folder, 'mirror')
  await writeFile(file, [header, ...entries].map((line) => JSON.stringify(line)).join('\n'))
  return file
}

const answers: Record<string, unknown> = {
  eth_chainId: '0x7a69',
  eth_blockNumber: '0x1',
  // The contract has no anchor.
  eth_call: `0x${'0'.repeat(64)}`,
  eth_getLogs: [],
}

/** Starts a node. Returns the options to use it. */
async function startNode(): Promise<string[]> {
  const node = await startSite((_request, response, body) => {
    const { id, method } = JSON.parse(body)
    response.writeHead(200).end(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] }))
  })
  onTestFinished(node.close)
  return ['--rpc', node.url, '--from-block', '0']
}

test('tocsin-verify: checks content and signatures only from --since-size on, even if this index is inside a page', async () => {
  const mirror = await writeMirror(
    Array.from({ length: SIZE }, (_, index) =>
      signEntry({ kind: 'heartbeat', index, createdAt: formatCreatedAt(index), signer }),
    ),
  )
  // Threads run the bundled program and not its sources.
  const outfile = join(mirror, '../command.mjs')
  const source = fileURLToPath(new URL('./command.ts', import.meta.url))
  await build({ entryPoints: [source], outfile, bundle: true, platform: 'node', target: 'node20', format: 'esm' })
  const { runCommand } = (await import(pathToFileURL(outfile).href)) as typeof import('./command.ts')
  let out = ''
  await runCommand(['--from-file', mirror, ...(await startNode()), '--since-size', '2500', '--json'], {
    readInput: async () => '',
    out: (text) => {
      out += text
    },
    err() {},
    hasColor: false,
    isWatched: false,
  })
  const { steps, failure } = JSON.parse(out)
  expect(failure).toBeNull()
  expect(steps[1].reason).toBe('3,200 in order, content and signature of 700 checked')
})

test.each<[string, Partial<AlertStatement>, string]>([
  [
    'a retraction that names another asset than its target',
    { kind: 'retraction', asset: 'ETH/USD', salt, targetIndex: 0 },
    'Entry 1 is a retraction of entry 0 and names another asset',
  ],
  ['an alert of version 1', {}, 'Entry 1 is of version 1, though entry 0 before it is of version 2'],
])('tocsin-verify: fails for %s with --since-size as without it', async (_name, change, reason) => {
  const first = signEntry(createAlert(0, { salt }))
  const targetLeafHash = change.targetIndex === undefined ? null : first.leafHash
  const mirror = await writeMirror([first, signEntry(createAlert(1, { ...change, targetLeafHash }))])
  const args = ['--from-file', mirror, ...(await startNode())]
  for (const sinceArgs of [[], ['--since-size', '1']]) {
    const { code, outcome } = await runVerifyJson([...args, ...sinceArgs])
    expect([code, outcome.failure]).toEqual([1, { step: 'entries', index: 1, reason }])
  }
})

/**
 * Starts a server that answers every request for an inclusion proof with “not public yet”. Its log
 * has a key list, an alert, and a correction of that alert so much later that the alert is no
 * longer in memory. The entries between them are withheld.
 */
async function startServerWithoutProofs(isTargetPublic: boolean): Promise<string> {
  const keys = [{ address: signer, checkpointKey: checkpointPublicKey(seed), fromIndex: 0, untilIndex: null }]
  const target = signEntry(createAlert(1))
  const size = maxRecentEntries + 3
  const correction = createAlert(size - 1, { kind: 'correction', targetIndex: 1, targetLeafHash: target.leafHash })
  const withhold = (index: number): LogEntry => ({ index, leafHash: target.leafHash, bytes: null, signature: null })
  const entries = [
    signEntry({ kind: 'keys', index: 0, createdAt: formatCreatedAt(0), signer, keys }),
    isTargetPublic ? target : withhold(1),
    ...Array.from({ length: size - 3 }, (_, index) => withhold(index + 2)),
    signEntry(correction),
  ]
  let frontier = emptyFrontier
  for (const { leafHash } of entries) frontier = appendLeaf(frontier, hexToBytes(leafHash)).frontier
  const origin = 'log.example/log'
  const note = signNote(formatCheckpoint({ origin, size, root: frontierRoot(frontier) }), { name: origin, seed })
  const anchor = { contract: domain.verifyingContract, chainId: domain.chainId, rpcUrl: null }
  const site = await startSite((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    const from = Number(searchParams.get('from'))
    if (pathname === '/api/config') response.end(JSON.stringify({ firstSigner: signer, anchor }))
    else if (pathname === '/api/log/checkpoint') response.end(note)
    else if (pathname === '/api/log/inclusion') response.writeHead(403).end('{"code":"not_public_yet"}')
    else response.end(JSON.stringify({ entries: entries.slice(from, from + Number(searchParams.get('limit'))) }))
  })
  onTestFinished(site.close)
  return site.url
}

test('tocsin-verify: cannot check a log whose server denies the proof of a target that it has shown', async () => {
  const server = await startServerWithoutProofs(true)
  const { code, outcome } = await runVerifyJson(['--from-url', server, ...(await startNode())])
  expect([code, outcome.failure?.step]).toEqual([4, 'entries'])
  expect(outcome.failure?.reason).toBe(
    'The server says that entry 1, the target of entry 4098, is not public yet, although it has sent its content',
  )
})

test('tocsin-verify: names an entry whose target is withheld and was not compared', async () => {
  const server = await startServerWithoutProofs(false)
  const { outcome } = await runVerifyJson(['--from-url', server, ...(await startNode())])
  expect([outcome.verdict, outcome.failure]).toEqual(['not-anchored', null])
  expect(outcome.notes).toContain('The targets of entries 4098 are not public yet and were not compared.')
})
