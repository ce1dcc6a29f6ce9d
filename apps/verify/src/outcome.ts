/** The results of a run, and its expected errors. Any other error is a bug in this program. */

export type Verdict =
  | 'verified'
  | 'failed'
  | 'usage'
  | 'not-anchored'
  | 'unavailable'
  /** The proof is consistent, but relies on trusted values that the user did not provide. */
  | 'unpinned'
  | 'time-not-proven'
  /**
   * The times of all alerts are proven, but the time of an outcome is not. Only a check of a whole
   * log has this result.
   */
  | 'outcome-time-not-proven'

export const exitCodes: Record<Verdict, number> = {
  verified: 0,
  failed: 1,
  usage: 2,
  'not-anchored': 3,
  unavailable: 4,
  unpinned: 5,
  'time-not-proven': 6,
  'outcome-time-not-proven': 7,
}

/** The command line or the input is invalid. */
export class UsageProblem extends Error {}

/**
 * The chain or server is unreachable or sent an invalid response. The validity of the proof is
 * unknown.
 */
export class CannotCheck extends Error {}

/** The input is malformed or disproves itself. */
export class ProofProblem extends Error {}

export interface Step {
  id: string
  title: string
  status: 'passed' | 'failed' | 'skipped' | 'pending' | 'unavailable' | 'unproven'
  /** One sentence for the user. */
  reason: string
}

/** A value that the result relies on, and its source. */
export interface TrustedValue {
  name: 'firstSigner' | 'contract' | 'chainId' | 'rpc' | 'paymentRpc'
  value: string | number
  /** `not-asked`: a node named in a file. It is shown but never contacted. */
  source: 'given' | 'bundle' | 'receipt' | 'server' | 'file' | 'not-asked'
}

export interface Outcome {
  verdict: Verdict
  /** Name of the checked object, for the first line of the output. */
  subject: string
  steps: Step[]
  /**
   * The first problem, or the reason why the check is incomplete. Null if all checks passed. For a
   * log, also null if the run reached its end, for example with the verdict `not-anchored`.
   */
  failure: { step: string | null; index: number | null; reason: string } | null
  trusted: TrustedValue[]
  /** One sentence with the result. */
  conclusion: string
  /** Further information that the user must know. */
  notes: string[]
  /** Machine-readable figures. */
  facts: Record<string, string | number | null>
}
