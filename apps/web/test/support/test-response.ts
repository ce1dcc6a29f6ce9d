import type { VerifyAlertResponse } from '@tocsin/protocol'

export const stepIds = ['payload', 'signature', 'merklePath', 'root', 'transaction', 'blockTime'] as const

const passedStep = { valid: true, reason: '' }

/** The response for an alert that passes all six checks, for tests. */
export function createVerifiedResponse(fields: Partial<VerifyAlertResponse>): VerifyAlertResponse {
  return {
    valid: true,
    verdict: 'verified',
    timeProven: true,
    checks: { signature: passedStep, merklePath: passedStep, anchor: passedStep },
    steps: stepIds.map((id) => ({ id, status: 'passed', reason: id })),
    failedStep: null,
    reason: null,
    chainTime: null,
    blockNumber: 7,
    confirmations: 3,
    rungs: [],
    ...fields,
  }
}
