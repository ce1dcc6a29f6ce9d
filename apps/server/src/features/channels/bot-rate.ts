import { SECOND_MS } from '@tocsin/protocol/durations'

/** Telegram allows about 30 messages a second to a bot. */
const PER_SECOND = 30
/** While no message is answered, it is not known when the next one may follow. */
const PENDING_MS = 10

/**
 * Limits the messages that reach Telegram in any second, by a clock that is never set. When a
 * message arrives is not known, only that it does before its answer.
 */
export interface BotRate {
  /** Time until another message may be sent; 0 if it may now. */
  waitMs(): number
  /** Reserves a message. Call `answered` when Telegram has answered, and `end` in any case. */
  reserve(): { answered(): void; end(): void }
}

export function createBotRate(nowMs = () => performance.now()): BotRate {
  let reserved = 0
  let answeredAtMs: number[] = []
  return {
    waitMs() {
      const now = nowMs()
      answeredAtMs = answeredAtMs.filter((at) => now - at < SECOND_MS)
      if (reserved + answeredAtMs.length < PER_SECOND) return 0
      const [oldest] = answeredAtMs
      return oldest === undefined ? PENDING_MS : oldest + SECOND_MS - now
    },
    reserve() {
      let isReserved = true
      reserved += 1
      const end = () => {
        if (isReserved) reserved -= 1
        isReserved = false
      }
      return {
        answered() {
          end()
          answeredAtMs.push(nowMs())
        },
        end,
      }
    },
  }
}
