import {
  addressOfKey,
  bytesToHex,
  checkpointPublicKey,
  consistencyProof,
  deriveCheckpointSeed,
  encodeKeys,
  formatCheckpoint,
  type Hex,
  hashLeaf,
  hashNode,
  hashStatement,
  type NodeId,
  type Rpc,
  rootOfLeaves,
  signDigest,
  signNote,
} from '@tocsin/proof'
import { describe, expect, it } from 'vitest'
import { checkLog } from './check-log.ts'
import type { LogSnapshot } from './proof-task.ts'

const origin = 'log.example'
const key = new Uint8Array(32).fill(7)
const seed = deriveCheckpointSeed(key)
const firstSigner = addressOfKey(key)
const domain = { chainId: 43114, verifyingContract: addressOfKey(new Uint8Array(32).fill(9)) }
const trustAnchors = { firstSigner, domain }
const createdAt = '2026-11-21T14:00:00.000Z'

const statement = {
  kind: 'keys',
  index: 0,
  createdAt,
  signer: firstSigner,
  keys: [{ address: firstSigner, checkpointKey: checkpointPublicKey(seed), fromIndex: 0, untilIndex: null }],
} as const
const keyBytes = encodeKeys({ ...statement, keys: [...statement.keys] })
const decodeText = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

/** Leaf hashes of a log that starts with the key list. Entries from index `fork` on differ. */
function createLeaves(size: number, fork = size): Uint8Array[] {
  const createEntryBytes = (index: number) => new TextEncoder().encode(`${index < fork ? 'entry' : 'other'} ${index}`)
  return Array.from({ length: size }, (_, index) => hashLeaf(index === 0 ? keyBytes : createEntryBytes(index)))
}

function createNodeReader(leaves: Uint8Array[]) {
  return function getNode({ level, index }: NodeId): Uint8Array {
    if (level > 0)
      return hashNode(
        getNode({ level: level - 1, index: 2 * index }),
        getNode({ level: level - 1, index: 2 * index + 1 }),
      )
    return leaves[index] ?? new Uint8Array(32)
  }
}

const createNote = (leaves: Uint8Array[], signingSeed = seed) =>
  signNote(formatCheckpoint({ origin, size: leaves.length, root: rootOfLeaves(leaves) }), {
    name: origin,
    seed: signingSeed,
  })
const createGrowth = (from: number, leaves: Uint8Array[]) => ({
  from,
  to: leaves.length,
  path: consistencyProof(from, leaves.length, createNodeReader(leaves)).map(bytesToHex),
})

const anchorTx: Hex = `0x${'64'.repeat(32)}`
const blockHash: Hex = `0x${'0b'.repeat(32)}`
const toHexWord = (value: number) => value.toString(16).padStart(64, '0')
const seconds = Date.parse(createdAt) / 1000 + 3

/** A fake chain with one anchor. */
function createChain(leaves: Uint8Array[], status = '0x1'): Rpc {
  const logPosition = { blockHash, blockNumber: '0x64', transactionHash: anchorTx }
  const log = {
    ...logPosition,
    address: domain.verifyingContract,
    topics: ['0x8a625ff6b600489e76c9caf3b3e78a6b1cf48af724479bd7bdca61de573a6412', `0x${toHexWord(leaves.length)}`],
    data: `${bytesToHex(rootOfLeaves(leaves))}${toHexWord(seconds)}`,
  }
  const responses: Record<string, unknown> = {
    eth_chainId: '0xa86a',
    eth_blockNumber: '0x70',
    eth_getTransactionReceipt: { ...logPosition, status, logs: [log] },
    eth_getBlockByNumber: { hash: blockHash, number: '0x64', timestamp: `0x${seconds.toString(16)}` },
  }
  return async (method) => responses[method]
}
const unreachableChain: Rpc = () => Promise.reject(new Error('unreachable'))

const anchored = createLeaves(5)
const currentLeaves = createLeaves(9)
const seenLeaves = createLeaves(7)
const keyEntry = {
  bytes: decodeText(keyBytes),
  signature: signDigest(hashStatement(domain, { ...statement, keys: [...statement.keys] }), key),
  leafHash: bytesToHex(hashLeaf(keyBytes)),
  index: 0,
  merklePath: [],
  treeSize: null,
  root: null,
  avalancheTx: null,
}
const anchor = {
  size: 5,
  root: bytesToHex(rootOfLeaves(anchored)),
  transactionHash: anchorTx,
  blockNumber: 100,
  blockHash,
  at: new Date(seconds * 1000).toISOString(),
}
const log: LogSnapshot = {
  origin,
  note: createNote(currentLeaves),
  keys: [keyEntry],
  seenNote: createNote(seenLeaves),
  seenConsistencyProof: createGrowth(7, currentLeaves),
  anchor,
  anchorConsistencyProof: createGrowth(5, currentLeaves),
}

