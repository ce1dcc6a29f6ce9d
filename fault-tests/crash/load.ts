import { setTimeout as delay } from 'node:timers/promises'
import { ApiError, signUpAndBuy, type TestClient } from '@tocsin/testkit'
import type { AcknowledgedData } from './ledger.ts'

/**
 * Pause between two alerts, which limits them to 300 per minute. With the polls of `signUpAndBuy`
 * and `waitUntilReady`, the load stays below the 600 requests per minute that the server allows one
 * network.
 */
const PAUSE_MS = 200

export interface Load {
  /** Stops the load after the running requests. */
  stop(): Promise<void>
}

/**
 * Issues alerts one after another while a new user signs up, pays and subscribes. Records every
 * acknowledged action in the ledger (`ledger.ts`).
 */
export function startLoad(
  target: { url: string; chainUrl: string },
  admin: TestClient,
  ledger: AcknowledgedData,
  round: number,
): Load {
  let isStopped = false
  const issueRepeatedly = async () => {
    for (let count = 1; !isStopped; count += 1) {
      await issueAlert(admin, ledger, `Crash round ${round}, alert ${count}`)
      await delay(PAUSE_MS)
    }
  }
  const buyRepeatedly = async () => {
    const recordMined = (hash: string, blockHash: string) => void ledger.minedBlockHashes.set(hash, blockHash)
    // The crash may interrupt any step. Steps that were not acknowledged may be lost.
    const purchase = await signUpAndBuy(target, round, recordMined).catch(rethrowUnlessInterrupted)
    if (purchase) ledger.purchases.push(purchase)
  }
  const runningLoad = Promise.all([issueRepeatedly(), buyRepeatedly()])
  return {
    async stop() {
      isStopped = true
      await runningLoad
    },
  }
}

async function issueAlert(admin: TestClient, ledger: AcknowledgedData, summary: string): Promise<void> {
  const content = { asset: 'ETH/USDT', anomalyType: 'Volume spike', confidence: 97.3, regime: 'Crash', summary }
  try {
    const { alert } = await admin.call('createAlert', { body: { ...content, priority: 'high' } })
    ledger.alerts.push(alert)
  } catch (error) {
    rethrowUnlessInterrupted(error)
    ledger.unanswered.push(summary)
  }
}

/**
 * A crash causes connection errors and 5xx responses. A 4xx response means that the product lost
 * data.
 */
function rethrowUnlessInterrupted(error: unknown): null {
  const isInterrupted =
    error instanceof ApiError
      ? error.status >= 500
      : error instanceof Error && ('shortMessage' in error || /^(fetch failed|terminated)$/.test(error.message))
  if (!isInterrupted) throw error
  return null
}
