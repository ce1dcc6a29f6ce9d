import { hashSignal } from '@tocsin/proof'
import { z } from 'zod'

/** The parts of an outcome message that pages show (docs/signal-protocol.md, Outcomes). */
const shownMessage = z.object({
  candles: z.array(z.tuple([z.number()]).rest(z.string())),
  missing: z.array(z.number()),
  voidReason: z.enum(['missing-candles', 'no-reference']).nullable(),
})

export interface OutcomeFacts {
  /** Close of the reference candle, digit for digit. Null if there is none. */
  reference: string | null
  voidReason: 'missing-candles' | 'no-reference' | null
  /** Open times of minutes without a candle, in seconds since 1970. */
  missing: readonly number[]
}

/**
 * Reads the message that an outcome entry names.
 * @returns null if it is another message or malformed
 */
export function readOutcomeMessage(text: string, messageHash: string, startsAt: string): OutcomeFacts | null {
  if (hashSignal(text) !== messageHash.toLowerCase()) return null
  const parsed = shownMessage.safeParse(JSON.parse(text))
  if (!parsed.success) return null
  const startSeconds = Date.parse(startsAt) / 1000
  const before = parsed.data.candles.filter(([openTime]) => openTime < startSeconds).at(-1)
  return { reference: before?.[4] ?? null, voidReason: parsed.data.voidReason, missing: parsed.data.missing }
}

/** Why a prediction is void. */
export function voidWords(facts: OutcomeFacts | null, venue: string): string {
  if (facts?.voidReason === 'missing-candles') {
    const { length } = facts.missing
    return `${venue} published no candles for ${length} ${length === 1 ? 'minute' : 'minutes'} of the horizon.`
  }
  if (facts?.voidReason === 'no-reference') return `${venue} published no candle in the five minutes before the start.`
  return 'Too few candles were published.'
}
