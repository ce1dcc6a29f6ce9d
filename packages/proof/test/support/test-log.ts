import { bytesToUtf8 } from '@noble/hashes/utils'
import type { AlertStatement } from '../../src/alert.ts'
import { anchoredTopic } from '../../src/anchored-event.ts'
import { getBundleVersion, type ProofBundle } from '../../src/bundle.ts'
import { checkpointPublicKey, deriveCheckpointSeed } from '../../src/checkpoint.ts'
import type { HeartbeatStatement } from '../../src/heartbeat.ts'
import { type Address, bytesToHex, type Hex } from '../../src/hex.ts'
import type { Rpc } from '../../src/json-rpc.ts'
import type { SigningKey } from '../../src/keys.ts'
import type { LogEntry } from '../../src/log-entry.ts'
import type { OutcomeStatement } from '../../src/outcome-entry.ts'
import { addressOfKey, signDigest } from '../../src/signature.ts'
import type { SignedEntry } from '../../src/signed-entry.ts'
import { encodeStatement, type Statement } from '../../src/statement.ts'
import type { Predecessor } from '../../src/succession.ts'
import { appendLeaf, emptyFrontier, frontierRoot, hashLeaf, inclusionProof } from '../../src/tree.ts'
import { hashStatement, type ProofDomain } from '../../src/typed-data.ts'

/** An in-memory log and anchor chain for tests, with real signatures and proofs. */

export const testDomain: ProofDomain = {
  chainId: 43114,
  verifyingContract: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
}
export const testKeys = [7, 8, 9].map((byte) => new Uint8Array(32).fill(byte))
export const testSigners = testKeys.map(addressOfKey)
const firstCreatedMs = Date.parse('2025-01-16T09:30:00.000Z')
const entryGapMs = 1_000

export function createSigningKey(keyIndex: number, fromIndex = 0, untilIndex: number | null = null): SigningKey {
  const key = testKeys[keyIndex] ?? new Uint8Array(32)
  const checkpointKey = checkpointPublicKey(deriveCheckpointSeed(key))
  return { address: testSigners[keyIndex] ?? addressOfKey(key), checkpointKey, fromIndex, untilIndex }
}

interface StoredEntry {
  statement: Statement
  text: string
  signature: Hex
  leafHash: Uint8Array
}

export type Answers = Record<string, unknown>
interface TestAnchor {
  size: number
  root: Hex
  transactionHash: Hex
  blockNumber: number
  blockAt: string
}

