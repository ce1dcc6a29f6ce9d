import { queryOptions, useQuery } from '@tanstack/react-query'
import { hashSignal } from '@tocsin/proof'
import type { Alert, MarketCandles } from '@tocsin/protocol'
import { z } from 'zod'
import { call } from '../../api/api.ts'
import { formatClock } from '../../ui/format-time.ts'
import { utcStyle } from '../../ui/time-style.ts'
import { parseJson } from './parse-json.ts'

const decimal = z.string().regex(/^\d{1,18}(\.\d{1,18})?$/)

/** The parts of an outcome message that pages show (docs/signal-protocol.md, Outcomes). */
const messageSchema = z.object({
  candles: z.array(z.tuple([z.number().int(), decimal, decimal, decimal, decimal, decimal])),
  missing: z.array(z.number()),
  voidReason: z.enum(['missing-candles', 'no-reference']).nullable(),
})

export interface OutcomeMessage {
  /** Oldest first, from five minutes before the horizon to its end. */
  candles: readonly MarketCandles['candles'][number][]
  voidReason: 'missing-candles' | 'no-reference' | null
  /** Open times of minutes without a candle, in seconds since 1970. */
  missing: readonly number[]
}

/**
 * Parses the message of an outcome.
 * @param messageHash the hash of the message in the outcome entry
 * @returns null if the text has another hash or is malformed
 */
export function readOutcomeMessage(text: string, messageHash: string): OutcomeMessage | null {
  if (hashSignal(text) !== messageHash.toLowerCase()) return null
  const parsed = messageSchema.safeParse(parseJson(text))
  return parsed.success ? parsed.data : null
}

const minuteSeconds = 60
const maxGaps = 4

export const messageQuery = (messageHash: string) =>
  queryOptions({
    queryKey: ['/api/log/messages', messageHash],
    queryFn: async ({ signal }) =>
      readOutcomeMessage(await call('logMessage', { params: { hash: messageHash }, signal }), messageHash),
  })

/**
 * Loads the message of an alert's outcome. `message` is null until it is loaded, and if it does not
 * have the signed hash.
 */
export function useOutcomeMessage({ prediction, outcome }: Pick<Alert, 'prediction' | 'outcome'>) {
  const { data: message = null, isLoading } = useQuery({
    ...messageQuery(outcome?.messageHash ?? ''),
    enabled: prediction !== undefined && outcome !== undefined,
  })
  return { message, isLoading }
}

/** Says why a prediction is void, and names the minutes without a candle. */
export function formatVoidReason(message: OutcomeMessage | null, venue: string, style = utcStyle): string {
  if (message?.voidReason === 'missing-candles') {
    const gaps = joinGaps(message.missing)
    const namedGaps = gaps.slice(0, maxGaps).map(([from, to]) => {
      return `from ${formatClock(from * 1000, style)} to ${formatClock(to * 1000, style)}`
    })
    const restCount = gaps.length - namedGaps.length
    const words = [
      ...namedGaps,
      ...(restCount > 0 ? [`in ${restCount} later ${restCount === 1 ? 'gap' : 'gaps'}`] : []),
    ]
    return `${venue} published no candles ${words.join(', ').replace(/, ([^,]*)$/, ' and $1')}.`
  }
  if (message?.voidReason === 'no-reference')
    return `${venue} published no candle in the five minutes before the start.`
  return 'Too few candles were published.'
}

/**
 * Joins consecutive minutes to gaps, from the open time of the first minute to the end of the last
 * one, in seconds.
 */
function joinGaps(missingMinutes: readonly number[]): [from: number, to: number][] {
  const gaps: [number, number][] = []
  for (const openTime of [...missingMinutes].sort((a, b) => a - b)) {
    const lastGap = gaps.at(-1)
    if (lastGap && openTime <= lastGap[1]) lastGap[1] = openTime + minuteSeconds
    else gaps.push([openTime, openTime + minuteSeconds])
  }
  return gaps
}
