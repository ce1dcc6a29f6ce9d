import { setTimeout as delay } from 'node:timers/promises'
import { ApiError, signUpAndBuy, type TestClient } from '@tocsin/testkit'
import type { Ledger } from './ledger.ts'

const PAUSE_MS = 120

export interface Load {
  /** Ends after what is under way. */
  stop(): Promise<void>
}

/** Issues alerts one after the other while a newcomer signs up, pays and subscribes; writes down what was acknowledged. */
export function startLoad(
  place: { url: string; chainUrl: string },
  admin: TestClient,
  ledger: Ledger,
  round: number,
): Load {
  let isStopped = false
  const issue = async () => {
    for (let count = 1; !isStopped; count += 1) {
      await issueAlert(admin, ledger, `Crash round ${round}, alert ${count}`)
      await delay(PAUSE_MS)
    }
  }
  const buy = async () => {
    const note = (hash: string, blockHash: string) => void ledger.mined.set(hash, blockHash)
    // Cut off at any step: what was not acknowledged is owed to nobody.
    const purchase = await signUpAndBuy(place, round, note).catch(rethrowUnlessCutOff)
    if (purchase) ledger.purchases.push(purchase)
  }
  const running = Promise.all([issue(), buy()])
  return {
    async stop() {
      isStopped = true
      await running
    },
  }
}

async function issueAlert(admin: TestClient, ledger: Ledger, summary: string): Promise<void> {
  const content = { asset: 'ETH/USDT', anomalyType: 'Volume spike', confidence: 97.3, regime: 'Crash', summary }
  try {
    const { alert } = await admin.call('createAlert', { body: { ...content, priority: 'high' } })
    ledger.alerts.push(alert)
  } catch (error) {
    rethrowUnlessCutOff(error)
    ledger.unanswered.push(summary)
  }
}

/** A crash cuts off or is answered with 5xx; a 4xx means that the product has forgotten something. */
function rethrowUnlessCutOff(error: unknown): null {
  const isCutOff =
    error instanceof ApiError
      ? error.status >= 500
      : error instanceof Error && ('shortMessage' in error || /^(fetch failed|terminated)$/.test(error.message))
  if (!isCutOff) throw error
  return null
}
