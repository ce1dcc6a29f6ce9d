import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { addressOfKey, bytesToHex, encodeStatement, hashLeaf, hashStatement, signDigest } from '@tocsin/proof'
import { build } from 'esbuild'
import { expect, onTestFinished, test } from 'vitest'
import { startSite } from '../test/support/command-test-bed.ts'

/** Number of entries. With so many, the check uses threads. */
const SIZE = 3_200
const domain = { chainId: 31337, verifyingContract: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' } as const
const key = new Uint8Array(32).fill(7)

/** Returns the lines of a mirror file whose entries are all heartbeats. */
function createMirrorLines(): string[] {
  const signer = addressOfKey(key)
  const header = {
    ...{ format: 'tocsin-log-mirror', version: 1, firstSigner: signer },
    ...{ chainId: domain.chainId, contract: domain.verifyingContract },
  }
  const entries = Array.from({ length: SIZE }, (_, index) => {
    const createdAt = new Date(index * 1_000).toISOString()
    const statement = { kind: 'heartbeat', index, createdAt, signer } as const
    const bytes = encodeStatement(statement)
    return {
      index,
      leafHash: bytesToHex(hashLeaf(bytes)),
      bytes: Buffer.from(bytes).toString(),
      signature: signDigest(hashStatement(domain, statement), key),
    }
  })
  return [header, ...entries].map((line) => JSON.stringify(line))
}

const answers: Record<string, unknown> = {
  eth_chainId: '0x7a69',
  eth_blockNumber: '0x1',
  // The contract has no anchor.
  eth_call: `0x${'0'.repeat(64)}`,
  eth_getLogs: [],
}

test('tocsin-verify: checks content and signatures only from --since-size on, even if this index is inside a page', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-long-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const node = await startSite((_request, response, body) => {
    const { id, method } = JSON.parse(body)
    response.writeHead(200).end(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] }))
  })
  onTestFinished(node.close)
  const mirror = join(folder, 'mirror')
  await writeFile(mirror, createMirrorLines().join('\n'))
  // Threads run the bundled program and not its sources.
  const outfile = join(folder, 'command.mjs')
  const source = fileURLToPath(new URL('./command.ts', import.meta.url))
  await build({ entryPoints: [source], outfile, bundle: true, platform: 'node', target: 'node20', format: 'esm' })
  const { runCommand } = (await import(pathToFileURL(outfile).href)) as typeof import('./command.ts')
  let out = ''
  await runCommand(['--from-file', mirror, '--rpc', node.url, '--from-block', '0', '--since-size', '2500', '--json'], {
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
