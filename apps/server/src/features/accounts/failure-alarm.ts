/**
 * Number of failed sign-ins per minute that raises the alarm. Typing errors do not explain so many:
 * they are a sign of credential stuffing.
 */
export const ALARM_FAILURES = 100
const WINDOW_MS = 60_000
/** Minimum interval between two log lines, so that the log stays readable during an attack. */
const REPEAT_MS = 600_000

/** Counts failed sign-ins over all accounts and networks, to detect distributed attacks. */
export class FailureAlarm {
  /** Times of the newest failures, oldest first; at most ALARM_FAILURES entries. */
  readonly #recentMs: number[] = []
  #loggedAtMs = Number.NEGATIVE_INFINITY
  #total = 0

  /** Failures since the process started. */
  get total(): number {
    return this.#total
  }

  /** Records a failure. Returns true if the caller must log the alarm now. */
  record(now: Date): boolean {
    const nowMs = now.getTime()
    this.#total += 1
    this.#recentMs.push(nowMs)
    if (this.#recentMs.length > ALARM_FAILURES) this.#recentMs.shift()
    if (!this.isRaised(now) || nowMs - this.#loggedAtMs < REPEAT_MS) return false
    this.#loggedAtMs = nowMs
    return true
  }

  isRaised(now: Date): boolean {
    const [oldestMs] = this.#recentMs
    return this.#recentMs.length === ALARM_FAILURES && oldestMs !== undefined && now.getTime() - oldestMs < WINDOW_MS
  }
}

/** The counter of this process. Each instance counts only the failures that it handles. */
export const signInFailures = new FailureAlarm()
