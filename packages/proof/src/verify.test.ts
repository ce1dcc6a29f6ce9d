import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeAlert, parseAlert } from './alert.ts'
import { checkBlockTime } from './anchor-checks.ts'
import type { AnchorEvidence } from './evidence.ts'
import { bytesToHex, hexToBytes } from './hex.ts'
import type { SigningKey } from './keys.ts'
import { parsePosition } from './place.ts'
import { addressOfKey, signDigest } from './signature.ts'
import { appendLeaf, emptyFrontier, frontierRoot, hashLeaf, inclusionProof } from './tree.ts'
import { hashAlert, type ProofDomain } from './typed-data.ts'
import { type ClaimedAlert, type SignedAlert, type VerificationInput, verifyAlert } from './verify.ts'

const key = new Uint8Array(32).fill(7)
const signer = addressOfKey(key)
const domain: ProofDomain = { chainId: 43114, verifyingContract: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' }

/** The only signing key of the log. It was never replaced. */
const singleKey: SigningKey = {
  address: signer,
  checkpointKey: `0x${'ef'.repeat(32)}`,
  fromIndex: 0,
  untilIndex: null,
}

const statement = {
  kind: 'alert' as const,
  index: 5,
  id: 'a-5',
  asset: 'BTC/USD',
  priority: 'high' as const,
  anomalyType: 'Volume Spike',
  regime: 'Trending',
  summary: 'Volume 4× its mean €',
  confidence: 87.5,
  createdAt: '2025-01-16T09:30:00.123Z',
  origin: 'feed' as const,
  signalHash: `0x${'ab'.repeat(32)}` as const,
  signer,
  targetIndex: null,
  targetLeafHash: null,
}

const leafHash = hashLeaf(encodeAlert(statement))
const leafHashes = Array.from({ length: 7 }, (_, i) => (i === 5 ? leafHash : hashLeaf(Uint8Array.of(i))))
const nodes = new Map<string, Uint8Array>()
let frontier = emptyFrontier
for (const leaf of leafHashes) {
  const appendResult = appendLeaf(frontier, leaf)
  for (const { id, hash } of appendResult.nodes) nodes.set(`${id.level}/${id.index}`, hash)
  frontier = appendResult.frontier
}
const root = bytesToHex(frontierRoot(frontier))
const path = inclusionProof(5, 7, ({ level, index }) => nodes.get(`${level}/${index}`) ?? new Uint8Array())

const issuedAlert: SignedAlert = {
  ...statement,
  signature: signDigest(hashAlert(domain, statement), key),
  leafHash: bytesToHex(leafHash),
  merklePath: [],
  treeSize: null,
  root: null,
  avalancheTx: null,
}
const transaction = `0x${'cd'.repeat(32)}` as const
const anchoredAlert: SignedAlert = {
  ...issuedAlert,
  merklePath: path.map(bytesToHex),
  treeSize: 7,
  root,
  avalancheTx: transaction,
}
const evidence: AnchorEvidence = {
  status: 'success',
  contract: domain.verifyingContract,
  size: 7,
  root,
  blockNumber: 12,
  blockAt: '2025-01-16T09:30:02.000Z',
  confirmations: 3,
}

/** Verifies an alert against a chain that has one transaction. */
function verifyTestAlert(alert: ClaimedAlert, change: Partial<VerificationInput> = {}) {
  const foundEvidence = alert.avalancheTx === transaction ? evidence : null
  return verifyAlert({ alert, domain, keys: [singleKey], evidence: foundEvidence, ...change })
}

const listStatuses = (alert: ClaimedAlert, change?: Partial<VerificationInput>) =>
  verifyTestAlert(alert, change).checks.map(({ status }) => status)

function expectFailure(step: number, alert: ClaimedAlert, change?: Partial<VerificationInput>) {
  const result = verifyTestAlert(alert, change)
  const expected = Array.from({ length: 6 }, (_, i) =>
    i + 1 < step ? 'passed' : i + 1 === step ? 'failed' : 'skipped',
  )
  expect(result.checks.map(({ status }) => status)).toEqual(expected)
  expect(result).toMatchObject({ verdict: 'failed', step, failed: result.checks[step - 1]?.id })
  if (step < 6) expect(result.blockAt).toBeNull()
  if (step < 3) expect(result.rungs).toEqual([])
  return result
}

const invalidClaims: [step: number, change: ClaimedAlert, reason: RegExp][] = [
  [1, { summary: 'Volume 5× its mean €' }, /^The content hashes to [0-9a-f]{4}…[0-9a-f]{4}, the alert says/],
  [1, { index: 4 }, /content hashes/],
  [1, { confidence: 87.6 }, /content hashes/],
  [1, { priority: 'urgent' }, /priority is not one of/],
  [1, { summary: 'lone \ud800' }, /summary is not well-formed/],
  [1, { origin: 'demo', signalHash: null }, /content hashes/],
  [1, { signer: '0x52908400098527886E0F7030069857D2E4169EE7' }, /content hashes/],
  [1, { leafHash: undefined }, /leaf hash is not/],
  [1, { leafHash: `0x${anchoredAlert.leafHash.slice(2).toUpperCase()}` }, /leaf hash is not/],
  [2, { signature: '' }, /malformed/],
  [2, { signature: 7 }, /malformed/],
  [2, { signature: signDigest(leafHash, key) }, /leads to 0x/],
  [3, { merklePath: [] }, /path of 0 hashes does not fit entry 5 of 7/],
  [3, { merklePath: 'abc' }, /not a list/],
  [3, { merklePath: new Array(54).fill(root) }, /not a list/],
  [3, { merklePath: [null, root, root] }, /path is not 0x/],
  [3, { merklePath: [...anchoredAlert.merklePath].reverse() }, /^Recomputed root .*, the alert says/],
  [3, { treeSize: 5 }, /does not fit/],
  [3, { treeSize: null }, /no tree size/],
  [3, { treeSize: '7' }, /no tree size/],
  [3, { root: null }, /root is not 0x/],
  [3, { treeSize: null, root: null, merklePath: [] }, /no tree size/],
  [3, { root: `0x${'00'.repeat(32)}` }, /Recomputed root/],
  // The path of entry 5 is also valid for a tree of eight entries with the same root, so only the
  // chain proves the size of the tree.
  [4, { treeSize: 8 }, /tree of 7 entries, the alert says 8/],
  [4, { avalancheTx: `0x${'ce'.repeat(32)}` }, /No such transaction on the chain, or no anchor event .*: cece…cece/],
  [4, { avalancheTx: 'pending' }, /transaction is not 0x/],
  [4, { avalancheTx: undefined }, /transaction is not 0x/],
]

const invalidInput: [step: number, change: Partial<VerificationInput>, reason: RegExp][] = [
  [2, { keys: [] }, /is not a published key/],
  [2, { keys: [{ ...singleKey, address: domain.verifyingContract }] }, /is not a published key/],
  [2, { keys: [{ ...singleKey, untilIndex: 5 }] }, /^Signer 0x\w{4}…\w{4} signs entries 0 to 4, this is entry 5$/],
  [2, { keys: [{ ...singleKey, untilIndex: 1 }] }, /signs entry 0 alone, this is entry 5$/],
  [2, { keys: [{ ...singleKey, fromIndex: 6 }] }, /signs entries from 6 on, this is entry 5$/],
  [2, { keyProblem: { status: 'failed', reason: 'No list' } }, /^No list$/],
  [2, { keys: [], keyProblem: { status: 'failed', reason: 'No list' } }, /^No list$/],
  [2, { domain: { ...domain, chainId: 1 } }, /leads to 0x/],
  [2, { domain: { ...domain, chainId: Number.NaN } }, /chain id/],
  [4, { evidence: null }, /No such transaction/],
  [4, { evidence: { ...evidence, contract: signer } }, /not the log's/],
  [4, { evidence: { ...evidence, root: `0x${'11'.repeat(32)}` } }, /chain holds the root 1111…1111/],
  [4, { evidence: { ...evidence, size: 6 } }, /tree of 6 entries/],
  [5, { evidence: { ...evidence, status: 'reverted' } }, /reverted in block 12/],
  [6, { evidence: { ...evidence, blockAt: '2025-01-16T09:29:00.122Z' } }, /before the alert/],
  [6, { evidence: { ...evidence, blockAt: 'yesterday' } }, /before the alert/],
]

function createNamedCase<Change extends object>([step, change, reason]: [number, Change, RegExp], i: number) {
  return { name: `${Object.keys(change).join(', ')} at step ${step} (case ${i + 1})`, step, change, reason }
}

/**
 * Checks that a changed alert fails. An alert that lacks a field, as older alerts do, may be
 * verified if it is parsed as the same statement.
 */
function expectNoOtherAlert(claim: ClaimedAlert, text: string) {
  const { verdict } = verifyTestAlert(claim)
  const hasOldFormat = !('kind' in claim && 'targetIndex' in claim && 'targetLeafHash' in claim)
  if (hasOldFormat && verdict === 'verified') expect(parseAlert(claim)).toEqual(statement)
  else expect(verdict, text).toBe('failed')
}

describe('verifyAlert rejects', () => {
  it.each(invalidClaims.map(createNamedCase))('a changed alert: $name', ({ step, change, reason }) => {
    expect(expectFailure(step, { ...anchoredAlert, ...change }).checks[step - 1]?.reason).toMatch(reason)
  })

  it.each(invalidInput.map(createNamedCase))(
    'an alert that does not match the keys, the domain or the chain: $name',
    ({ step, change, reason }) => {
      expect(expectFailure(step, anchoredAlert, change).checks[step - 1]?.reason).toMatch(reason)
    },
  )

  it('an alert that has only some fields of its Merkle proof', () => {
    expectFailure(3, { ...issuedAlert, merklePath: anchoredAlert.merklePath })
    expectFailure(3, { ...issuedAlert, treeSize: 7 })
    expectFailure(3, { ...issuedAlert, root })
    expect(verifyTestAlert({ ...anchoredAlert, merklePath: [] }).rungs).toEqual([])
    expect(verifyTestAlert({ ...anchoredAlert, merklePath: 'abc' }).rungs).toEqual([])
    expectFailure(3, { ...issuedAlert, avalancheTx: transaction })
  })

  it('a change of any character of a hash or the signature, at the step that checks it', () => {
    const changeCharacter = (text: string, i: number) =>
      `${text.slice(0, i)}${text.charAt(i) === '0' ? '1' : '0'}${text.slice(i + 1)}`
    const checkEachChange = (text: string, check: (changed: string) => void) => {
      for (let i = 0; i < text.length; i++) if (changeCharacter(text, i) !== text) check(changeCharacter(text, i))
    }
    checkEachChange(anchoredAlert.leafHash, (changed) => expectFailure(1, { ...anchoredAlert, leafHash: changed }))
    checkEachChange(anchoredAlert.signature, (changed) => expectFailure(2, { ...anchoredAlert, signature: changed }))
    checkEachChange(root, (changed) => expectFailure(3, { ...anchoredAlert, root: changed }))
    checkEachChange(transaction, (changed) => expectFailure(4, { ...anchoredAlert, avalancheTx: changed }))
    for (const [i, sibling] of anchoredAlert.merklePath.entries()) {
      checkEachChange(sibling, (changed) => {
        const merklePath = anchoredAlert.merklePath.map((hash, position) => (position === i ? changed : hash))
        expectFailure(3, { ...anchoredAlert, merklePath })
      })
    }
  })

  it('a flipped bit in every byte of the alert as text', () => {
    const bytes = Buffer.from(JSON.stringify(anchoredAlert))
    // Each case flips one bit. A step of 7 bits reaches each byte and, because 7 and 8 are coprime,
    // each of the eight bit positions.
    const firstBit = fc.nat(6)
    fc.assert(
      fc.property(firstBit, (first) => {
        let parsedCount = 0
        for (let bit = first; bit < bytes.length * 8; bit += 7) {
          const changedBytes = Buffer.from(bytes)
          changedBytes[bit >> 3] = (changedBytes[bit >> 3] ?? 0) ^ (1 << (bit & 7))
          const parsedAlert = parseJson(changedBytes.toString())
          if (parsedAlert === undefined) continue
          parsedCount += 1
          expectNoOtherAlert(parsedAlert, changedBytes.toString())
        }
        expect(parsedCount).toBeGreaterThan(bytes.length / 7)
      }),
      { numRuns: 1 },
    )
  })

  it('any other value of a field without throwing', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...Object.keys(anchoredAlert)), fc.anything()), (garbageFields) => {
        const result = verifyTestAlert({ ...anchoredAlert, ...garbageFields })
        expect(result.checks).toHaveLength(6)
        if (Object.keys(garbageFields).length > 0 && result.verdict === 'verified') {
          const claim: ClaimedAlert = { ...anchoredAlert, ...garbageFields }
          expect({ ...claim, ...parseAlert(claim) }).toEqual(anchoredAlert)
        }
      }),
      { numRuns: 300 },
    )
    expect(verifyTestAlert({}).step).toBe(1)
  })
})

