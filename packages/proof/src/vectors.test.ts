import { createHash, createPrivateKey, sign } from 'node:crypto'
import { bytesToUtf8, utf8ToBytes } from '@noble/hashes/utils'
import { hashTypedData, recoverAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { type Answers, createFixedRpc } from '../test/support/test-log.ts'
import { parseBundle } from './bundle.ts'
import { checkpointPublicKey, deriveCheckpointSeed, formatCheckpoint, parseCheckpoint } from './checkpoint.ts'
import { bytesToHex, checksumAddress, type Hex, hexToBytes } from './hex.ts'
import { assertNextKeyList } from './key-list.ts'
import { parseKeys } from './keys.ts'
import { createLogCheck } from './log-check.ts'
import type { LogEntry } from './log-entry.ts'
import type { UnprovenTimes } from './log-times.ts'
import { noteVerifierKey, signNote, verifyNote } from './note.ts'
import { addressOfKey, recoverSigner, signDigest } from './signature.ts'
import { parseSignedEntry } from './signed-entry.ts'
import { decodeStatement, encodeStatement, isAlertStatement, type Statement } from './statement.ts'
import { hashLeaf } from './tree.ts'
import {
  alertTypedMessage,
  hashStatement,
  heartbeatTypedMessage,
  keysTypedMessage,
  outcomeTypedMessage,
  saltedTypes,
  statementTypes,
  successionTypedMessage,
} from './typed-data.ts'
import bundleVectors from './vectors/bundles.json'
import checkpointVectors from './vectors/checkpoints.json'
import keyVectors from './vectors/key-lists.json'
import logVectors from './vectors/logs.json'
import statementVectors from './vectors/statements.json'
import { verifyBundle } from './verify-bundle.ts'
import { readEntryEvidence, verifyKeyList } from './verify-key-list.ts'

const toHex = (text: string): Hex => bytesToHex(hexToBytes(text))
const toDomain = ({ chainId, verifyingContract }: { chainId: number; verifyingContract: string }) => ({
  chainId,
  verifyingContract: checksumAddress(verifyingContract),
})
function hashByViem(statement: Statement): Hex {
  const domain = { name: 'Tocsin', version: '1', ...toDomain(statementVectors.domain) }
  const { Keys, SigningKey, Heartbeat, Succession, Predecessor, Outcome } = statementTypes
  const isSalted = isAlertStatement(statement) && statement.salt !== undefined
  const { Alert, Correction, Retraction } = isSalted ? saltedTypes : statementTypes
  switch (statement.kind) {
    case 'keys':
      return hashTypedData({
        domain,
        types: { Keys, SigningKey },
        primaryType: 'Keys',
        message: keysTypedMessage(statement),
      })
    case 'heartbeat':
      return hashTypedData({
        domain,
        types: { Heartbeat },
        primaryType: 'Heartbeat',
        message: heartbeatTypedMessage(statement),
      })
    case 'succession':
      return hashTypedData({
        domain,
        types: { Succession, Predecessor },
        primaryType: 'Succession',
        message: successionTypedMessage(statement),
      })
    case 'outcome':
      return hashTypedData({
        domain,
        types: { Outcome },
        primaryType: 'Outcome',
        message: outcomeTypedMessage(statement),
      })
    case 'alert':
      return hashTypedData({ domain, types: { Alert }, primaryType: 'Alert', message: alertTypedMessage(statement) })
    case 'correction':
      return hashTypedData({
        domain,
        types: { Correction },
        primaryType: 'Correction',
        message: alertTypedMessage(statement),
      })
    case 'retraction':
      return hashTypedData({
        domain,
        types: { Retraction },
        primaryType: 'Retraction',
        message: alertTypedMessage(statement),
      })
  }
}

describe('statements.json', () => {
  it.each(statementVectors.refused)('rejects $name', ({ bytes }) => {
    expect(() => decodeStatement(utf8ToBytes(bytes))).toThrow()
  })

  it.each(statementVectors.statements)(
    'accepts $name',
    async ({ statement: value, bytes, digest, signature, leafHash }) => {
      const domain = toDomain(statementVectors.domain)
      const statement = decodeStatement(utf8ToBytes(bytes))
      expect(statement).toEqual(value)
      expect(bytesToUtf8(encodeStatement(statement))).toBe(bytes)
      expect(bytesToHex(hashStatement(domain, statement))).toBe(digest)
      expect(recoverSigner(hexToBytes(digest), signature)).toBe(statement.signer)
      const key = statementVectors.privateKeys
        .map(hexToBytes)
        .find((privateKey) => addressOfKey(privateKey) === statement.signer)
      expect(key && signDigest(hexToBytes(digest), key)).toBe(signature)
      expect(bytesToHex(hashLeaf(utf8ToBytes(bytes)))).toBe(leafHash)
      // Independent implementations give the same result: viem and the hash function of Node.js.
      expect(hashByViem(statement)).toBe(digest)
      expect(await recoverAddress({ hash: toHex(digest), signature: toHex(signature) })).toBe(statement.signer)
      expect(`0x${createHash('sha256').update('\0').update(bytes).digest('hex')}`).toBe(leafHash)
    },
  )
})

describe('key-lists.json', () => {
  it.each(keyVectors.steps)(
    'is accepted or rejected by assertNextKeyList as the vector states: $name',
    ({ former, next, error }) => {
      const formerKeys = former && parseKeys({ ...next, keys: former }).keys
      const assertStep = () => assertNextKeyList(formerKeys, parseKeys(next))
      if (error === null) assertStep()
      else expect(assertStep).toThrow(error)
    },
  )

  it.each(keyVectors.chains)(
    'has the keys or the failure that verifyKeyList returns: $name',
    async ({ entries, answers, ...expected }) => {
      const domain = toDomain(keyVectors.domain)
      const parsedEntries = entries.map(parseSignedEntry)
      const evidence = await readEntryEvidence(createFixedRpc(answers), domain, parsedEntries)
      const keyListResult = verifyKeyList({
        domain,
        firstSigner: checksumAddress(keyVectors.firstSigner),
        entries: parsedEntries,
        evidence,
      })
      const { failure, at, keys, pending, unavailable } = expected
      if (failure === undefined) expect(keyListResult).toEqual({ keys, pending, unavailable })
      else expect(keyListResult).toEqual({ failure: expect.stringContaining(failure), at })
    },
  )
})

describe('checkpoints.json', () => {
  const { origin, signerKey, seed, publicKey, verifierKey } = checkpointVectors

  it('contains the checkpoint key that is derived from the signing key', () => {
    expect(bytesToHex(deriveCheckpointSeed(hexToBytes(signerKey)))).toBe(seed)
    expect(checkpointPublicKey(hexToBytes(seed))).toBe(publicKey)
    expect(noteVerifierKey(origin, toHex(publicKey))).toBe(verifierKey)
  })

  it.each(checkpointVectors.refusedTexts)('rejects $name', ({ text }) => {
    expect(() => parseCheckpoint(text)).toThrow()
  })

  it.each(checkpointVectors.refusedNotes)('rejects $name', ({ note, verifierKeys }) => {
    expect(() => verifyNote(note, verifierKeys)).toThrow()
  })

  it.each(checkpointVectors.notes)('accepts $name', ({ note, verifierKeys, signers }) => {
    expect(verifyNote(note, verifierKeys).signers).toEqual(signers)
  })

  it.each(checkpointVectors.checkpoints)('has a valid checkpoint of size $size', ({ size, root, text, note }) => {
    expect(formatCheckpoint({ origin, size, root: hexToBytes(root) })).toBe(text)
    expect(signNote(text, { name: origin, seed: hexToBytes(seed) })).toBe(note)
    expect(parseCheckpoint(verifyNote(note, [verifierKey]).text)).toMatchObject({
      origin,
      size,
      root: hexToBytes(root),
    })
    // OpenSSL creates the same signature.
    const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), hexToBytes(seed)])
    const signature = sign(null, Buffer.from(text), createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }))
    const [, signed = ''] = /— \S+ (\S+)\n$/.exec(note) ?? []
    expect(Buffer.from(signed, 'base64').subarray(4)).toEqual(signature)
  })
})

