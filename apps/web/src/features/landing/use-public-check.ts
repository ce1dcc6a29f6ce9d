import type { Alert, VerifyAlertResponse } from '@tocsin/protocol'
import { useEffect, useState } from 'react'
import { toCheckRequest } from './public-check.ts'
import { verifyPublic } from './read-public.ts'

const STEP_MS = 90
const STEPS = 6

/** Verifies a copy of an alert and reveals the steps of the result one by one. */
export function usePublicCheck() {
  const [answer, setAnswer] = useState<VerifyAlertResponse | null>(null)
  const [shown, setShown] = useState(0)
  const [isLoading, setIsLoading] = useState(false)
  const [isError, setIsError] = useState(false)
  const isRevealing = answer !== null && shown < STEPS

  useEffect(() => {
    if (!isRevealing) return
    const timer = setTimeout(() => setShown((count) => count + 1), STEP_MS)
    return () => clearTimeout(timer)
  })

  async function check(alert: Alert) {
    setIsLoading(true)
    setIsError(false)
    setAnswer(null)
    try {
      const found = await verifyPublic(toCheckRequest(alert))
      setShown(matchMedia('(prefers-reduced-motion: reduce)').matches ? STEPS : 0)
      setAnswer(found)
    } catch {
      setIsError(true)
    }
    setIsLoading(false)
  }

  return {
    /** The steps revealed so far. */
    steps: answer?.steps.slice(0, shown) ?? [],
    /** The result; null until all steps are revealed. */
    answer: isRevealing ? null : answer,
    isBusy: isLoading || isRevealing,
    isError,
    check,
  }
}
