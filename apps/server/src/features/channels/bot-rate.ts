import { SECOND_MS } from '@tocsin/protocol/durations'

/** Messages that the bot sends in any second. Telegram allows a bot about 30. */
const MAX_MESSAGES_PER_SECOND = 30
/**
 * Wait time while 30 messages are unanswered. Until one of them is answered, the time at which the
 * next message may be sent is unknown.
 */
const PENDING_CHECK_MS = 10

/**
 * Limits the messages that reach Telegram in any second. Uses a monotonic clock. The arrival time
 * of a message is not known, only that it is before the response, so a message counts until one
 * second after its response.
 */
export interface BotRateLimiter {
  /** Time until another message may be sent, or 0 if it may be sent now. */
  waitMs(): number
  /**
   * Reserves the sending of one message. Call `markAnswered` when Telegram has answered, and `end`
   * in any case.
   */
  reserve(): { markAnswered(): void; end(): void }
}

export function createBotRateLimiter(nowMs = () => performance.now()): BotRateLimiter {
  let reservedCount = 0
  let answeredAtMs: number[] = []
  return {
    waitMs() {
      const now = nowMs()
      answeredAtMs = answeredAtMs.filter((at) => now - at < SECOND_MS)
      if (reservedCount + answeredAtMs.length < MAX_MESSAGES_PER_SECOND) return 0
      const [oldestAtMs] = answeredAtMs
      return oldestAtMs === undefined ? PENDING_CHECK_MS : oldestAtMs + SECOND_MS - now
    },
    reserve() {
      let isReserved = true
      reservedCount += 1
      const end = () => {
        if (isReserved) reservedCount -= 1
        isReserved = false
      }
      return {
        markAnswered() {
          end()
          answeredAtMs.push(nowMs())
        },
        end,
      }
    },
  }
}
