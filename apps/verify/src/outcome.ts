/** How a run ends. Anything else that may be thrown is a fault of this program. */

export type Verdict =
  | 'verified'
  | 'failed'
  | 'usage'
  | 'not-anchored'
  | 'unavailable'
  /** Consistent, but with values that the user has not vouched for. */
  | 'unpinned'
  | 'time-not-proven'

export const exitCodes: Record<Verdict, number> = {
  verified: 0,
  failed: 1,
  usage: 2,
  'not-anchored': 3,
  unavailable: 4,
  unpinned: 5,
  'time-not-proven': 6,
}

/** The command can't be carried out as it was given. */
export class UsageProblem extends Error {}

/** Chain or server can't be asked now, or don't answer sensibly: says nothing about the proof. */
export class CannotCheck extends Error {}

/** What was handed in proves nothing, or proves the opposite. */
export class ProofProblem extends Error {}

export interface Step {
  id: string
  title: string
  status: 'passed' | 'failed' | 'skipped' | 'pending' | 'unavailable' | 'unproven'
  /** One sentence for a person. */
  reason: string
}

/** A value that the result rests on, and where it comes from. */
export interface TrustedValue {
  name: 'firstSigner' | 'contract' | 'chainId' | 'rpc' | 'paymentRpc'
  value: string | number
  /** `not-asked`: a node that a file names. Such an address is shown, and never contacted. */
  source: 'given' | 'bundle' | 'receipt' | 'server' | 'file' | 'not-asked'
}

export interface Outcome {
  verdict: Verdict
  /** What was checked, for the first line. */
  subject: string
  steps: Step[]
  /** The first thing that is wrong, or why there is no answer; null when all is well. */
  failure: { step: string | null; index: number | null; reason: string } | null
  trusted: TrustedValue[]
  /** One sentence with the result. */
  conclusion: string
  /** Further sentences that a reader must know. */
  notes: string[]
  /** Figures, for programs. */
  facts: Record<string, string | number | null>
}
