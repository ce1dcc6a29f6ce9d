import type { VerifyAlertResponse } from '@tocsin/protocol'
import { describe, expect, it } from 'vitest'
import { createVerifiedResponse, stepIds } from '../../../test/support/test-response.ts'
import type { AlertCopy } from './claim.ts'
import { countSteps, createLadder, describeChecker, describeVerdict } from './verdict.ts'
import { type BrowserCheck, type CheckedClaim, checkAnchoredAt } from './verify-claim.ts'

const alert: AlertCopy = {
  id: 'a-5',
  asset: 'ETH/USDT',
  priority: 'critical',
  summary: 'Volume',
  confidence: 97.3,
  regime: '',
  anomalyType: '',
  createdAt: '2026-11-21T14:32:14.200Z',
  origin: 'feed',
  signalHash: null,
  signer: '0x4B19',
  logIndex: 1,
  leafHash: '0xleaf',
  treeSize: 2,
  root: '0xroot',
  merklePath: ['0xsibling'],
  anchoredAt: '2026-11-21T14:32:17.000Z',
}
const verifiedFindings = createVerifiedResponse({
  chainTime: '2026-11-21T14:32:17.000Z',
  rungs: [{ level: 1, side: 'left', sibling: '0xsibling', hash: '0xroot' }],
})
const createFailure = (failedStep: number, otherFields: Partial<VerifyAlertResponse> = {}): VerifyAlertResponse => ({
  ...verifiedFindings,
  valid: false,
  verdict: 'failed',
  failedStep,
  steps: stepIds.map((id, i) => ({
    id,
    status: i + 1 < failedStep ? 'passed' : i + 1 === failedStep ? 'failed' : 'skipped',
    reason: id,
  })),
  chainTime: null,
  blockNumber: null,
  ...otherFields,
})
const createChecked = (findings: VerifyAlertResponse, alertCopy: AlertCopy = alert): CheckedClaim => ({
  alert: alertCopy,
  transaction: '0xtx',
  findings,
  outcomes: [],
  checker: { kind: 'server' },
})

describe('describeVerdict', () => {
  it.each([
    [
      createFailure(1),
      'Failed at step 1',
      'failed',
      'The content differs from the log entry. Do not act on this copy.',
    ],
    [
      createFailure(3),
      'Failed at step 3',
      'failed',
      'The Merkle path does not lead to the anchored root. Do not act on this copy.',
    ],
    [{ ...verifiedFindings, verdict: 'unavailable' as const }, 'Cannot check now', 'signed', /try again/],
    [
      { ...verifiedFindings, verdict: 'time-not-proven' as const },
      'Time of issue not proven',
      'anchored',
      /anchor came too late to prove when/,
    ],
    [
      { ...verifiedFindings, verdict: 'not-anchored' as const },
      'Not yet anchored',
      'signed',
      /not anchored on the chain yet/,
    ],
    [verifiedFindings, 'Verified', 'anchored', 'Anchored 2.8 s after issue'],
    [
      { ...verifiedFindings, chainTime: '2026-11-21T14:32:14.000Z' },
      'Verified',
      'anchored',
      'Anchored within a second of issue',
    ],
  ])('%#: returns word, seal and sentence for %s', (findings, word, seal, sentence) => {
    const verdict = describeVerdict(createChecked(findings))
    expect(verdict).toMatchObject({ word, seal })
    expect(verdict.sentence).toMatch(sentence)
  })
})

it('countSteps: counts passed and failed steps', () => {
  expect(countSteps(verifiedFindings.steps)).toBe('6 of 6')
  expect(countSteps(createFailure(3).steps)).toBe('2 passed, 1 failed')
})

describe('createLadder', () => {
  it.each([
    ['wrong content', createFailure(1, { rungs: [] }), alert],
    ['a wrong signature', createFailure(2, { rungs: [] }), alert],
    ['a path that does not fit', createFailure(3, { rungs: [] }), alert],
    ['no root to lead to', createFailure(3, { rungs: [] }), { ...alert, merklePath: [], root: null }],
  ])('returns null for %s', (_, findings, alertCopy) => {
    expect(createLadder(createChecked(findings, alertCopy))).toBeNull()
  })

  it('marks the root as failed when the Merkle path leads to another root', () => {
    const findings = createFailure(3, { rungs: [{ level: 1, side: 'left', sibling: '0xsibling', hash: '0xother' }] })
    expect(createLadder(createChecked(findings))).toMatchObject({
      anchored: false,
      failedAt: { rung: 'root', recomputed: '0xother', published: '0xroot' },
    })
  })

  it('compares the leaf with the root when the tree has one leaf', () => {
    const singleEntryCopy = { ...alert, merklePath: [], treeSize: 1 }
    expect(createLadder(createChecked(createFailure(3, { rungs: [] }), singleEntryCopy))?.failedAt?.recomputed).toBe(
      '0xleaf',
    )
  })

  it('returns a ladder that is not anchored when the chain does not confirm the root', () => {
    const ladder = createLadder(createChecked(createFailure(4)))
    expect(ladder).toMatchObject({ anchored: false, tx: '0xtx', block: null })
    expect(ladder?.failedAt).toBeUndefined()
  })

  it('includes the block when all steps passed', () => {
    expect(createLadder(createChecked(verifiedFindings))).toMatchObject({
      anchored: true,
      root: '0xroot',
      block: { number: 7, at: '2026-11-21T14:32:17.000Z' },
    })
  })
})

