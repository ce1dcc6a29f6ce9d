import type { ProofBundle } from '@tocsin/proof'
import { bundlesOf, type Claim } from './claim.ts'
import type { BundleCheckResult, ProofTask, Trust } from './proof-task.ts'
import { rungsOf } from './rungs.ts'
import type { ByBrowser, Checked } from './verify-claim.ts'

type Run = (
  task: Extract<ProofTask, { kind: 'verify' }>,
  onProgress: (answer: BundleCheckResult) => void,
) => Promise<BundleCheckResult>

export interface Recomputation {
  claim: Claim
  /** Fetches the bundle context of a claim without a proof file. */
  getContext: () => Promise<Omit<ProofBundle, 'alert'>>
  trust: Trust
  rpcUrl: string
}

/**
 * Verifies a claim in this browser; only the chain is queried. `onProgress` receives the results
 * that need no chain.
 * @throws Error with a user-facing message if the check cannot run
 */
export async function recomputeClaim(
  { claim, getContext, trust, rpcUrl }: Recomputation,
  run: Run,
  onProgress: (checked: Checked) => void,
): Promise<Checked> {
  const context = claim.bundle ?? (await getContext())
  const bundles = bundlesOf(claim, context)
  const by = { kind: 'browser', trust, keysFrom: claim.bundle ? 'file' : 'site' } as const
  const describe = (answer: BundleCheckResult, isRunning: boolean) =>
    toChecked(claim, answer, { ...by, asked: answer.asked, isRunning })
  const answer = await run({ kind: 'verify', bundles, trust, rpcUrl }, (progress) =>
    onProgress(describe(progress, true)),
  )
  return describe(answer, false)
}

function toChecked(claim: Claim, { verification, anchor }: BundleCheckResult, by: ByBrowser): Checked {
  const { alert, transaction } = claim
  const { verdict, checks, step, blockAt, rungs } = verification
  // Show a valid path even if the signature could not be verified without the chain.
  const isPathGood = checks.some(({ id, status }) => id === 'merklePath' && status === 'passed')
  const findings = {
    verdict,
    steps: checks,
    failedStep: step,
    chainTime: blockAt,
    blockNumber: anchor?.blockNumber ?? null,
    rungs: rungs.length === 0 && isPathGood ? rungsOf(alert) : rungs,
  }
  return { alert, transaction, answer: findings, by }
}
