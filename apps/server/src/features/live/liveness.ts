import type { Transport } from './transport.ts'

/**
 * Time limit for the pong to a ping that was sent after an alert. The connection is reset only if
 * MIN_CHECKS checks were made too, in case this process was suspended.
 */
const MAX_PONG_DELAY_MS = 9_000
const MIN_CHECKS = 8
/**
 * Minimum number of checks between two pings of a peer after alerts. The peers are distributed over
 * the checks.
 */
const PING_EVERY_CHECKS = 3
const MAX_MISSED_PONGS = 2
/**
 * Maximum number of messages that are tolerated after the close. A peer may still have them in
 * flight.
 */
const MAX_LATE_MESSAGES = 1_000

let createdCount = 0

/** Resets the connection of a peer that does not answer pings or ignores the close. */
export class Liveness {
  readonly #transport: Transport
  readonly #pingSlot = createdCount++ % PING_EVERY_CHECKS
  #lateMessages = 0
  #missedPongs = 0
  /** True if an alert was sent and `checkConfirmation` has not pinged the peer since. */
  #isUnconfirmed = false
  #pingedAtMs = 0
  #checks = 0

  constructor(transport: Transport) {
    this.#transport = transport
  }

  ping(): void {
    this.#missedPongs += 1
    if (this.#missedPongs > MAX_MISSED_PONGS) this.#transport.reset()
    else this.#transport.ping()
  }

  /** @returns false if the pong was unsolicited */
  handlePong(): boolean {
    const isExpected = this.#missedPongs > 0 || this.#pingedAtMs > 0
    this.#missedPongs = 0
    this.#pingedAtMs = 0
    return isExpected
  }

  /** Counts a message that arrived after the close. Too many of them reset the connection. */
  handleLateMessage(): void {
    this.#lateMessages += 1
    if (this.#lateMessages > MAX_LATE_MESSAGES) this.#transport.reset()
  }

  /** Makes a later check ping the peer, to confirm that it receives the alert being sent. */
  expectConfirmation(): void {
    this.#isUnconfirmed = true
  }

  /**
   * Pings the peer after an alert, and resets the connection if the pong is late. Writes alone do
   * not reveal a peer that does not read, because the kernel buffers megabytes for it.
   * @param check number of this check, which decides which peers are pinged
   * @param isHeld true while live frames wait in the send queue, as during a backfill. No ping is
   *   sent then, because the client may read a backfill slowly.
   */
  checkConfirmation(nowMs: number, check: number, isHeld: boolean): void {
    if (this.#pingedAtMs > 0) {
      this.#checks += 1
      if (this.#checks >= MIN_CHECKS && nowMs - this.#pingedAtMs > MAX_PONG_DELAY_MS) this.#transport.reset()
      return
    }
    if (!this.#isUnconfirmed || check % PING_EVERY_CHECKS !== this.#pingSlot || !this.#transport.isOpen || isHeld)
      return
    this.#isUnconfirmed = false
    this.#pingedAtMs = nowMs
    this.#checks = 0
    this.#transport.ping()
  }
}
