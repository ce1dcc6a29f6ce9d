import { secp256k1 } from '@noble/curves/secp256k1'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createFixedRpc,
  createTestLog,
  type TestLog,
  testDomain,
  testKeys,
  testSigners,
} from '../test/support/test-log.ts'
import { parseBundle } from './bundle.ts'
import { hexToBytes } from './hex.ts'
import type { Rpc } from './json-rpc.ts'
import { signDigest } from './signature.ts'
import { isAlertStatement } from './statement.ts'
import { hashStatement, type ProofDomain } from './typed-data.ts'
import { verifyBundle } from './verify-bundle.ts'
import { verifyKeyList } from './verify-key-list.ts'

const [firstSigner = '0x'] = testSigners
const trust = { firstSigner, domain: testDomain }

/**
 * Builds a log by steps: 0 rotates the key (at most twice), 1 anchors new entries, 2 appends an
 * alert with a salt, and any other step appends an alert. A final alert and an anchor follow.
 */
function createGrowingLog(steps: readonly number[]) {
  const log = createTestLog()
  log.appendKeys()
  let rotations = 0
  for (const step of steps) {
    if (step === 0 && rotations < 2) {
      log.appendKeys()
      rotations += 1
    } else if (step === 2) log.appendAlert({ salt: `0x${'5a'.repeat(16)}` })
    else if (step === 1 && (log.anchors.at(-1)?.size ?? 0) < log.entries.length) log.anchor()
    else log.appendAlert()
  }
  log.appendAlert()
  log.anchor()
  return log
}

const logs = fc.array(fc.nat({ max: 6 }), { maxLength: 30 }).map(createGrowingLog)

describe('verifyBundle', () => {
  it('verifies every alert of every log', async () => {
    await fc.assert(
      fc.asyncProperty(logs, async (log) => {
        const rpc = createFixedRpc(log.answers())
        for (const { statement } of log.entries) {
          if (!isAlertStatement(statement)) continue
          const bundle = parseBundle(JSON.parse(JSON.stringify(log.bundle(statement.index))))
          expect((await verifyBundle(bundle, { trust, rpc })).verdict).toBe('verified')
        }
      }),
      { numRuns: 25 },
    )
  })

  it('does not verify a bundle in which any one character that the proof covers is changed', async () => {
    const log = createGrowingLog([5, 0, 5, 1, 5, 5, 5])
    const bundle = log.bundle(4)
    const rpc = createFixedRpc(log.answers())
    const text = JSON.stringify(bundle)
    const letters = fc.constantFrom(...'0123456789abcdefABCDEF",:{}[]x \\')
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: text.length - 1 }), letters, async (at, letter) => {
        const changedText = `${text.slice(0, at)}${letter}${text.slice(at + 1)}`
        const parsedBundle = readBundle(changedText)
        if (!parsedBundle) return
        const { verdict } = await verifyBundle(parsedBundle, { trust, rpc })
        if (verdict === 'verified') expect(separateUnsignedFields(parsedBundle)).toEqual(separateUnsignedFields(bundle))
        else expect(verdict).toMatch(/failed|unavailable/)
      }),
      { numRuns: 500 },
    )
  })

  it('sends each request to the chain once', async () => {
    const log = createGrowingLog([5, 5, 5])
    const methods: string[] = []
    const answer = createFixedRpc(log.answers())
    const rpc: Rpc = (method, params) => {
      methods.push(method)
      return answer(method, params)
    }
    expect((await verifyBundle(log.bundle(2), { trust, rpc })).verdict).toBe('verified')
    expect(methods).toEqual(['eth_chainId', 'eth_getTransactionReceipt', 'eth_getBlockByNumber', 'eth_blockNumber'])
  })

  it('rejects a log whose first key is not the trusted one', async () => {
    const log = createRotatedLog()
    const [, other = '0x'] = testSigners
    const result = await verifyBundle(log.bundle(1), {
      trust: { ...trust, firstSigner: other },
      rpc: createFixedRpc(log.answers()),
    })
    expect(result).toMatchObject({ verdict: 'failed', step: 2 })
    expect(result.checks[1]?.reason).toMatch(/^The file's first key is 0x/)
    const { keys: entries } = log.bundle(1)
    expect(verifyKeyList({ domain: testDomain, firstSigner: other, entries, evidence: [] })).toMatchObject({
      failure: expect.stringMatching(/^The first key list is signed by 0x\w{4}…\w{4}, the trusted first key is 0x/),
      at: 0,
    })
  })

  it('rejects an anchored alert after a key list that is not anchored', async () => {
    const log = createRotatedLog()
    const { keys, alert } = log.bundle(3)
    const unanchoredProof = { merklePath: [], treeSize: null, root: null, avalancheTx: null }
    const keysWithOpenList = keys.map((list, index) => (index === 1 ? { ...list, ...unanchoredProof } : list))
    const verify = (change: object) =>
      verifyBundle(
        { ...log.bundle(3), keys: keysWithOpenList, alert: { ...alert, ...change } },
        { trust, rpc: createFixedRpc(log.answers()) },
      )
    const result = await verify({})
    expect(result).toMatchObject({ verdict: 'failed', step: 2 })
    expect(result.checks[1]?.reason).toBe('The key list of entry 2 is not anchored, though the alert after it is')
    expect((await verify(unanchoredProof)).verdict).toBe('not-anchored')
  })

  it('does not trust a key list whose anchor could not be read', async () => {
    const log = createGrowingLog([5, 1, 0, 1, 5, 5])
    const bundle = log.bundle(4)
    const answers = log.answers()
    const listTx = bundle.keys[1]?.avalancheTx
    const knownAnswers = Object.fromEntries(
      Object.entries(answers).filter(([question]) => !question.includes(String(listTx))),
    )
    const result = await verifyBundle(bundle, { trust, rpc: createFixedRpc(knownAnswers) })
    expect(result.checks[1]?.status).toBe('unavailable')
    expect(result.verdict).toBe('unavailable')
    expect((await verifyBundle(bundle, { trust, rpc: createFixedRpc(answers) })).verdict).toBe('verified')
  })
})