describe('bundles.json', () => {
  const trust = {
    firstSigner: checksumAddress(bundleVectors.trust.firstSigner),
    domain: toDomain(bundleVectors.trust.domain),
  }
  const verifyTestBundle = (bundle: unknown, answers: Answers) =>
    verifyBundle(parseBundle(bundle), { trust, rpc: createFixedRpc(answers) })

  it.each(bundleVectors.refused)('rejects $name', ({ bundle }) => {
    expect(() => parseBundle(bundle)).toThrow()
  })

  it.each(bundleVectors.cases)(
    'has the verdict and step that verifyBundle returns for a changed bundle: $name',
    async ({ changes, answers, verdict, step }) => {
      const bundle = structuredClone(bundleVectors.bundle)
      for (const change of changes) setAtPath(bundle, change.path.split('/'), change.value)
      const knownAnswers: Answers = answers === null ? {} : { ...bundleVectors.answers, ...answers }
      const result = await verifyTestBundle(bundle, knownAnswers)
      expect({ verdict: result.verdict, step: result.step }).toEqual({ verdict, step })
    },
  )

  it.each(bundleVectors.others)(
    'has the verdict, step and outcomes that verifyBundle returns: $name',
    async ({ bundle, answers, verdict, step, reason, outcomes = [] }) => {
      const result = await verifyTestBundle(bundle, answers)
      expect(result).toMatchObject({ verdict, step })
      expect(result.outcomes.map((outcome) => outcome.verdict)).toEqual(outcomes)
      if (step !== null) expect(result.checks[step - 1]?.reason).toContain(reason)
    },
  )
})

