import type { ProofBundle, Verification } from '@tocsin/proof'
import type { Alert } from '@tocsin/protocol'
import { liveTexts } from '../../texts/live.ts'
import type { ProofFinding } from './attention.ts'
import { fingerprintOf } from './proof-findings.ts'

const texts = liveTexts.alertChecker

export interface CheckerParts {
  /** Puts what is known of the keys around an alert; `isFresh` asks the server for them again. */
  bundle: (alert: Alert, isFresh: boolean) => Promise<ProofBundle>
  verify: (bundle: ProofBundle) => Promise<Verification>
  /** Hears of each failure once. */
  onFailed: (alert: Alert, reason: string) => void
  timeoutMs: number
}

/** As many as a page shows and a day brings; beyond, what was checked first may be checked again. */
const keptFindings = 2_000

/**
 * Checks in this browser what an alert says of itself: its content, its signature by a published key and the way to its root. The chain is not asked. An
 * alert that comes again unchanged is not checked again.
 */
export class AlertChecker {
  readonly #parts: CheckerParts
  readonly #findings = new Map<string, Promise<ProofFinding>>()

  constructor(parts: CheckerParts) {
    this.#parts = parts
  }

  check(alert: Alert): Promise<ProofFinding> {
    const key = fingerprintOf(alert)
    const known = this.#findings.get(key)
    if (known) return known
    const finding = this.#look(alert).catch((): ProofFinding => {
      // Not the alert's fault: the next time that it comes it is tried again.
      this.#findings.delete(key)
      return 'unchecked'
    })
    this.#findings.set(key, finding)
    const [oldest] = this.#findings.keys()
    if (this.#findings.size > keptFindings && oldest !== undefined) this.#findings.delete(oldest)
    return finding
  }

  async #look(alert: Alert): Promise<ProofFinding> {
    let reason = await this.#findFault(alert, false)
    // The keys of before say nothing against an alert of a newer one.
    if (reason !== null) reason = await this.#findFault(alert, true)
    if (reason === null) return 'good'
    this.#parts.onFailed(alert, reason)
    return 'failed'
  }

  /** Why it fails; null where nothing speaks against it. */
  async #findFault(alert: Alert, isFresh: boolean): Promise<string | null> {
    const { bundle, verify, timeoutMs } = this.#parts
    const check = bundle(alert, isFresh).then(verify)
    const { verdict, checks } = await withinTime(check, timeoutMs)
    if (verdict !== 'failed') return null
    return checks.find(({ status }) => status === 'failed')?.reason ?? texts.proofDoesNotHold
  }
}

function withinTime<Value>(promise: Promise<Value>, timeoutMs: number): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The check took too long')), timeoutMs)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
