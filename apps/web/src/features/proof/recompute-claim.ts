import type { ProofBundle } from '@tocsin/proof'
import { bundlesOf, type Claim } from './claim.ts'
import type { BundleChecked, ProofTask, Trust } from './proof-task.ts'
import { rungsOf } from './rungs.ts'
import type { ByBrowser, Checked } from './verify-claim.ts'

type Run = (
  task: Extract<ProofTask, { kind: 'verify' }>,
  onProgress: (answer: BundleChecked) => void,
) => Promise<BundleChecked>

export interface Recomputation {
  claim: Claim
  /** Key lists and anchor to put around an alert that came alone; asked for only then. */
  getFrame: () => Promise<Omit<ProofBundle, 'alert'>>
  trust: Trust
  rpcUrl: string
}

/**
 * Has this browser check a claim: nothing but the chain is asked. `onProgress` hears what holds without the chain.
 * @throws Error with a sentence when the check can't be made at all
 */
export async function recomputeClaim(
  { claim, getFrame, trust, rpcUrl }: Recomputation,
  run: Run,
  onProgress: (checked: Checked) => void,
): Promise<Checked> {
  const frame = claim.bundle ?? (await getFrame())
  const bundles = bundlesOf(claim, frame)
  const by = { kind: 'browser', trust, keysFrom: claim.bundle ? 'file' : 'site' } as const
  const describe = (answer: BundleChecked, isRunning: boolean) =>
    toChecked(claim, answer, { ...by, asked: answer.asked, isRunning })
  const answer = await run({ kind: 'verify', bundles, trust, rpcUrl }, (progress) =>
    onProgress(describe(progress, true)),
  )
  return describe(answer, false)
}

function toChecked(claim: Claim, { verification, anchor }: BundleChecked, by: ByBrowser): Checked {
  const { alert, transaction } = claim
  const { verdict, checks, step, blockAt, rungs } = verification
  // The path leads up whether or not the chain can say whose signature it is.
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
