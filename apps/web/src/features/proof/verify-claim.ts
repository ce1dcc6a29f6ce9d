import type { OutcomeVerification } from '@tocsin/proof'
import type { VerifyAlertResponse } from '@tocsin/protocol'
import { call } from '../../api/api.ts'
import type { AlertCopy, Claim } from './claim.ts'
import { createRequests } from './claim-variants.ts'
import type { NodeUsage, Trust } from './proof-task.ts'

/** Result of a check, on the server or in the browser. */
export type Findings = Pick<
  VerifyAlertResponse,
  'verdict' | 'steps' | 'failedStep' | 'chainTime' | 'blockNumber' | 'rungs'
>

/** Where a check ran. */
type Checker = { kind: 'server' } | BrowserCheck
export type BrowserCheck = {
  kind: 'browser'
  nodeUsage: NodeUsage
  trust: Trust
  /** Source of the key lists. A check of a proof file needs no requests to this site. */
  keysFrom: 'file' | 'site'
  /** True after the offline checks, while the chain is being queried. */
  isRunning: boolean
}

/** A claim and the result of its check. */
export type CheckedClaim = {
  alert: AlertCopy
  transaction: string
  findings: Findings
  /** Empty if the server checked the claim, because the server checks only the alert. */
  outcomes: readonly OutcomeVerification[]
  checker: Checker
}

/**
 * Verifies all variants of a claim on the server, until one fails.
 * @throws ApiError or TypeError, as `call` does
 */
export async function verifyClaim(claim: Claim): Promise<CheckedClaim> {
  const [firstRequest, ...otherRequests] = createRequests(claim)
  let request = firstRequest
  let response = await call('verifyAlert', { body: firstRequest })
  for (const otherRequest of otherRequests) {
    if (response.verdict === 'failed') break
    request = otherRequest
    response = await call('verifyAlert', { body: otherRequest })
  }
  const { alert } = claim
  const findings = checkAnchoredAt(alert, response)
  return { alert, transaction: request.avalancheTx, findings, outcomes: [], checker: { kind: 'server' } }
}

/**
 * Fails a verified alert if its `anchoredAt` differs from the block's time. The field is not part
 * of the signed content, so the server does not check it.
 */
export function checkAnchoredAt({ anchoredAt }: AlertCopy, findings: Findings): Findings {
  const isAnchored = findings.verdict === 'verified' || findings.verdict === 'time-not-proven'
  if (!isAnchored || !anchoredAt || anchoredAt === findings.chainTime) return findings
  const reason = `The alert says it was anchored at ${anchoredAt}, the block says ${findings.chainTime}`
  return {
    ...findings,
    verdict: 'failed',
    steps: findings.steps.map((step) => (step.id === 'blockTime' ? { ...step, status: 'failed', reason } : step)),
    failedStep: findings.steps.findIndex(({ id }) => id === 'blockTime') + 1,
  }
}