describe('checkAnchoredAt', () => {
  it('rejects a copy whose anchoring time differs from the block’s time', () => {
    const anchoredAt = '2026-11-21T14:32:18.000Z'
    const timeFindings = checkAnchoredAt({ ...alert, anchoredAt }, verifiedFindings)
    expect(timeFindings).toMatchObject({ verdict: 'failed', failedStep: 6 })
    expect(timeFindings.steps.map(({ status }) => status)).toEqual([...Array(5).fill('passed'), 'failed'])
  })

  it('accepts a copy whose anchoring time equals the block’s time or is missing', () => {
    const { anchoredAt: _at, ...copyWithoutTime } = alert
    expect(checkAnchoredAt(alert, verifiedFindings)).toBe(verifiedFindings)
    for (const copy of [copyWithoutTime, { ...alert, anchoredAt: null }])
      expect(checkAnchoredAt(copy, verifiedFindings)).toBe(verifiedFindings)
  })
})

describe('a check in this browser', () => {
  const createBrowserCheck = (
    changes: Partial<BrowserCheck['nodeUsage']>,
    otherFields: Partial<BrowserCheck> = {},
  ): BrowserCheck => ({
    kind: 'browser',
    nodeUsage: { rpcUrl: 'https://node.example/key', requestCount: 5, problem: null, tookMs: 12, ...changes },
    trust: { firstSigner: '0x4B19', domain: { chainId: 43114, verifyingContract: '0x9d3E' } },
    keysFrom: 'file',
    isRunning: false,
    ...otherFields,
  })

  it.each<[BrowserCheck, RegExp, RegExp]>([
    [
      createBrowserCheck({}),
      /Queried only node\.example, 5 times\./,
      /No request of the check went to this site’s server\.$/,
    ],
    [createBrowserCheck({ requestCount: 1 }), /node\.example, 1 time\./, /No request/],
    [createBrowserCheck({ requestCount: 0 }), /No request to the chain was necessary/, /No request/],
    [createBrowserCheck({}, { keysFrom: 'site' }), /5 times/, /The key lists had been fetched from it before\.$/],
    [createBrowserCheck({ rpcUrl: '', requestCount: 0 }), /The chain was not queried\./, /No request/],
    [createBrowserCheck({ rpcUrl: 'http://localhost:3000/dev/chain' }), /localhost:3000/, /This site serves that node/],
    [createBrowserCheck({}, { isRunning: true }), /in this browser/, /The chain is being queried/],
  ])('describeChecker: names the servers that were queried: case %#', (expectedText, chain, site) => {
    const words = describeChecker(expectedText, 'localhost:3000')
    expect(words).toMatch(chain)
    expect(words).toMatch(site)
  })

  it('describeVerdict: reports a problem of the node, not a failed alert, when the node does not respond', () => {
    const findings = { ...verifiedFindings, verdict: 'unavailable' } as const
    const problem = 'The node did not respond within 8 seconds.'
    const verdict = describeVerdict({ ...createChecked(findings), checker: createBrowserCheck({ problem }) })
    expect(verdict.word).toBe('Cannot check now')
    expect(verdict.sentence).toBe(`${problem} All other checks succeeded; try again in a moment.`)
  })

  it('describeVerdict: asks the user to enter a node, instead of to try again, when no node is known', () => {
    const findings = { ...verifiedFindings, verdict: 'unavailable' } as const
    const verdict = describeVerdict({
      ...createChecked(findings),
      checker: createBrowserCheck({ rpcUrl: '', requestCount: 0 }),
    })
    expect(verdict).toMatchObject({ word: 'Signed', seal: 'signed', tone: 'plain' })
    expect(verdict.sentence).toMatch(/Enter a node of the anchor chain/)
  })
})
