import type { ProofBundle, Verification } from '@tocsin/proof'
import type { Alert } from '@tocsin/protocol'
import { createFingerprint } from '../proof/proof-findings.ts'
import type { ProofFinding } from './attention.ts'

export interface CheckerDependencies {
  /** Builds a proof bundle for an alert. If `isFresh`, fetches the key lists again. */
  bundle: (alert: Alert, isFresh: boolean) => Promise<ProofBundle>
  verify: (bundle: ProofBundle) => Promise<Verification>
  /** Called once for each alert whose proof failed. */
  onFailed: (alert: Alert, reason: string) => void
  timeoutMs: number
}

/**
 * Maximum number of cached results, more than one day of alerts needs. If it is exceeded, the
 * oldest result is evicted.
 */
const maxFindings = 2_000

/**
 * Verifies alerts in this browser, without access to the chain: the content, the signature by a
 * published key, and the Merkle path. Results are cached, so an unchanged alert is checked once.
 */
export class AlertChecker {
  readonly #parts: CheckerDependencies
  readonly #findings = new Map<string, Promise<ProofFinding>>()
  /** Never evicted, so that no failure is reported twice. */
  readonly #failedKeys = new Set<string>()

  constructor(parts: CheckerDependencies) {
    this.#parts = parts
  }

  check(alert: Alert): Promise<ProofFinding> {
    const key = createFingerprint(alert)
    const knownFinding = this.#findings.get(key)
    if (knownFinding) return knownFinding
    const finding = this.#verify(alert, key).catch((): ProofFinding => {
      // The check could not run. Do not cache this, so that the next call checks the alert again.
      this.#findings.delete(key)
      return 'unchecked'
    })
    this.#findings.set(key, finding)
    const [oldestKey] = this.#findings.keys()
    if (this.#findings.size > maxFindings && oldestKey !== undefined) this.#findings.delete(oldestKey)
    return finding
  }

  /**
   * Checks the alerts one after the other, so that on a slow device a new alert waits for at most
   * one running check. A check that exceeds `timeoutMs` results in `unchecked`.
   */
  async checkAll(alerts: readonly Alert[], signal: AbortSignal): Promise<void> {
    for (const alert of alerts) {
      if (signal.aborted) return
      await this.check(alert)
    }
  }

  async #verify(alert: Alert, key: string): Promise<ProofFinding> {
    if (this.#failedKeys.has(key)) return 'failed'
    let reason = await this.#findFailureReason(alert, false)
    // Retry with new key lists: the key of the alert may be newer than the cached lists.
    if (reason !== null) reason = await this.#findFailureReason(alert, true)
    if (reason === null) return 'good'
    this.#failedKeys.add(key)
    this.#parts.onFailed(alert, reason)
    return 'failed'
  }

  /** Returns the reason why the proof failed, or null if it did not fail. */
  async #findFailureReason(alert: Alert, isFresh: boolean): Promise<string | null> {
    const { bundle, verify, timeoutMs } = this.#parts
    const verification = bundle(alert, isFresh).then(verify)
    const { verdict, checks } = await withTimeout(verification, timeoutMs)
    if (verdict !== 'failed') return null
    return checks.find(({ status }) => status === 'failed')?.reason ?? 'The proof is invalid'
  }
}

function withTimeout<Value>(promise: Promise<Value>, timeoutMs: number): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The check timed out')), timeoutMs)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
