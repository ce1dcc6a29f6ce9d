/** The result of one check with a reason to display. */
export interface Outcome {
  /** `unproven`: no error, but the chain does not confirm the stated time. */
  status: 'passed' | 'failed' | 'skipped' | 'pending' | 'unavailable' | 'unproven'
  reason: string
}

export const skipped: Outcome = { status: 'skipped', reason: 'Not checked, because an earlier check failed' }
export const notAnchored: Outcome = { status: 'pending', reason: 'The alert is not anchored yet' }
export const chainUnavailable: Outcome = { status: 'unavailable', reason: 'The anchor chain could not be reached' }

export function passed(reason: string): Outcome {
  return { status: 'passed', reason }
}

export function failedBecause(reason: string): Outcome {
  return { status: 'failed', reason }
}
