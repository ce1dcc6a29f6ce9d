import type { Prediction } from '@tocsin/engine'
import { DAY_MS } from '@tocsin/protocol/durations'
import { createPartId, listMarketDays, type MarketDay } from './market-day.ts'
import type { CandleSource } from './outcomes.ts'
import type { Message, Outbox } from './store/outbox.ts'

export interface DayCandlesOptions {
  outbox: Pick<Outbox, 'has'>
  predictions(): Prediction[]
  candles: CandleSource
  /** Time from the end of a day until its candles are fetched. */
  readyMs: number
  nowMs(): number
  report(messages: Message[]): void
  log(message: string, details: Record<string, unknown>): void
}

/**
 * Seconds of candles in one message. With this length, even candles with the longest decimals fit
 * into 64 KiB.
 */
const PART_SECONDS = 4 * 3_600
const PARTS_PER_DAY = 6
const RETRY_MS = 60_000
const MAX_RETRY_MS = 60 * 60_000
/**
 * Time after the end of a day at which fetching is given up. It is shorter than the time for which
 * the outbox stores the predictions and the candles of a day.
 */
const GIVE_UP_MS = 36 * 3_600_000

/**
 * Sends the candles of each day that is over, for each market with a prediction on that day. The
 * base rate of the track record is measured on these candles. One market is fetched at a time.
 */
export function createDayCandles({ outbox, predictions, candles, readyMs, nowMs, report, log }: DayCandlesOptions) {
  let firstOpenDay = Number.NaN
  let dueDays: (MarketDay & { nextMs: number; delayMs: number })[] = []
  let runningCheck: Promise<void> | null = null

  /**
   * Lists the markets and days whose candles are due. Runs only at the first check and after the
   * end of a day.
   */
  const listDueDays = () => {
    const days = new Map<string, MarketDay>()
    for (const prediction of predictions()) {
      if (Math.floor(Date.parse(prediction.startsAt) / DAY_MS) >= firstOpenDay) continue
      for (const day of listMarketDays(prediction)) days.set(createPartId(day, 0), day)
    }
    const hasMissingParts = (day: MarketDay) => listPartIds(day).some((id) => !outbox.has('candles', id))
    return [...days.values()].filter(hasMissingParts).map((day) => ({ ...day, nextMs: 0, delayMs: RETRY_MS }))
  }
  const sendDay = async (day: MarketDay): Promise<void> => {
    const startSeconds = Date.parse(day.day) / 1_000
    const rows = await candles(day.venue, day.market, startSeconds, startSeconds + DAY_MS / 1_000)
    if (rows.length === 0) throw new Error('The exchange has not published candles of the day yet')
    const messages = listPartIds(day).map((id, part): Message => {
      const from = startSeconds + part * PART_SECONDS
      const partRows = rows.filter(([openTime]) => openTime >= from && openTime < from + PART_SECONDS)
      return { kind: 'candles', id, text: JSON.stringify({ type: 'candles', ...day, candles: partRows }), at: nowMs() }
    })
    report(messages)
  }
  const sendDueDays = async (): Promise<void> => {
    const isLate = ({ day }: MarketDay) => nowMs() >= Date.parse(day) + DAY_MS + GIVE_UP_MS
    dueDays = dueDays.filter((entry) => !isLate(entry))
    for (const entry of dueDays.filter(({ nextMs }) => nowMs() >= nextMs)) {
      const { venue, market, day, delayMs } = entry
      try {
        await sendDay({ venue, market, day })
        dueDays = dueDays.filter((other) => other !== entry)
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        if (entry.nextMs === 0) log('the candles of a day cannot be sent', { venue, market, day, error: reason })
        entry.nextMs = nowMs() + delayMs
        entry.delayMs = Math.min(2 * delayMs, MAX_RETRY_MS)
      }
    }
  }
  return {
    /** Sends all candles that are due. Resolves after one attempt for each market. */
    check(): Promise<void> {
      const openDay = Math.floor((nowMs() - readyMs) / DAY_MS)
      if (openDay !== firstOpenDay) {
        firstOpenDay = openDay
        dueDays = [
          ...dueDays,
          ...listDueDays().filter((day) => !dueDays.some((dueDay) => createPartId(dueDay, 0) === createPartId(day, 0))),
        ]
      }
      if (dueDays.length === 0) return Promise.resolve()
      runningCheck ??= sendDueDays().finally(() => {
        runningCheck = null
      })
      return runningCheck
    },
  }
}

function listPartIds(day: MarketDay): string[] {
  return Array.from({ length: PARTS_PER_DAY }, (_, part) => createPartId(day, part))
}
