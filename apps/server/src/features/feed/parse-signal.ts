import { type Forecast, parseForecast } from '@tocsin/proof'
import { type Signal, signal } from '@tocsin/protocol'
import { DAY_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import type { Config } from '../../config.ts'
import { formatIssue } from '../../format-issue.ts'
import { parseJson } from '../../parse-json.ts'

type ParsedSignal = { ok: true; signal: Signal; forecast: Forecast | null } | { ok: false; reason: string }

/** Returns the origin of the feed's alerts. Only the demo may predict its simulated market. */
export function getFeedOrigin({ demo }: Pick<Config, 'demo'>): 'feed' | 'demo' {
  return demo ? 'demo' : 'feed'
}

const MAX_AGE_MS = DAY_MS
const MAX_CLOCK_SKEW_MS = 5 * MINUTE_MS

/** Parses a signal of the feed: JSON in the shared schema, observed within the last day. */
export function parseSignal(raw: string, now: Date, origin: 'feed' | 'demo'): ParsedSignal {
  const value = parseJson(raw)
  if (value === undefined) return createRefusedSignal('Not JSON')
  const parsed = signal.safeParse(value)
  if (!parsed.success) return createRefusedSignal(formatIssue(parsed.error))
  const observedAtMs = Date.parse(parsed.data.observedAt)
  if (observedAtMs > now.getTime() + MAX_CLOCK_SKEW_MS) return createRefusedSignal('observedAt: lies in the future')
  if (observedAtMs < now.getTime() - MAX_AGE_MS) return createRefusedSignal('observedAt: more than a day ago')
  try {
    // The forecast is parsed from the raw value: the schema trims texts, and readers of the message
    // see the untrimmed texts.
    return { ok: true, signal: parsed.data, forecast: parseForecast(Object(value), origin) }
  } catch (error) {
    return createRefusedSignal(error instanceof Error ? error.message : String(error))
  }
}

/** Returns the type that a message names. A signal has no `type`. */
export function parseMessageType(raw: string): 'signal' | 'outcome' | 'candles' | 'status' {
  // Most messages are signals. They are recognised without parsing, because they are parsed later.
  if (!raw.includes('"type"')) return 'signal'
  const value = parseJson(raw)
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined
  // A message of an unknown type counts as a signal. It is then rejected, because signals have no
  // key `type`.
  return type === 'outcome' || type === 'candles' || type === 'status' ? type : 'signal'
}

function createRefusedSignal(reason: string): ParsedSignal {
  return { ok: false, reason }
}
