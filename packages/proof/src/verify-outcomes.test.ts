import { describe, expect, it } from 'vitest'
import { createFixedRpc, createTestLog, type TestLog, testDomain, testSigners } from '../test/support/test-log.ts'
import { type ProofBundle, parseBundle } from './bundle.ts'
import { bytesToHex, type Hex } from './hex.ts'
import type { OutcomeStatement } from './outcome-entry.ts'
import { verifyBundle } from './verify-bundle.ts'

const [firstSigner = '0x', secondSigner = '0x'] = testSigners
const trust = { firstSigner, domain: testDomain }
const salt: Hex = `0x${'5a'.repeat(16)}`
const signalHash: Hex = `0x${'ab'.repeat(32)}`

/**
 * Creates a log with these entries under one anchor: 0 key list, 1 alert of the feed, 2 alert of
 * the demo, and then the entries that the test adds.
 */
function createLog(addEntries: (log: TestLog) => void): TestLog {
  const log = createTestLog()
  log.appendKeys()
  log.appendAlert({ origin: 'feed', signalHash, salt })
  log.appendAlert({ origin: 'demo', salt })
  addEntries(log)
  log.anchor()
  return log
}

function readLeafHash(log: TestLog, index: number): Hex {
  return bytesToHex(log.entries[index]?.leafHash ?? new Uint8Array())
}

const createOutcomeByKey = (log: TestLog, signerIndex: number) => {
  const signer = testSigners[signerIndex] ?? firstSigner
  const { statement } = createLog((other) => other.appendOutcome(1)).entries[3] ?? {}
  if (statement?.kind !== 'outcome') throw new Error('Entry 3 is an outcome')
  log.append({ ...statement, index: log.entries.length, createdAt: log.draft().createdAt, signer }, signerIndex)
}

async function verifyTestLog(
  log: TestLog,
  change: (bundle: ProofBundle) => ProofBundle = (bundle) => bundle,
  index = 1,
) {
  const bundle = parseBundle(JSON.parse(JSON.stringify(change(log.bundle(index)))))
  return await verifyBundle(bundle, { trust, rpc: createFixedRpc(log.answers()) })
}

const changeEntry = (fields: object) => (bundle: ProofBundle) => ({
  ...bundle,
  outcomes: (bundle.outcomes ?? []).map((entry) => ({ ...entry, ...fields })),
})
const createOutcomeLog = (change: Partial<OutcomeStatement> = {}) => createLog((log) => log.appendOutcome(1, change))
const zeros: Hex = `0x${'00'.repeat(32)}`

describe('verifyBundle reports an outcome as failed', () => {
  it.each<[name: string, log: TestLog, change: object, reason: string]>([
    ['that names another leaf hash', createOutcomeLog({ targetLeafHash: zeros }), {}, 'is not about this alert'],
    ['of another origin', createOutcomeLog({ origin: 'demo' }), {}, 'is not about this alert'],
    ['whose bytes are not canonical', createOutcomeLog(), { bytes: '{}' }, "The outcome's kind is not outcome"],
    ['with another index', createOutcomeLog(), { index: 4 }, 'The outcome of entry 4 says that it is entry 3'],
    [
      'with another leaf hash',
      createOutcomeLog(),
      { leafHash: zeros },
      'The leaf hash of the outcome of entry 3 is not',
    ],
    ['with a malformed signature', createOutcomeLog(), { signature: '0x' }, 'The signature of the outcome of entry 3'],
    [
      'with another root',
      createOutcomeLog(),
      { root: zeros },
      "The outcome of entry 3 can't be proved: Recomputed root",
    ],
    [
      'with a transaction that does not exist',
      createOutcomeLog(),
      { avalancheTx: zeros },
      "The outcome of entry 3 can't be proved: No such transaction",
    ],
    [
      'by a key that is not published',
      createLog((log) => createOutcomeByKey(log, 2)),
      {},
      'which is not a published key',
    ],
    [
      'by a key that was replaced',
      createLog((log) => {
        log.appendKeys()
        createOutcomeByKey(log, 0)
      }),
      {},
      'signs entries 0 to 3, the outcome is entry 4',
    ],
  ])('%s', async (_, log, change, reason) => {
    const answers = { ...log.answers(), [`eth_getTransactionReceipt ["${zeros}"]`]: null }
    const bundle = parseBundle(JSON.parse(JSON.stringify(changeEntry(change)(log.bundle(1)))))
    const { verdict, outcomes } = await verifyBundle(bundle, { trust, rpc: createFixedRpc(answers) })
    expect(verdict).toBe('verified')
    expect(outcomes).toMatchObject([{ verdict: 'failed', statement: null, blockAt: null }])
    expect(outcomes[0]?.reason).toContain(reason)
  })

  it.each<[name: string, change: Partial<OutcomeStatement>]>([
    ['of another alert', { origin: 'demo' }],
    [
      'that names another index',
      {
        targetLeafHash: readLeafHash(
          createLog(() => undefined),
          1,
        ),
      },
    ],
  ])('%s', async (_, change) => {
    const log = createLog((log) => log.appendOutcome(2, change))
    const { outcomes } = log.bundle(2)
    const { verdict, outcomes: reportedOutcomes } = await verifyTestLog(log, (bundle) => ({
      ...bundle,
      ...(outcomes && { outcomes }),
    }))
    expect([verdict, reportedOutcomes[0]?.verdict, reportedOutcomes[0]?.reason]).toEqual([
      'verified',
      'failed',
      'The outcome of entry 3 is not about this alert',
    ])
  })

  it('of a correction', async () => {
    const log = createLog((log) => {
      const target = { targetIndex: 1, targetLeafHash: readLeafHash(log, 1) }
      log.appendAlert({ kind: 'correction', origin: 'feed', signalHash, salt, ...target })
      log.appendOutcome(3)
    })
    const { verdict, outcomes } = await verifyTestLog(log, undefined, 3)
    expect([verdict, outcomes[0]?.reason]).toEqual(['verified', 'The outcome of entry 4 is not about this alert'])
  })

  it('that follows a key list without an anchor', async () => {
    const log = createLog((log) => {
      log.appendKeys()
      log.appendOutcome(1, { signer: secondSigner })
    })
    const unanchoredProof = { merklePath: [], treeSize: null, root: null, avalancheTx: null }
    const { verdict, outcomes } = await verifyTestLog(log, (bundle) => ({
      ...bundle,
      keys: bundle.keys.map((entry) => (entry.index === 3 ? { ...entry, ...unanchoredProof } : entry)),
    }))
    expect([verdict, outcomes[0]?.verdict]).toEqual(['verified', 'failed'])
    expect(outcomes[0]?.reason).toBe('The key list of entry 3 is not anchored, though the outcome after it is')
  })

  it('in a bundle that names another first signer', async () => {
    const { verdict, outcomes } = await verifyTestLog(createOutcomeLog(), (bundle) => ({
      ...bundle,
      firstSigner: secondSigner,
    }))
    expect([verdict, outcomes[0]?.verdict]).toEqual(['failed', 'failed'])
  })
})

