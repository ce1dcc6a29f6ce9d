import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { PublicConfig } from '@tocsin/protocol'
import { useState } from 'react'
import { ApiError, sentenceOf } from '../../api.ts'
import { queries } from '../../queries.ts'
import { proofTexts } from '../../texts/proof.tsx'
import { toast } from '../../ui/toast.tsx'
import type { Claim } from './claim.ts'
import { completeClaim } from './complete-claim.ts'
import { frameOf } from './proof-bundle.ts'
import { recomputeClaim } from './recompute-claim.ts'
import { getRpcUrl } from './rpc-url.ts'
import { toastFailure } from './toast-failure.tsx'
import { useProofWorker } from './use-proof-worker.ts'
import type { TrustChoice } from './use-trust.ts'
import { type Checked, verifyClaim } from './verify-claim.ts'
import { missingIn } from './whole-alert.ts'

const texts = proofTexts.useChecks

const unchecked = texts.alertCouldNotBeChecked

/** The two ways to check an alert, and what came of the one that was used last. */
export function useChecks(config: PublicConfig | undefined, choice: TrustChoice | null) {
  const client = useQueryClient()
  const run = useProofWorker()
  const [checked, setChecked] = useState<Checked | null>(null)
  const [busy, setBusy] = useState<'server' | 'browser' | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  /** Changes with each check, so that the ladder is climbed again. */
  const [runs, setRuns] = useState(0)

  const verification = useMutation({
    // What this browser can check by itself it also checks while it believes to be offline.
    networkMode: 'always',
    mutationFn: async ({ by, claim }: { by: 'server' | 'browser'; claim: Claim }) => {
      const whole = await completeClaim(claim)
      if (by === 'server') return verifyClaim(whole)
      // A field that a proof file lacks is a failed check, not a question to this site.
      const missing = whole.bundle === null ? missingIn(whole.alert) : []
      if (missing.length > 0) throw new Error(texts.copyLacks({ fields: missing.join(', ') }))
      if (!config || !choice) throw new Error('This page has not loaded whole yet. Please try again.')
      const rpcUrl = getRpcUrl(choice.rpcUrl)
      choice.pin()
      const getFrame = async () => {
        const { entries } = await client.fetchQuery({ ...queries.logKeys, staleTime: 0, networkMode: 'always' })
        return frameOf(config, entries)
      }
      return recomputeClaim({ claim: whole, getFrame, trust: choice.trust, rpcUrl }, run, setChecked)
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
      // An alert that the server has verified becomes a line of the account's log.
      if (result.by.kind === 'server') void client.invalidateQueries({ queryKey: queries.activity.queryKey })
    },
    onError: (error) => {
      const description = describeError(error)
      setChecked(null)
      setFailure(description)
      toast({ title: texts.verificationError, description, variant: 'destructive' })
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

/** Sentences of our own and of the server stand as they are; what a browser says of a failed request helps nobody. */
function describeError(error: unknown): string {
  if (error instanceof ApiError || error instanceof TypeError) return sentenceOf(error, unchecked)
  return error instanceof Error ? error.message : unchecked
}
