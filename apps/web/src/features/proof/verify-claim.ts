import type { VerifyAlertResponse } from '@tocsin/protocol'
import { call } from '../../api.ts'
import { type Claim, type HeldAlert, requestsOf } from './claim.ts'

/** A claim, and what came of checking it. */
export type Checked = { alert: HeldAlert; transaction: string; answer: VerifyAlertResponse }

/**
 * Has the server check a claim in every way it can be read, up to the first that does not hold.
 * @throws ApiError, TypeError as `call` does
 */
export async function verifyClaim(claim: Claim): Promise<Checked> {
  const [first, ...others] = requestsOf(claim)
  let request = first
  let answer = await call('verifyAlert', { body: first })
  for (const other of others) {
    if (answer.verdict === 'failed') break
    request = other
    answer = await call('verifyAlert', { body: other })
  }
  return { alert: claim.alert, transaction: request.avalancheTx, answer: holdToBlockTime(claim.alert, answer) }
}

/**
 * The anchoring time is no part of what was signed, so the server does not see it; a copy that states another than the
 * block's has been changed all the same.
 */
export function holdToBlockTime({ anchoredAt }: HeldAlert, answer: VerifyAlertResponse): VerifyAlertResponse {
  if (answer.verdict !== 'verified' || anchoredAt === undefined || anchoredAt === answer.chainTime) return answer
  const reason = `The alert says it was anchored at ${anchoredAt ?? 'no time yet'}, the block is of ${answer.chainTime}`
  return {
    ...answer,
    valid: false,
    verdict: 'failed',
    checks: { ...answer.checks, anchor: { valid: false, reason } },
    steps: answer.steps.map((step) => (step.id === 'blockTime' ? { ...step, status: 'failed', reason } : step)),
    failedStep: answer.steps.findIndex(({ id }) => id === 'blockTime') + 1,
    reason,
  }
}