export function createTestLog() {
  const entries: StoredEntry[] = []
  const nodes = new Map<string, Uint8Array>()
  const anchors: TestAnchor[] = []
  let frontier = emptyFrontier
  let keys: SigningKey[] = []

  const formatCreatedAt = () => new Date(firstCreatedMs + entries.length * entryGapMs).toISOString()
  const getCurrentKey = () => Math.max(0, keys.length - 1)

  function append(statement: Statement, keyAt = getCurrentKey()): StoredEntry {
    const bytes = encodeStatement(statement)
    const leafHash = hashLeaf(bytes)
    const signature = signDigest(hashStatement(testDomain, statement), testKeys[keyAt] ?? new Uint8Array(32))
    const entry = { statement, text: bytesToUtf8(bytes), signature, leafHash }
    const appendResult = appendLeaf(frontier, leafHash)
    for (const { id, hash } of appendResult.nodes) nodes.set(`${id.level}/${id.index}`, hash)
    frontier = appendResult.frontier
    entries.push(entry)
    return entry
  }

  /** Builds the next entry's statement without appending it. */
  function draft(change: Partial<AlertStatement> = {}): AlertStatement {
    return {
      kind: 'alert',
      index: entries.length,
      id: `a-${entries.length}`,
      asset: 'BTC/USD',
      priority: 'high',
      anomalyType: 'Volume Spike',
      regime: 'Trending',
      summary: `Volume ${entries.length}× its mean €`,
      confidence: 87.5,
      createdAt: formatCreatedAt(),
      origin: 'admin',
      signalHash: null,
      signer: testSigners[getCurrentKey()] ?? testDomain.verifyingContract,
      targetIndex: null,
      targetLeafHash: null,
      ...change,
    }
  }

  /** Appends the first key list, or one that replaces the current key by the next. */
  function appendKeys(): void {
    const index = entries.length
    const signingKeyIndex = getCurrentKey()
    const closedKeys = keys.map((key) => (key.untilIndex === null ? { ...key, untilIndex: index + 1 } : key))
    const next = [...closedKeys, createSigningKey(keys.length, keys.length === 0 ? 0 : index + 1)]
    const signer = testSigners[signingKeyIndex] ?? testDomain.verifyingContract
    append({ kind: 'keys', index, createdAt: formatCreatedAt(), signer, keys: next }, signingKeyIndex)
    keys = next
  }

  function appendHeartbeat(change: Partial<HeartbeatStatement> = {}): StoredEntry {
    const signer = testSigners[getCurrentKey()] ?? testDomain.verifyingContract
    return append({ kind: 'heartbeat', index: entries.length, createdAt: formatCreatedAt(), signer, ...change })
  }

  function appendSuccession(predecessor: Partial<Predecessor> = {}): StoredEntry {
    const signer = testSigners[getCurrentKey()] ?? testDomain.verifyingContract
    const [root, anchoredRoot] = [1, 2].map((byte) => bytesToHex(new Uint8Array(32).fill(byte)))
    const former = { chainId: 43114, contract: signer, firstSigner: signer, size: 5, anchoredSize: 7 }
    return append({
      kind: 'succession',
      index: entries.length,
      createdAt: formatCreatedAt(),
      signer,
      predecessor: { ...former, root: root ?? '0x', anchoredRoot: anchoredRoot ?? '0x', ...predecessor },
      reason: 'Entries 5 and 6 were lost with the disk “db-1”.',
    })
  }

  /** Appends an outcome of the entry at `targetIndex`, even if that entry is not an alert. */
  function appendOutcome(targetIndex: number, change: Partial<OutcomeStatement> = {}): StoredEntry {
    return append({
      kind: 'outcome',
      index: entries.length,
      targetIndex,
      targetLeafHash: bytesToHex(entries[targetIndex]?.leafHash ?? new Uint8Array(32)),
      verdict: 'came-true',
      measured: '1.460457475813',
      createdAt: formatCreatedAt(),
      origin: 'feed',
      messageHash: `0x${'cd'.repeat(32)}`,
      signer: testSigners[getCurrentKey()] ?? testDomain.verifyingContract,
      salt: `0x${'a5'.repeat(16)}`,
      ...change,
    })
  }

  function anchor(): TestAnchor {
    const number = anchors.length + 100
    const newAnchor = {
      size: frontier.size,
      root: bytesToHex(frontierRoot(frontier)),
      transactionHash: bytesToHex(new Uint8Array(32).fill(number)),
      blockNumber: number,
      blockAt: new Date(firstCreatedMs + frontier.size * entryGapMs).toISOString(),
    }
    anchors.push(newAnchor)
    return newAnchor
  }

  /** Returns the inclusion proof of an entry in the tree of the first anchor that covers it. */
  function prove(index: number): Omit<SignedEntry, 'bytes' | 'signature'> {
    const leafHash = bytesToHex(entries[index]?.leafHash ?? new Uint8Array())
    const coveringAnchor = anchors.find(({ size }) => size > index)
    if (!coveringAnchor) return { leafHash, index, merklePath: [], treeSize: null, root: null, avalancheTx: null }
    const { size, root, transactionHash } = coveringAnchor
    return { leafHash, index, merklePath: getPath(index, size), treeSize: size, root, avalancheTx: transactionHash }
  }

  function getPath(index: number, size: number): Hex[] {
    const getNode = ({ level, index }: { level: number; index: number }) =>
      nodes.get(`${level}/${index}`) ?? new Uint8Array()
    return inclusionProof(index, size, getNode).map(bytesToHex)
  }

  function signedEntry(index: number): SignedEntry {
    const entry = entries[index]
    return { bytes: entry?.text ?? '', signature: entry?.signature ?? '', ...prove(index) }
  }

  function keyEntries(): SignedEntry[] {
    return entries.flatMap(({ statement }, index) => (statement.kind === 'keys' ? signedEntry(index) : []))
  }

  function bundle(index: number): ProofBundle {
    const { index: logIndex, ...statement } = { ...entries[index]?.statement, index }
    const { index: _index, bytes: _bytes, ...proof } = signedEntry(index)
    const anchoredAt = anchors.find(({ size }) => size > index)?.blockAt ?? null
    const alert = { ...statement, logIndex, ...proof, anchoredAt, supersededBy: null }
    return {
      format: 'tocsin-proof',
      version: getBundleVersion(alert),
      anchor: { chainId: testDomain.chainId, contract: testDomain.verifyingContract, rpcUrl: null },
      firstSigner: testSigners[0] ?? testDomain.verifyingContract,
      keys: keyEntries(),
      alert,
      outcomes: entries.flatMap(({ statement }, at) =>
        statement.kind === 'outcome' && statement.targetIndex === index ? signedEntry(at) : [],
      ),
    }
  }

  return {
    entries,
    anchors,
    draft,
    append,
    appendAlert: (change: Partial<AlertStatement> = {}) => append(draft(change)),
    appendKeys,
    appendHeartbeat,
    appendSuccession,
    appendOutcome,
    anchor,
    prove,
    pathOf: getPath,
    bundle,
    keyEntries,
    keys: () => keys,
    logEntries: (): LogEntry[] =>
      entries.map(({ text, signature, leafHash }, index) => ({
        index,
        leafHash: bytesToHex(leafHash),
        bytes: text,
        signature,
      })),
    /** Responses of a node of the anchor chain, by request. */
    answers: () => getAnswers(anchors),
  }
}

