import { SECOND_MS } from '@tocsin/protocol/durations'

/** Telegram allows about 30 messages a second to a bot. */
const PER_SECOND = 30
/** While messages are prepared, it is not known when the next one may follow. */
const PREPARING_MS = 10

/** Limits the messages to Telegram in any second, by a clock that is never set. */
export interface BotRate {
  /** Time until another message may be sent; 0 if it may now. */
  waitMs(): number
  /** Reserves a message. Call `sent` when its request begins, and `end` in any case. */
  reserve(): { sent(): void; end(): void }
}

export function createBotRate(nowMs = () => performance.now()): BotRate {
  let reserved = 0
  let sentAtMs: number[] = []
  return {
    waitMs() {
      const now = nowMs()
      sentAtMs = sentAtMs.filter((at) => now - at < SECOND_MS)
      if (reserved + sentAtMs.length < PER_SECOND) return 0
      const [oldest] = sentAtMs
      return oldest === undefined ? PREPARING_MS : oldest + SECOND_MS - now
    },
    reserve() {
      let isReserved = true
      reserved += 1
      const end = () => {
        if (isReserved) reserved -= 1
        isReserved = false
      }
      return {
        sent() {
          end()
          sentAtMs.push(nowMs())
        },
        end,
      }
    },
  }
}