function parseJson(text: string): ClaimedAlert | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

describe('parsePosition', () => {
  it.each([
    ['no index', { index: -1 }, 'The entry has no index'],
    ['no leaf hash', { leafHash: null }, 'The leaf hash is not 0x'],
    ['54 siblings', { merklePath: new Array(54).fill(root) }, 'The path is not a list of hashes'],
  ])('rejects a position with %s', (_, change, message) => {
    expect(() => parsePosition({ ...anchoredAlert, ...change })).toThrow(message)
  })

  it('accepts a path of 53 siblings', () => {
    expect(parsePosition({ ...anchoredAlert, merklePath: new Array(53).fill(root) }).path).toHaveLength(53)
  })
})

describe('verifyAlert', () => {
  it('verifies an anchored alert and returns its Merkle path', () => {
    const result = verifyTestAlert(anchoredAlert)
    expect(result).toMatchObject({ verdict: 'verified', failed: null, step: null, blockAt: evidence.blockAt })
    expect(result.checks.every(({ status }) => status === 'passed')).toBe(true)
    expect(result.checks.map(({ id }) => id)).toEqual([
      'payload',
      'signature',
      'merklePath',
      'root',
      'transaction',
      'blockTime',
    ])
    const shortenHex = (hex: string, from: number) => `${hex.slice(from, 6)}…${hex.slice(-4)}`
    expect(result.checks.map(({ reason }) => reason)).toEqual([
      `The content hashes to the leaf ${shortenHex(anchoredAlert.leafHash, 2)}`,
      `Signer ${shortenHex(signer, 0)} is the published key`,
      `Entry 5 of 7 leads to the root ${shortenHex(root, 2)}`,
      'The contract 0x5aAe…eAed holds this root for 7 entries',
      'The transaction succeeded in block 12, with 3 confirmations',
      `The block's time is ${evidence.blockAt}, the alert's ${statement.createdAt}`,
    ])
    const singleConfirmation = verifyTestAlert(anchoredAlert, { evidence: { ...evidence, confirmations: 1 } })
    expect(singleConfirmation.checks[4]?.reason).toMatch(/, with 1 confirmation$/)
    expect(result.rungs.map(({ level, side }) => `${level} ${side}`)).toEqual(['1 left', '2 right', '3 left'])
    expect(result.rungs.map(({ sibling }) => sibling)).toEqual(anchoredAlert.merklePath)
    expect(result.rungs.at(-1)?.hash).toBe(root)
  })

  it('names the entries that a key may sign if its window does not cover the whole log', () => {
    const readKeyReason = (change: Partial<SigningKey>) =>
      verifyTestAlert(anchoredAlert, { keys: [{ ...singleKey, ...change }] }).checks[1]?.reason
    expect(readKeyReason({ untilIndex: 6 })).toMatch(/is the published key for entries 0 to 5$/)
    expect(readKeyReason({ fromIndex: 5 })).toMatch(/is the published key for entries from 5 on$/)
    expect(readKeyReason({ fromIndex: 5, untilIndex: 6 })).toMatch(/is the published key for entry 5 alone$/)
  })

  it('verifies a log with one entry', () => {
    const first = { ...statement, index: 0 }
    const leaf = bytesToHex(hashLeaf(encodeAlert(first)))
    const signature = signDigest(hashAlert(domain, first), key)
    const alert = { ...anchoredAlert, ...first, signature, leafHash: leaf, merklePath: [], treeSize: 1, root: leaf }
    const result = verifyTestAlert(alert, { evidence: { ...evidence, size: 1, root: leaf } })
    expect(result).toMatchObject({ verdict: 'verified', rungs: [] })
  })

  it('tolerates a clock difference of one minute', () => {
    expect(
      verifyTestAlert(anchoredAlert, { evidence: { ...evidence, blockAt: '2025-01-16T09:29:00.123Z' } }).verdict,
    ).toBe('verified')
  })

  it('returns time-not-proven if the anchor is more than 15 minutes after the alert', () => {
    const verifyAtBlockTime = (blockAt: string) =>
      verifyTestAlert(anchoredAlert, { evidence: { ...evidence, blockAt } })
    expect(verifyAtBlockTime('2025-01-16T09:45:00.123Z').verdict).toBe('verified')
    const lateResult = verifyAtBlockTime('2025-01-16T09:45:00.124Z')
    expect(lateResult).toMatchObject({
      verdict: 'time-not-proven',
      failed: null,
      step: null,
      blockAt: '2025-01-16T09:45:00.124Z',
    })
    expect(lateResult.checks.map(({ status }) => status)).toEqual([...Array(5).fill('passed'), 'unproven'])
    expect(lateResult.checks[5]?.reason).toMatch(/more than 15 minutes after the alert's/)
    // A wrong anchor time takes precedence over a late anchor.
    expectFailure(
      6,
      { ...anchoredAlert, anchoredAt: '2025-01-16T10:00:00.000Z' },
      { evidence: { ...evidence, blockAt: '2025-01-16T10:00:01.000Z' } },
    )
  })

  it('limits the delay of the anchor for alerts and outcomes, but not for key lists', () => {
    const lateEvidence = { ...evidence, blockAt: '2025-01-16T10:30:00.000Z' }
    const getStatus = (claimant: 'alert' | 'outcome' | 'list') =>
      checkBlockTime(anchoredAlert, statement, lateEvidence, claimant).status
    expect([getStatus('alert'), getStatus('outcome'), getStatus('list')]).toEqual(['unproven', 'unproven', 'passed'])
  })

  it('compares contract and root of the chain case-insensitively', () => {
    const contract = bytesToHex(hexToBytes(domain.verifyingContract))
    const upperCaseEvidence: AnchorEvidence = { ...evidence, contract, root: `0x${root.slice(2).toUpperCase()}` }
    expect(verifyTestAlert(anchoredAlert, { evidence: upperCaseEvidence }).verdict).toBe('verified')
  })

  it('reports checks that need an anchor as pending before the alert is anchored, and runs the others', () => {
    expect(verifyTestAlert(issuedAlert)).toMatchObject({
      verdict: 'not-anchored',
      failed: null,
      step: null,
      blockAt: null,
      rungs: [],
    })
    expect(listStatuses(issuedAlert)).toEqual(['passed', 'passed', 'pending', 'pending', 'pending', 'pending'])
    expect(verifyTestAlert(issuedAlert).checks[5]?.reason).toBe('The alert is not anchored yet')
    const { checks } = expectFailure(1, { ...issuedAlert, summary: 'another' })
    expect(checks[1]?.reason).toBe('Not checked, because an earlier check failed')
    expectFailure(2, { ...issuedAlert, signature: signDigest(leafHash, key) })
  })

  it('checks the path of an alert whose root is not anchored yet', () => {
    const unanchoredAlert = { ...anchoredAlert, avalancheTx: null }
    expect(verifyTestAlert(unanchoredAlert).verdict).toBe('not-anchored')
    expect(listStatuses(unanchoredAlert)).toEqual(['passed', 'passed', 'passed', 'pending', 'pending', 'pending'])
  })

  it('rejects anchoredAt if it is present and is not the time of the anchor’s block', () => {
    expect(verifyTestAlert({ ...anchoredAlert, anchoredAt: evidence.blockAt }).verdict).toBe('verified')
    expect(verifyTestAlert({ ...anchoredAlert, anchoredAt: null }).verdict).toBe('verified')
    const { checks } = expectFailure(6, { ...anchoredAlert, anchoredAt: '2025-01-16T09:30:03.000Z' })
    expect(checks[5]?.reason).toMatch(/, the alert names another time for its anchor$/)
    expectFailure(6, { ...anchoredAlert, anchoredAt: 7 })
  })

  it('returns unavailable when the key list cannot be checked', () => {
    const keyProblem = { status: 'unavailable' as const, reason: 'The anchor chain could not be reached' }
    expect(verifyTestAlert(anchoredAlert, { keyProblem }).verdict).toBe('unavailable')
  })

  it('returns unavailable when the chain is unreachable', () => {
    const result = verifyTestAlert(anchoredAlert, { evidence: 'unavailable' })
    expect(result).toMatchObject({ verdict: 'unavailable', failed: null, blockAt: null })
    expect(result.checks.slice(3).map(({ status }) => status)).toEqual(['unavailable', 'unavailable', 'unavailable'])
    expect(result.checks[3]?.reason).toBe('The anchor chain could not be reached')
    expectFailure(3, { ...anchoredAlert, merklePath: [] }, { evidence: 'unavailable' })
  })
})
