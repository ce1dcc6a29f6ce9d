import type { VerifyAlertResponse } from '@tocsin/protocol'
import { call } from '../../api.ts'
import { proofTexts } from '../../texts/proof.tsx'
import { type Claim, type HeldAlert, requestsOf } from './claim.ts'
import type { Asked, Trust } from './proof-task.ts'

const texts = proofTexts.verifyClaim

/** What a check has found, whoever made it. */
export type Findings = Pick<
  VerifyAlertResponse,
  'verdict' | 'steps' | 'failedStep' | 'chainTime' | 'blockNumber' | 'rungs'
>

/** Who made a check: this site's server, or this browser with the chain's word alone. */
type CheckedBy = { kind: 'server' } | ByBrowser
export type ByBrowser = {
  kind: 'browser'
  asked: Asked
  trust: Trust
  /** Where the key lists came from. Only with a whole proof file nothing is asked of this site. */
  keysFrom: 'file' | 'site'
  /** What holds without the chain is known, the chain is being asked. */
  isRunning: boolean
}

/** A claim, and what came of checking it. */
export type Checked = { alert: HeldAlert; transaction: string; answer: Findings; by: CheckedBy }

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
  const { alert } = claim
  return { alert, transaction: request.avalancheTx, answer: holdToBlockTime(alert, answer), by: { kind: 'server' } }
}

/**
 * The anchoring time is no part of what was signed, so the server does not see it; a copy that states another than the
 * block's has been changed all the same.
 */
export function holdToBlockTime({ anchoredAt }: HeldAlert, answer: Findings): Findings {
  const isAnchored = answer.verdict === 'verified' || answer.verdict === 'time-not-proven'
  if (!isAnchored || !anchoredAt || anchoredAt === answer.chainTime) return answer
  const reason = texts.alertSaysItWasAnchored({ anchoredAt, chainTime: answer.chainTime })
  return {
    ...answer,
    verdict: 'failed',
    steps: answer.steps.map((step) => (step.id === 'blockTime' ? { ...step, status: 'failed', reason } : step)),
    failedStep: answer.steps.findIndex(({ id }) => id === 'blockTime') + 1,
  }
}