export type TestLog = ReturnType<typeof createTestLog>

/** Returns the key under which `Answers` contains the response to a request. */
export function getQuestion(method: string, params: unknown[]): string {
  return `${method} ${JSON.stringify(params)}`
}

/** An RPC with fixed responses. Any other request fails like a broken connection. */
export function createFixedRpc(answers: Answers): Rpc {
  return async (method, params) => {
    const question = getQuestion(method, params)
    if (!(question in answers)) throw new Error('The connection failed')
    return answers[question]
  }
}

const padWord = (value: number) => value.toString(16).padStart(64, '0')
const formatQuantity = (value: number) => `0x${value.toString(16)}`

function getAnswers(anchors: readonly TestAnchor[]): Answers {
  const height = 110
  const answers: Answers = {
    [getQuestion('eth_chainId', [])]: formatQuantity(testDomain.chainId),
    [getQuestion('eth_blockNumber', [])]: formatQuantity(height),
  }
  for (const anchor of anchors) {
    const { transactionHash, blockNumber, blockAt } = anchor
    const blockHash = getBlockHash(blockNumber)
    answers[getQuestion('eth_getTransactionReceipt', [transactionHash])] = {
      transactionHash,
      blockHash,
      blockNumber: formatQuantity(blockNumber),
      status: '0x1',
      logs: [presentAnchorEvent(anchor)],
    }
    answers[getQuestion('eth_getBlockByNumber', [formatQuantity(blockNumber), false])] = {
      hash: blockHash,
      number: formatQuantity(blockNumber),
      timestamp: formatQuantity(Date.parse(blockAt) / 1000),
    }
  }
  return answers
}

function getBlockHash(blockNumber: number): Hex {
  return `0x${padWord(blockNumber + 1_000_000)}`
}

/** Returns the event of an anchor in JSON-RPC format. */
export function presentAnchorEvent(
  { size, root, transactionHash, blockNumber, blockAt }: TestAnchor,
  address: Address = testDomain.verifyingContract,
) {
  return {
    address: address.toLowerCase(),
    topics: [anchoredTopic, `0x${padWord(size)}`],
    data: `${root}${padWord(Date.parse(blockAt) / 1000)}`,
    transactionHash,
    blockHash: getBlockHash(blockNumber),
    blockNumber: formatQuantity(blockNumber),
    removed: false,
  }
}
