import type { Subscription } from '@tocsin/protocol'
import { ApiError, sentenceOf } from '../../api.ts'
import type { PendingPayment } from './purchase.ts'

/** As often as a block may come at first, then slower: the server limits how often a chain is asked. */
const quickTries = 20
const quickWaitMs = 1000
const slowWaitMs = 4000
const patienceMs = 10 * 60_000

/** The server said no, or did not know the payment for ten minutes. `isFinal`: asking again would not change it. */
export class ClaimError extends Error {
  readonly isFinal: boolean

  constructor(message: string, isFinal: boolean) {
    super(message)
    this.name = 'ClaimError'
    this.isFinal = isFinal
  }
}

export type ClaimTools = {
  post: (payment: PendingPayment) => Promise<Subscription>
  wait: (ms: number) => Promise<void>
  nowMs: () => number
  signal: AbortSignal
  onConfirming: (confirmations: number, required: number) => void
}

/**
 * Asks for the subscription until the chain has confirmed the payment. Answers null when aborted.
 * @throws ClaimError
 */
export async function claimPayment(payment: PendingPayment, tools: ClaimTools): Promise<Subscription | null> {
  const startedAtMs = tools.nowMs()
  for (let tries = 1; !tools.signal.aborted; tries += 1) {
    try {
      return await tools.post(payment)
    } catch (error) {
      if (!isWorthRetrying(error))
        throw new ClaimError(sentenceOf(error, 'Failed to create subscription'), isFinal(error))
      reportProgress(error, tools)
    }
    if (tools.nowMs() - startedAtMs > patienceMs) throw new ClaimError(outOfPatience(payment.hash), false)
    await tools.wait(tries < quickTries ? quickWaitMs : slowWaitMs)
  }
  return null
}

/** The chain is not there yet, or the server can't say: both pass. */
function isWorthRetrying(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true
  const isPassing = error.code === 'payment_unknown' || error.code === 'payment_confirming'
  return isPassing || error.status === 429 || error.status >= 500
}

/** What another session or a proof of the wallet can mend is not final. */
function isFinal(error: unknown): boolean {
  return (
    error instanceof ApiError && error.code !== 'payment_wrong_sender' && error.status !== 401 && error.status !== 403
  )
}

function reportProgress(error: unknown, { onConfirming }: ClaimTools): void {
  if (!(error instanceof ApiError) || error.code !== 'payment_confirming') return
  onConfirming(Number(error.details.confirmations ?? 0), Number(error.details.required ?? 1))
}

function outOfPatience(hash: string): string {
  return `Not confirmed after 10 minutes. It may still confirm; we keep watching ${hash}.`
}
