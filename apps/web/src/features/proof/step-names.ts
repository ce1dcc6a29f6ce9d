import type { VerifyAlertResponse } from '@tocsin/protocol'

export type Step = VerifyAlertResponse['steps'][number]

/**
 * Names of the six checks, in their order. In a separate file, so that the landing page does not
 * load the rest of `verdict.ts`.
 */
export const stepNames: Record<Step['id'], string> = {
  payload: 'Payload hash',
  signature: 'Signature',
  merklePath: 'Merkle path',
  root: 'Root on chain',
  transaction: 'Transaction',
  blockTime: 'Block time',
}

// Safe cast: the object has exactly these keys.
export const stepIds = Object.keys(stepNames) as Step['id'][]