async function checkStatuses(changes: Partial<LogSnapshot>, rpc = createChain(anchored)) {
  const { steps } = await checkLog({ ...log, ...changes }, trustAnchors, rpc)
  return steps.map(({ status }) => status)
}

const forkedLeaves = createLeaves(9, 6)

describe('checkLog: rejects', () => {
  it.each<[string, Partial<LogSnapshot>, string[]]>([
    [
      'a key list signed with another key',
      { keys: [{ ...keyEntry, signature: `0x${'11'.repeat(64)}1b` }] },
      ['failed', 'pending', 'pending', 'pending'],
    ],
    ['no key list', { keys: [] }, ['failed', 'pending', 'pending', 'pending']],
    [
      'a note signed with another key',
      { note: createNote(currentLeaves, new Uint8Array(32).fill(8)) },
      ['pending', 'failed', 'pending', 'pending'],
    ],
    ['a note of another log', { origin: 'other.example' }, ['pending', 'failed', 'pending', 'pending']],
    [
      'a split view',
      {
        note: createNote(forkedLeaves),
        seenConsistencyProof: createGrowth(7, forkedLeaves),
        anchorConsistencyProof: createGrowth(5, forkedLeaves),
      },
      ['pending', 'passed', 'failed', 'passed'],
    ],
    [
      'the same size with another root',
      { seenNote: createNote(forkedLeaves), seenConsistencyProof: null },
      ['pending', 'passed', 'failed', 'passed'],
    ],
    [
      'a log that shrank',
      { seenNote: createNote(createLeaves(12)), seenConsistencyProof: null },
      ['pending', 'passed', 'failed', 'passed'],
    ],
    ['a missing consistency proof', { seenConsistencyProof: null }, ['pending', 'passed', 'failed', 'passed']],
    [
      'a consistency proof for another size',
      { seenConsistencyProof: createGrowth(6, currentLeaves) },
      ['pending', 'passed', 'failed', 'passed'],
    ],
    [
      'an invalid consistency proof',
      { seenConsistencyProof: { ...createGrowth(7, currentLeaves), path: ['0x'] } },
      ['pending', 'passed', 'failed', 'passed'],
    ],
    [
      'a missing consistency proof from the anchor',
      { anchorConsistencyProof: null },
      ['pending', 'passed', 'passed', 'failed'],
    ],
    ['an anchor with another size', { anchor: { ...anchor, size: 4 } }, ['pending', 'passed', 'passed', 'failed']],
  ])('%s', async (_, changes, statuses) => {
    expect(await checkStatuses(changes)).toEqual(statuses)
  })

  it('a log whose anchored entries were rewritten, even on the first visit', async () => {
    const rewrittenLeaves = createLeaves(9, 3)
    const changes = {
      note: createNote(rewrittenLeaves),
      seenNote: null,
      anchorConsistencyProof: createGrowth(5, rewrittenLeaves),
    }
    expect(await checkStatuses(changes)).toEqual(['pending', 'passed', 'pending', 'failed'])
  })

  it('an anchor that was reverted', async () => {
    expect(await checkStatuses({}, createChain(anchored, '0x0'))).toEqual(['pending', 'passed', 'passed', 'failed'])
  })
})

it('checkLog: reports "unavailable", not a failure, when the chain is unreachable', async () => {
  expect(await checkStatuses({}, unreachableChain)).toEqual(['pending', 'passed', 'passed', 'unavailable'])
})

it.each<[string, Partial<LogSnapshot>, string[]]>([
  ['on the first visit', { seenNote: null, seenConsistencyProof: null }, ['pending', 'passed', 'pending', 'passed']],
  [
    'before the first anchor',
    { anchor: null, anchorConsistencyProof: null },
    ['pending', 'passed', 'passed', 'pending'],
  ],
  [
    'when nothing was added',
    { seenNote: createNote(currentLeaves), seenConsistencyProof: null },
    ['pending', 'passed', 'passed', 'passed'],
  ],
  ['when it has grown', {}, ['pending', 'passed', 'passed', 'passed']],
])('checkLog: passes a valid log %s', async (_, changes, statuses) => {
  expect(await checkStatuses(changes)).toEqual(statuses)
})

it('checkLog: returns the checkpoint only when its signature is valid', async () => {
  const rpc = createChain(anchored)
  expect((await checkLog(log, trustAnchors, rpc)).checkpoint).toEqual({ size: 9 })
  expect((await checkLog({ ...log, note: 'what' }, trustAnchors, rpc)).checkpoint).toBeNull()
})
