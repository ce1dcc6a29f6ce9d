/** The result of one check of a proof, with a reason to display. */
export interface CheckResult {
  /** `unproven`: no error, but the chain does not confirm the stated time. */
  status: 'passed' | 'failed' | 'skipped' | 'pending' | 'unavailable' | 'unproven'
  reason: string
}

export const skippedResult: CheckResult = { status: 'skipped', reason: 'Not checked, because an earlier check failed' }
export const notAnchoredResult: CheckResult = { status: 'pending', reason: 'The alert is not anchored yet' }
export const chainUnavailableResult: CheckResult = {
  status: 'unavailable',
  reason: 'The anchor chain could not be reached',
}

export function createPassedResult(reason: string): CheckResult {
  return { status: 'passed', reason }
}

export function createFailedResult(reason: string): CheckResult {
  return { status: 'failed', reason }
}
