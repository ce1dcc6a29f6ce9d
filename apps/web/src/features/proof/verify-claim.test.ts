import type { VerifyAlertResponse } from '@tocsin/protocol'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createVerifiedResponse } from '../../../test/support/test-response.ts'
import type { AlertCopy, Claim } from './claim.ts'
import { checkAnchoredAt, verifyClaim } from './verify-claim.ts'

const blockTime = '2026-01-15T12:00:03.000Z'
const otherTime = '2026-01-15T12:00:04.000Z'
const alert: AlertCopy = {
  id: 'alert',
  asset: 'ETH/USDT',
  priority: 'high',
  summary: 'Volume above its mean',
  confidence: 97.3,
  regime: '',
  anomalyType: '',
  createdAt: '2026-01-15T12:00:00.000Z',
  signalHash: null,
  signer: '0x01',
  logIndex: 1,
  leafHash: '0x02',
  treeSize: 2,
  root: '0x03',
  merklePath: ['0x04'],
}
const verifiedFindings = createVerifiedResponse({ chainTime: blockTime })

describe('checkAnchoredAt: rejects an alert whose anchoring time differs from the block time', () => {
  test.each(['verified', 'time-not-proven'] as const)('when the verdict is %s', (verdict) => {
    const findings = checkAnchoredAt({ ...alert, anchoredAt: otherTime }, { ...verifiedFindings, verdict })
    const reason = `The alert says it was anchored at ${otherTime}, the block says ${blockTime}`
    expect(findings).toEqual({
      ...verifiedFindings,
      verdict: 'failed',
      steps: [...verifiedFindings.steps.slice(0, 5), { id: 'blockTime', status: 'failed', reason }],
      failedStep: 6,
    })
  })
})

describe('checkAnchoredAt: returns the findings unchanged', () => {
  test.each([
    ['when the verdict is failed', 'failed', otherTime],
    ['when the verdict is unavailable', 'unavailable', otherTime],
    ['when the verdict is not-anchored', 'not-anchored', otherTime],
    ['when the times are equal', 'verified', blockTime],
    ['when the alert has no anchoring time yet', 'verified', null],
    ['when the alert omits the anchoring time', 'verified', undefined],
  ] as const)('%s', (_name, verdict, anchoredAt) => {
    const findings = { ...verifiedFindings, verdict }
    expect(checkAnchoredAt({ ...alert, anchoredAt }, findings)).toBe(findings)
  })
})

describe('verifyClaim: returns the findings of', () => {
  afterEach(() => void vi.unstubAllGlobals())

  /**
   * Verifies a claim with transaction 0x0f whose alert contains transaction 0x0e. The server
   * responds to the n-th request with the n-th verdict.
   */
  async function verifyWithVerdicts(verdicts: VerifyAlertResponse['verdict'][], change: Partial<AlertCopy> = {}) {
    const requests: { signature: string; avalancheTx: string }[] = []
    vi.stubGlobal('fetch', async (url: string, { body }: RequestInit) => {
      requests.push({ url, ...JSON.parse(String(body)) })
      return Response.json({ ...verifiedFindings, verdict: verdicts[requests.length - 1] })
    })
    const claim: Claim = {
      alert: { ...alert, signature: '0x0a', avalancheTx: '0x0e', ...change },
      bundle: null,
      signature: '0x0a',
      transaction: '0x0f',
    }
    const checked = await verifyClaim(claim)
    return { requests, checked, claim }
  }

  test.each([
    ['the first variant when it fails', ['failed', 'verified'], {}, ['0x0f'], 'failed'],
    ['the second variant when it fails', ['verified', 'failed'], {}, ['0x0f', '0x0e'], 'failed'],
    ['the last variant when all are verified', ['verified', 'verified'], {}, ['0x0f', '0x0e'], 'verified'],
    [
      'the only variant when the alert has the same proofs',
      ['verified'],
      { avalancheTx: '0x0f' },
      ['0x0f'],
      'verified',
    ],
    [
      'a failure when the anchoring time differs',
      ['verified', 'verified'],
      { anchoredAt: otherTime },
      ['0x0f', '0x0e'],
      'failed',
    ],
  ] as const)('%s', async (_name, verdicts, change, transactions, verdict) => {
    const { requests, checked, claim } = await verifyWithVerdicts([...verdicts], change)
    expect(requests.map(({ avalancheTx }) => avalancheTx)).toEqual(transactions)
    const transaction = transactions.at(-1)
    expect(checked).toMatchObject({ transaction, findings: { verdict }, outcomes: [], checker: { kind: 'server' } })
    expect(checked.alert).toBe(claim.alert)
    expect(requests[0]).toMatchObject({ url: '/api/alerts/verify', signature: '0x0a', merklePath: ['0x04'] })
  })
})
