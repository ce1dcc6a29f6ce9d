import { type Candle, getDaySpan, parseCandles } from '@tocsin/proof'
import { isPlainText, utcDay } from '@tocsin/protocol'
import { z } from 'zod'
import type { Context } from '../../context.ts'
import { isDatabaseUnavailable } from '../../db/unavailable.ts'
import { formatIssue } from '../../format-issue.ts'
import { addCandles, isPredicted, type MarketDay } from '../record/store.ts'
import { retryStoring } from './retry-storing.ts'
import type { RefusedMessage } from './store.ts'

const candlesMessage = z.strictObject({
  type: z.literal('candles'),
  venue: z.string().regex(/^[a-z0-9-]{1,40}$/),
  market: z.string().min(1).max(40).refine(isPlainText, 'Not plain text'),
  day: utcDay,
  candles: z.array(z.unknown()).max(1_440),
})

type CandlesMessage = MarketDay & { candles: Candle[] }

/**
 * Stores candles of markets that alerts predict, for base rates. A candle that is already stored is
 * not replaced.
 * @returns the messages that were rejected
 */
export async function receiveCandles(
  ctx: Context,
  rawMessages: readonly string[],
  signal: AbortSignal,
): Promise<RefusedMessage[]> {
  const parsedMessages = rawMessages.map(parse)
  const days = new Map<string, { marketDay: MarketDay; candles: Candle[] }>()
  for (const parsedMessage of parsedMessages) {
    if (typeof parsedMessage === 'string') continue
    const { candles, ...marketDay } = parsedMessage
    const day = days.get(formatKey(marketDay)) ?? { marketDay, candles: [] }
    day.candles.push(...candles)
    days.set(formatKey(marketDay), day)
  }
  // The messages of a market's day are stored together, so a rejection applies to all of them.
  const refusedDays = new Map<string, string>()
  for (const [key, { marketDay, candles }] of days) {
    const rejectionReason = await retryStoring(ctx, signal, () => storeCandles(ctx, marketDay, candles))
    if (rejectionReason !== null) refusedDays.set(key, rejectionReason)
  }
  return rawMessages.flatMap((raw, index) => {
    const parsedMessage = parsedMessages[index] ?? ''
    const reason = typeof parsedMessage === 'string' ? parsedMessage : refusedDays.get(formatKey(parsedMessage))
    return reason === undefined ? [] : { raw, reason }
  })
}

function formatKey({ venue, market, day }: MarketDay): string {
  return JSON.stringify([venue, market, day])
}

/** Returns the parsed message, or the reason if it is malformed. */
function parse(raw: string): CandlesMessage | string {
  const { data, error } = candlesMessage.safeParse(JSON.parse(raw))
  if (!data) return formatIssue(error)
  const { venue, market, day, candles } = data
  try {
    return { venue, market, day, candles: parseCandles(candles, getDaySpan(day)) }
  } catch (problem) {
    return problem instanceof Error ? problem.message : String(problem)
  }
}

/**
 * Returns null, or the reason why the candles are rejected.
 * @throws the error of the database if it is unavailable, so that the caller tries again
 */
async function storeCandles(ctx: Context, marketDay: MarketDay, candles: readonly Candle[]): Promise<string | null> {
  try {
    if (!(await isPredicted(ctx.db, marketDay, null))) return 'No alert predicts this market on this day'
    await ctx.db.transaction((tx) => addCandles(tx, marketDay, candles))
    return null
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error
    // The feed sends its messages again on each connection, so a message that always fails must not
    // end the connection.
    ctx.logger.error({ err: error, ...marketDay }, 'storing candles failed')
    return 'It could not be stored'
  }
}
