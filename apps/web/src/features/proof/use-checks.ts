import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Check, ProofBundle } from '@tocsin/proof'
import { useRef, useState } from 'react'
import { queries } from '../../api/queries.ts'
import { toast } from '../../ui/toast.tsx'
import type { Claim } from './claim.ts'
import { createBundles } from './claim-variants.ts'
import { listMissingFields } from './complete-alert.ts'
import { completeClaim } from './complete-claim.ts'
import { describeError } from './describe-error.ts'
import type { Draft } from './draft.ts'
import { loadClaimReader } from './load-claim-reader.ts'
import { loadOutcomes } from './load-outcomes.ts'
import { makeBundleContext } from './proof-bundle.ts'
import type { BundleCheckResult, ProofTask, Trust } from './proof-task.ts'
import { requireRpcUrl } from './rpc-url.ts'
import { computeRungs } from './rungs.ts'
import { toastFailure } from './toast-failure.tsx'
import type { PublishedLog } from './trust.ts'
import { useProofWorker } from './use-proof-worker.ts'
import type { TrustSettings } from './use-trust.ts'
import { type BrowserCheck, type CheckedClaim, verifyClaim } from './verify-claim.ts'

const checkFailedMessage = 'The alert could not be checked. Please try again.'

/** Verifies alerts on the server or in this browser, and keeps the result of the last check. */
export function useChecks(config: PublishedLog | undefined, choice: TrustSettings | null) {
  const client = useQueryClient()
  const runTask = useProofWorker()
  const [checkedClaim, setChecked] = useState<CheckedClaim | null>(null)
  const [runningChecker, setRunningChecker] = useState<'server' | 'browser' | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  /** Changes with each check, to replay the ladder's animation. */
  const [runCount, setRunCount] = useState(0)
  /**
   * Number of the newest check. A reset increments it too. The result of a check with a lower
   * number is outdated, so it is ignored.
   */
  const newestNumber = useRef(0)

  const verification = useMutation({
    mutationFn: async ({ number, by, claim }: NumberedCheck) => {
      const completedClaim = await completeClaim('alert' in claim ? claim : await readDraft(claim))
      if (by === 'server') return verifyClaim(completedClaim)
      // If a field is missing from a proof file, run the check: it fails and names the problem.
      const missingFieldNames = completedClaim.bundle === null ? listMissingFields(completedClaim.alert) : []
      if (missingFieldNames.length > 0)
        throw new Error(
          `The pasted alert lacks ${missingFieldNames.join(', ')}, and you have no access to an alert with this id. The browser cannot verify it.`,
        )
      if (!config || !choice) throw new Error('This page has not finished loading. Please try again.')
      const rpcUrl = choice.rpcUrl === '' ? '' : requireRpcUrl(choice.rpcUrl)
      const trust = choice.pin()
      const getContext = async () => {
        const { entries } = await client.fetchQuery({ ...queries.logKeys, staleTime: 0, networkMode: 'always' })
        return { ...makeBundleContext(config, entries), outcomes: await loadOutcomes(completedClaim.alert.id) }
      }
      const onProgress = (progress: CheckedClaim) => {
        if (number === newestNumber.current) setChecked(progress)
      }
      return recomputeClaim({ claim: completedClaim, getContext, trust, rpcUrl }, runTask, onProgress)
    },
    onSuccess: (result, { number }) => {
      // The server adds verifications to the account's activity log.
      if (result.checker.kind === 'server') void client.invalidateQueries({ queryKey: queries.activity.queryKey })
      if (number !== newestNumber.current) return
      setChecked(result)
      toastFailure(result)
    },
    onError: (error, { number }) => {
      if (number !== newestNumber.current) return
      const description = describeError(error, checkFailedMessage)
      setChecked(null)
      setFailure(description)
      toast({ title: 'Verification Error', description, variant: 'destructive' })
    },
    onSettled: (_result, _error, { number }) => {
      if (number === newestNumber.current) setRunningChecker(null)
    },
  })

  function replaceCheck(by: 'server' | 'browser' | null) {
    newestNumber.current += 1
    setRunningChecker(by)
    setFailure(null)
    setChecked(null)
  }

  return {
    checked: checkedClaim,
    busy: runningChecker,
    failure,
    runs: runCount,
    check(by: 'server' | 'browser', claim: Claim | Draft) {
      replaceCheck(by)
      setRunCount((count) => count + 1)
      verification.mutate({ number: newestNumber.current, by, claim })
    },
    reset: () => replaceCheck(null),
  }
}

type NumberedCheck = { number: number; by: 'server' | 'browser'; claim: Claim | Draft }

async function readDraft(draft: Draft): Promise<Claim> {
  const { readClaim } = await loadClaimReader()
  const claimResult = readClaim(draft)
  if ('problems' in claimResult) throw new Error(checkFailedMessage)
  return claimResult
}

type RunTask = (
  task: Extract<ProofTask, { kind: 'verify' }>,
  onProgress: (result: BundleCheckResult) => void,
) => Promise<BundleCheckResult>

interface Recomputation {
  claim: Claim
  /** Fetches the bundle context of a claim without a proof file. */
  getContext: () => Promise<Omit<ProofBundle, 'alert'>>
  trust: Trust
  rpcUrl: string
}

/**
 * Verifies a claim in this browser. Queries the chain unless `rpcUrl` is empty. `onProgress`
 * receives the results of the checks that need no chain.
 * @throws Error with a user-facing message if the check cannot run
 */
async function recomputeClaim(
  { claim, getContext, trust, rpcUrl }: Recomputation,
  runTask: RunTask,
  onProgress: (checkedClaim: CheckedClaim) => void,
): Promise<CheckedClaim> {
  const context = claim.bundle ?? (await getContext())
  const bundles = createBundles(claim, context)
  const by = { kind: 'browser', trust, keysFrom: claim.bundle ? 'file' : 'site' } as const
  const describeResult = (result: BundleCheckResult, isRunning: boolean) =>
    createCheckedClaim(claim, result, { ...by, nodeUsage: result.nodeUsage, isRunning })
  const result = await runTask({ kind: 'verify', bundles, trust, rpcUrl }, (progress) =>
    onProgress(describeResult(progress, true)),
  )
  return describeResult(result, false)
}

/**
 * Replaces the reason of an unavailable check, because the verifier cannot tell a missing node from
 * one that does not answer.
 */
function explainMissingNode(check: Check): Check {
  return check.status === 'unavailable' ? { ...check, reason: 'This needs a node of the anchor chain' } : check
}

function createCheckedClaim(claim: Claim, { verification, anchor }: BundleCheckResult, by: BrowserCheck): CheckedClaim {
  const { alert, transaction } = claim
  const { verdict, checks, step, blockAt, rungs } = verification
  // Show a valid path even if the signature could not be verified without the chain.
  const isPathValid = checks.some(({ id, status }) => id === 'merklePath' && status === 'passed')
  const findings = {
    verdict,
    steps: by.nodeUsage.rpcUrl === '' ? checks.map(explainMissingNode) : checks,
    failedStep: step,
    chainTime: blockAt,
    blockNumber: anchor?.blockNumber ?? null,
    rungs: rungs.length === 0 && isPathValid ? computeRungs(alert) : rungs,
  }
  // Omit the outcomes while the chain is being queried: their results would only say that the chain
  // was not queried.
  return { alert, transaction, findings, outcomes: by.isRunning ? [] : verification.outcomes, checker: by }
}
