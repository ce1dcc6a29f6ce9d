/** What one check came to, with one sentence for a person. */
export interface Outcome {
  /** `unproven`: nothing is wrong, but the time of issue rests on the operator's word alone. */
  status: 'passed' | 'failed' | 'skipped' | 'pending' | 'unavailable' | 'unproven'
  reason: string
}

export const skipped: Outcome = { status: 'skipped', reason: 'Not checked, because an earlier check failed' }
export const notAnchored: Outcome = { status: 'pending', reason: 'The alert is not anchored yet' }
export const chainSilent: Outcome = { status: 'unavailable', reason: 'The anchor chain could not be asked' }

export function passed(reason: string): Outcome {
  return { status: 'passed', reason }
}

export function failedBecause(reason: string): Outcome {
  return { status: 'failed', reason }
}