/**
 * Builds a log with a key list, an alert by the first key, a rotation at entry 2, an alert by the
 * second key, and then the entries that the test adds.
 */
function createRotatedLog(addEntries: (log: TestLog) => void = () => undefined): TestLog {
  const log = createTestLog()
  log.appendKeys()
  log.appendAlert()
  log.appendKeys()
  log.appendAlert()
  addEntries(log)
  log.anchor()
  return log
}

const appendAlertBy = (log: TestLog, signerIndex: number) =>
  log.append(log.draft({ signer: testSigners[signerIndex] ?? firstSigner }), signerIndex)

function toHighS(signature: string): string {
  const { r, s } = secp256k1.Signature.fromCompact(signature.slice(2, 130))
  const words = [r, secp256k1.CURVE.n - s].map((value) => value.toString(16).padStart(64, '0'))
  return `0x${words.join('')}${signature.endsWith('1b') ? '1c' : '1b'}`
}

describe('verifyBundle with a signing key', () => {
  const verify = (log: TestLog, index: number, change: object = {}) => {
    const bundle = log.bundle(index)
    const alert = { ...bundle.alert, ...change }
    return verifyBundle({ ...bundle, alert }, { trust, rpc: createFixedRpc(log.answers()) })
  }
  const signUnderDomain = (domain: ProofDomain) => {
    const statement = createRotatedLog().entries[3]?.statement
    if (!statement) throw new Error('Four entries')
    return { signature: signDigest(hashStatement(domain, statement), testKeys[1] ?? hexToBytes('0x')) }
  }
  const createEarlyKeyLog = () => {
    const log = createTestLog()
    log.appendKeys()
    appendAlertBy(log, 1)
    log.appendKeys()
    log.anchor()
    return log
  }

  it.each([
    ['was replaced', createRotatedLog((log) => appendAlertBy(log, 0)), 4, {}, /signs entries 0 to 2, this is entry 4$/],
    ['is not valid yet', createEarlyKeyLog(), 1, {}, /signs entries from 3 on, this is entry 1$/],
    ['is in no list', createRotatedLog((log) => appendAlertBy(log, 2)), 4, {}, /is not a published key$/],
    [
      'has a high-s signature',
      createRotatedLog(),
      3,
      { signature: toHighS(signUnderDomain(testDomain).signature) },
      /malformed/,
    ],
    ['signs for another chain', createRotatedLog(), 3, signUnderDomain({ ...testDomain, chainId: 1 }), /leads to/],
    [
      'signs for another contract',
      createRotatedLog(),
      3,
      signUnderDomain({ ...testDomain, verifyingContract: firstSigner }),
      /leads to/,
    ],
  ])('rejects a key that %s', async (_, log, index, change, reason) => {
    const result = await verify(log, index, change)
    expect(result).toMatchObject({ verdict: 'failed', step: 2 })
    expect(result.checks[1]?.reason).toMatch(reason)
  })

  it('rejects a key outside its window, even when the chain is unavailable', async () => {
    const bundle = createRotatedLog((log) => appendAlertBy(log, 0)).bundle(4)
    expect(await verifyBundle(bundle, { trust, rpc: createFixedRpc({}) })).toMatchObject({ verdict: 'failed', step: 2 })
  })

  it('accepts a key within its window, before and after a rotation', async () => {
    const log = createRotatedLog()
    expect((await verify(log, 1)).checks[1]?.reason).toMatch(/is the published key for entries 0 to 2$/)
    expect((await verify(log, 3)).checks[1]?.reason).toMatch(/is the published key for entries from 3 on$/)
    expect((await verify(log, 1)).verdict).toBe('verified')
    expect((await verify(log, 3, signUnderDomain(testDomain))).verdict).toBe('verified')
  })
})

function readBundle(text: string) {
  try {
    return parseBundle(JSON.parse(text))
  } catch {
    return null
  }
}

/**
 * Returns what the proof of a bundle covers: without unknown fields, and with defaults for the kind
 * and target that an alert may omit.
 */
function separateUnsignedFields(bundle: ReturnType<typeof parseBundle>) {
  const { kind = 'alert', targetIndex = null, targetLeafHash = null, ...alert } = bundle.alert
  const names = ['id', 'asset', 'priority', 'anomalyType', 'regime', 'summary', 'confidence', 'createdAt', 'origin']
  const proof = ['signalHash', 'signer', 'logIndex', 'signature', 'leafHash', 'merklePath', 'treeSize', 'root']
  const signed = [...names, ...proof, 'avalancheTx'].map((name) => [name, alert[name]])
  return { keys: bundle.keys, kind, targetIndex, targetLeafHash, signed }
}
