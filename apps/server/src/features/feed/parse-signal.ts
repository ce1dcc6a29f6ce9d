import { type Signal, signal } from '@tocsin/protocol'
import { DAY_MS, MINUTE_MS } from '@tocsin/protocol/durations'

type ParsedSignal = { ok: true; signal: Signal } | { ok: false; reason: string }

const MAX_AGE_MS = DAY_MS
const MAX_AHEAD_MS = 5 * MINUTE_MS

/** One message of the feed: JSON in the shared schema, observed within the last day. */
export function parseSignal(raw: string, now: Date): ParsedSignal {
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
  return { ok: true, signal: parsed.data }
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
