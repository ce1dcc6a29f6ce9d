import type { Alert, VerifyAlertResponse } from '@tocsin/protocol'
import { useEffect, useState } from 'react'
import { toCheckRequest } from './public-check.ts'
import { verifyPublic } from './read-public.ts'

const STEP_MS = 90
const STEPS = 6

/** Has a copy checked, and lets the steps of the answer appear one by one. */
export function usePublicCheck() {
  const [answer, setAnswer] = useState<VerifyAlertResponse | null>(null)
  const [shown, setShown] = useState(0)
  const [isAsking, setIsAsking] = useState(false)
  const [isError, setIsError] = useState(false)
  const isRevealing = answer !== null && shown < STEPS

  useEffect(() => {
    if (!isRevealing) return
    const timer = setTimeout(() => setShown((count) => count + 1), STEP_MS)
    return () => clearTimeout(timer)
  })

  async function check(alert: Alert) {
    setIsAsking(true)
    setIsError(false)
    setAnswer(null)
    try {
      const found = await verifyPublic(toCheckRequest(alert))
      setShown(matchMedia('(prefers-reduced-motion: reduce)').matches ? STEPS : 0)
      setAnswer(found)
    } catch {
      setIsError(true)
    }
    setIsAsking(false)
  }

  return {
    /** Of the answer, the steps that are to be seen by now. */
    steps: answer?.steps.slice(0, shown) ?? [],
    /** Once all of its steps are. */
    answer: isRevealing ? null : answer,
    isBusy: isAsking || isRevealing,
    isError,
    check,
  }
}
