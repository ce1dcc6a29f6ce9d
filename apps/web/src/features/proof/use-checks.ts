import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { PublicConfig } from '@tocsin/protocol'
import { useState } from 'react'
import { ApiError, sentenceOf } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { toast } from '../../ui/toast.tsx'
import type { Claim } from './claim.ts'
import { missingFields } from './complete-alert.ts'
import { completeClaim } from './complete-claim.ts'
import { makeBundleContext } from './proof-bundle.ts'
import { recomputeClaim } from './recompute-claim.ts'
import { getRpcUrl } from './rpc-url.ts'
import { toastFailure } from './toast-failure.tsx'
import { useProofWorker } from './use-proof-worker.ts'
import type { TrustChoice } from './use-trust.ts'
import { type Checked, verifyClaim } from './verify-claim.ts'

const unchecked = 'The alert could not be checked. Please try again.'

/** Verifies an alert on the server or in this browser, and holds the last result. */
export function useChecks(config: PublicConfig | undefined, choice: TrustChoice | null) {
  const client = useQueryClient()
  const run = useProofWorker()
  const [checked, setChecked] = useState<Checked | null>(null)
  const [busy, setBusy] = useState<'server' | 'browser' | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  /** Changes with each check, to replay the ladder's animation. */
  const [runs, setRuns] = useState(0)

  const verification = useMutation({
    // Checks in this browser may work offline, so do not pause them.
    networkMode: 'always',
    mutationFn: async ({ by, claim }: { by: 'server' | 'browser'; claim: Claim }) => {
      const complete = await completeClaim(claim)
      if (by === 'server') return verifyClaim(complete)
      // A field that is missing from a proof file is a failed check, not an error of this page.
      const missing = complete.bundle === null ? missingFields(complete.alert) : []
      if (missing.length > 0)
        throw new Error(
          `This browser cannot recompute it: the copy lacks ${missing.join(', ')}, and there is no alert with this id that you may read.`,
        )
      if (!config || !choice) throw new Error('This page has not finished loading. Please try again.')
      const rpcUrl = getRpcUrl(choice.rpcUrl)
      choice.pin()
      const getContext = async () => {
        const { entries } = await client.fetchQuery({ ...queries.logKeys, staleTime: 0, networkMode: 'always' })
        return makeBundleContext(config, entries)
      }
      return recomputeClaim({ claim: complete, getContext, trust: choice.trust, rpcUrl }, run, setChecked)
    },
    onMutate: ({ by }) => {
      setBusy(by)
      setFailure(null)
      setChecked(null)
      setRuns((count) => count + 1)
    },
    onSuccess: (result) => {
      setChecked(result)
      toastFailure(result)
      // The server adds verifications to the account's activity log.
      if (result.by.kind === 'server') void client.invalidateQueries({ queryKey: queries.activity.queryKey })
    },
    onError: (error) => {
      const description = describeError(error)
      setChecked(null)
      setFailure(description)
      toast({ title: 'Verification Error', description, variant: 'destructive' })
    },
    onSettled: () => setBusy(null),
  })

  return {
    checked,
    busy,
    failure,
    runs,
    check: (by: 'server' | 'browser', claim: Claim) => verification.mutate({ by, claim }),
    reset: () => {
      setChecked(null)
      setFailure(null)
    },
  }
}

/**
 * Messages of our own code and the server are shown; the browser's network error messages are not
 * helpful.
 */
function describeError(error: unknown): string {
  if (error instanceof ApiError || error instanceof TypeError) return sentenceOf(error, unchecked)
  return error instanceof Error ? error.message : unchecked
}
