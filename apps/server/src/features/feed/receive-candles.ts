import { type Candle, parseCandles, spanOfDay } from '@tocsin/proof'
import { isPlainText } from '@tocsin/protocol'
import { z } from 'zod'
import type { Context } from '../../context.ts'
import { addCandles, isPredicted } from '../record/store.ts'
import { retry } from './retry.ts'
import type { RefusedMessage } from './store.ts'

const candlesMessage = z.strictObject({
  type: z.literal('candles'),
  venue: z.string().regex(/^[a-z0-9-]{1,40}$/),
  market: z.string().min(1).max(40).refine(isPlainText, 'Not plain text'),
  day: z.iso.date(),
  candles: z.array(z.unknown()).max(1_440),
})

type CandlesMessage = Omit<z.infer<typeof candlesMessage>, 'type' | 'candles'> & { candles: Candle[] }

/**
 * Stores candles of markets that alerts predict, for base rates. A minute that is stored already
 * keeps its candle.
 * @returns the messages that were rejected
 */
export async function receiveCandles(
  ctx: Context,
  raws: readonly string[],
  signal: AbortSignal,
): Promise<RefusedMessage[]> {
  const refused: RefusedMessage[] = []
  for (const raw of raws) {
    const parsed = parse(raw)
    const reason = typeof parsed === 'string' ? parsed : await retry(ctx, signal, () => store(ctx, parsed))
    if (reason !== null) refused.push({ raw, reason })
  }
  return refused
}

/** Returns the reason if the message is malformed. */
function parse(raw: string): CandlesMessage | string {
  const { data, error } = candlesMessage.safeParse(JSON.parse(raw))
  if (!data) return `${error.issues[0]?.path.join('.')}: ${error.issues[0]?.message}`
  try {
    return { ...data, candles: parseCandles(data.candles, spanOfDay(data.day)) }
  } catch (problem) {
    return problem instanceof Error ? problem.message : String(problem)
  }
}

async function store(ctx: Context, { candles, ...place }: CandlesMessage): Promise<string | null> {
  if (!(await isPredicted(ctx.db, place, null))) return 'No alert predicts this market on this day'
  await ctx.db.transaction((tx) => addCandles(tx, place, candles))
  return null
}
