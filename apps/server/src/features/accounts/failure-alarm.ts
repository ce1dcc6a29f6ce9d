/** So many failed sign-ins within a minute are no person's typing errors: somebody tries lists of passwords. */
const ALARM_FAILURES = 100
const WINDOW_MS = 60_000
/** Said again only after a while: under attack the log must stay readable. */
const REPEAT_MS = 600_000

/** Counts the failed sign-ins of all accounts and networks together, which is how a spread-out attack shows. */
export class FailureAlarm {
  /** The newest failures, oldest first; never more than raise the alarm. */
  readonly #recentMs: number[] = []
  #saidAtMs = Number.NEGATIVE_INFINITY
  #total = 0

  /** Failures since the start. */
  get total(): number {
    return this.#total
  }

  /** True when the alarm must be said now. */
  note(now: Date): boolean {
    const nowMs = now.getTime()
    this.#total += 1
    this.#recentMs.push(nowMs)
    if (this.#recentMs.length > ALARM_FAILURES) this.#recentMs.shift()
    if (!this.isRaised(now) || nowMs - this.#saidAtMs < REPEAT_MS) return false
    this.#saidAtMs = nowMs
    return true
  }

  isRaised(now: Date): boolean {
    const [oldestMs] = this.#recentMs
    return this.#recentMs.length === ALARM_FAILURES && oldestMs !== undefined && now.getTime() - oldestMs < WINDOW_MS
  }
}

/** Of this process: each instance sees its share of an attack. */
export const signInFailures = new FailureAlarm()