describe('verifyBundle', () => {
  it('reports outcomes in the order of the bundle, and checks each with the signing key of its index', async () => {
    const log = createLog((log) => {
      log.appendOutcome(1)
      log.appendKeys()
      log.appendOutcome(1, { signer: secondSigner, verdict: 'did-not' })
    })
    const { verdict, outcomes } = await verifyTestLog(log)
    expect(verdict).toBe('verified')
    expect(outcomes).toMatchObject([
      { index: 3, verdict: 'verified', statement: { verdict: 'came-true' }, blockAt: log.anchors[0]?.blockAt },
      { index: 5, verdict: 'verified', statement: { verdict: 'did-not' } },
    ])
  })

  it('reports an outcome as not-anchored before its anchor, and as unavailable if the anchor cannot be read', async () => {
    const log = createLog(() => undefined)
    log.appendOutcome(1)
    expect((await verifyTestLog(log)).outcomes).toMatchObject([{ verdict: 'not-anchored', blockAt: null }])
    log.anchor()
    const { [`eth_getTransactionReceipt ["${log.anchors[1]?.transactionHash}"]`]: _, ...answers } = log.answers()
    const result = await verifyBundle(log.bundle(1), { trust, rpc: createFixedRpc(answers) })
    expect([result.verdict, result.outcomes[0]?.verdict]).toEqual(['verified', 'unavailable'])
  })

  it.each([
    [900, 'verified'],
    [900.001, 'time-not-proven'],
    [3 * 3600, 'time-not-proven'],
  ])('reports an outcome whose time is %d seconds before that of its anchor as %s', async (seconds, verdict) => {
    const log = createLog(() => undefined)
    const blockMs = Date.parse(log.draft().createdAt) + 1_000
    log.appendOutcome(1, { createdAt: new Date(blockMs - seconds * 1_000).toISOString() })
    const { blockAt } = log.anchor()
    expect(Date.parse(blockAt)).toBe(blockMs)
    const result = await verifyTestLog(log)
    expect(result.verdict).toBe('verified')
    expect(result.outcomes).toMatchObject([{ verdict, blockAt, statement: { verdict: 'came-true' } }])
    if (verdict !== 'verified') expect(result.outcomes[0]?.reason).toContain('its anchor came too late')
  })

  it('reports an outcome with a late anchor as unavailable while that anchor cannot be read', async () => {
    const log = createLog(() => undefined)
    log.appendOutcome(1, { createdAt: '2025-01-15T09:30:00.000Z' })
    log.anchor()
    const { [`eth_getTransactionReceipt ["${log.anchors[1]?.transactionHash}"]`]: _, ...answers } = log.answers()
    const { outcomes } = await verifyBundle(log.bundle(1), { trust, rpc: createFixedRpc(answers) })
    expect(outcomes).toMatchObject([{ verdict: 'unavailable', blockAt: null }])
  })

  it('reports no outcomes for a bundle without them', async () => {
    const { outcomes: _, ...bundle } = createOutcomeLog().bundle(1)
    expect(parseBundle(bundle)).not.toHaveProperty('outcomes')
    expect((await verifyTestLog(createOutcomeLog(), () => bundle)).outcomes).toEqual([])
  })
})

describe('parseBundle', () => {
  it.each([
    ['null', null, "The bundle's outcomes are not a list of at most 100 entries"],
    ['101 outcomes', new Array(101).fill({}), "The bundle's outcomes are not a list of at most 100 entries"],
    ['an outcome that is no entry', [{}], 'Outcome 1 of the bundle is malformed'],
  ])('rejects %s as the outcomes of a bundle', (_, outcomes, reason) => {
    expect(() => parseBundle({ ...createOutcomeLog().bundle(1), outcomes })).toThrow(reason)
  })
})
