import { type Forecast, parseForecast } from '@tocsin/proof'
import { type Signal, signal } from '@tocsin/protocol'
import { DAY_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import type { Config } from '../../config.ts'

type ParsedSignal = { ok: true; signal: Signal; forecast: Forecast | null } | { ok: false; reason: string }

/** The origin of alerts that the feed raises. Only the demo may predict its simulated market. */
export function feedOrigin({ demo }: Pick<Config, 'demo'>): 'feed' | 'demo' {
  return demo ? 'demo' : 'feed'
}

const MAX_AGE_MS = DAY_MS
const MAX_AHEAD_MS = 5 * MINUTE_MS

/** One signal of the feed: JSON in the shared schema, observed within the last day. */
export function parseSignal(raw: string, now: Date, origin: 'feed' | 'demo'): ParsedSignal {
  const value = parseJson(raw)
  if (value === undefined) return refused('Not JSON')
  const parsed = signal.safeParse(value)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const path = issue?.path.join('.')
    return refused(`${path ? `${path}: ` : ''}${issue?.message ?? 'Invalid'}`)
  }
  // PostgreSQL's text type cannot store NUL.
  if (Object.values(parsed.data).some((field) => typeof field === 'string' && field.includes('\0'))) {
    return refused('A text contains NUL')
  }
  const observedAtMs = Date.parse(parsed.data.observedAt)
  if (observedAtMs > now.getTime() + MAX_AHEAD_MS) return refused('observedAt: lies in the future')
  if (observedAtMs < now.getTime() - MAX_AGE_MS) return refused('observedAt: more than a day ago')
  try {
    // Reads the raw value: the schema trims texts, and every reader of the message sees it untrimmed.
    return { ok: true, signal: parsed.data, forecast: parseForecast(Object(value), origin) }
  } catch (error) {
    return refused(error instanceof Error ? error.message : String(error))
  }
}

/** True if the message says that it is an outcome. A signal has no `type`. */
export function isOutcome(raw: string): boolean {
  // Most messages are signals, which are parsed only once.
  if (!raw.includes('outcome')) return false
  const value = parseJson(raw)
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'outcome'
}

function refused(reason: string): ParsedSignal {
  return { ok: false, reason }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