function setAtPath(target: unknown, [name = '', ...rest]: string[], value: unknown): void {
  if (typeof target !== 'object' || target === null) throw new Error(`No object to set ${name} on`)
  if (rest.length > 0) setAtPath(Reflect.get(target, name), rest, value)
  else Reflect.set(target, name, value)
}

describe('logs.json', () => {
  const domain = toDomain(logVectors.trust.domain)
  const firstSigner = checksumAddress(logVectors.trust.firstSigner)
  type VectorEntry = Omit<LogEntry, 'leafHash'> & { leafHash: string }

  function checkEntries(entries: VectorEntry[], anchors: typeof logVectors.anchors) {
    const logCheck = createLogCheck({ domain, firstSigner })
    for (const entry of entries) {
      logCheck.add({ ...entry, leafHash: toHex(entry.leafHash) })
      for (const anchor of anchors)
        if (anchor.size === logCheck.size) logCheck.checkAnchor({ ...anchor, root: toHex(anchor.root) })
    }
    const last = anchors.at(-1)
    if (last && last.size > logCheck.size) logCheck.checkAnchor({ ...last, root: toHex(last.root) })
    return logCheck
  }

  it.each(logVectors.cases)('reports $name', ({ entries, usesAnchors, failure }) => {
    expect(checkEntries(entries, usesAnchors ? logVectors.anchors : []).failure).toContain(failure)
  })

  it.each(logVectors.unproven)('reports the unproven times of a log $name', ({ entries, anchors, unproven }) => {
    const { failure, unprovenTimes } = checkEntries(entries, anchors)
    expect(failure).toBeNull()
    expect(unprovenTimes.unproven.map(({ index, reason }) => ({ index, why: reason }))).toEqual(unproven)
    expect(unprovenTimes.count).toBe(unproven.length)
  })

  it.each(logVectors.unprovenOutcomes)('reports the unproven times of a log $name', (given) => {
    const check = checkEntries(given.entries, given.anchors)
    const listUnproven = (times: UnprovenTimes) => times.unproven.map(({ index, reason }) => ({ index, why: reason }))
    expect(check.failure).toBeNull()
    expect(listUnproven(check.unprovenTimes)).toEqual(given.alerts)
    expect(listUnproven(check.unprovenOutcomes)).toEqual(given.outcomes)
    expect(listUnproven(check.unprovenOthers)).toEqual(given.others)
  })

  it('contains an intact log', () => {
    const check = checkEntries(logVectors.entries, logVectors.anchors)
    expect(check.failure).toBeNull()
    expect(check.root()).toBe(logVectors.root)
    expect(check.keys).toEqual(logVectors.keys)
  })

  it('contains an intact log with outcomes', () => {
    const check = checkEntries(logVectors.withOutcomes.entries, [])
    expect(check.failure).toBeNull()
    expect(check.root()).toBe(logVectors.withOutcomes.root)
  })
})
