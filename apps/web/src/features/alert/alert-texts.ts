import type { Alert, LockedAlert, ReadableAlert } from '@tocsin/protocol'
import { paths } from '../../paths.ts'
import type { SealState } from '../../ui/identity/seal.tsx'

export function isLocked(alert: ReadableAlert): alert is LockedAlert {
  return 'locked' in alert
}

/** Link that opens the alert in the list. */
export function createAlertHref(id: string): string {
  return `${paths.notifications}?alert=${encodeURIComponent(id)}`
}

/** Name of an alert in a list, for screen readers: "High, ETH/USDT, Volume spike". */
export function formatAlertName(alert: ReadableAlert): string {
  const priority = alert.priority.charAt(0).toUpperCase() + alert.priority.slice(1)
  if (isLocked(alert)) return `${priority}, locked alert`
  return [priority, alert.asset, alert.anomalyType].filter(Boolean).join(', ')
}

/** Link to the verification page of the alert. */
export function createProofHref(id: string): string {
  return `${paths.verification}?alert=${encodeURIComponent(id)}`
}

type Anchoring = { avalancheTx: string | null; anchoredAt: string | null; createdAt: string }

export function getSealState(alert: Pick<Alert, 'avalancheTx'>): SealState {
  return alert.avalancheTx === null ? 'signed' : 'anchored'
}

/**
 * Formats the time between issue and anchor, for example "2.9 s" or "14 min". Null before the alert
 * is anchored. Block times are whole seconds, so a block can have an earlier time than its alert.
 * The delay then counts as 0.
 */
export function formatAlertAnchorDelay({ avalancheTx, anchoredAt, createdAt }: Anchoring): string | null {
  return avalancheTx === null ? null : formatAnchorDelay(createdAt, anchoredAt)
}

function formatAnchorDelay(createdAt: string, anchoredAt: string | null): string | null {
  const ms = anchoredAt === null ? Number.NaN : Date.parse(anchoredAt) - Date.parse(createdAt)
  return Number.isNaN(ms) ? null : formatDuration(Math.max(0, ms))
}

/** Says how soon the alert was anchored: "Anchored 2.9 s after issue". */
export function formatAnchorSentence(createdAt: string, anchoredAt: string | null): string {
  const delay = formatAnchorDelay(createdAt, anchoredAt)
  if (delay === null) return 'Anchored on the chain'
  return delay.startsWith('<') ? 'Anchored within a second of issue' : `Anchored ${delay} after issue`
}

/** Describes the state of the proof in one sentence. */
export function formatProofSentence({ avalancheTx, anchoredAt, createdAt }: Anchoring): string {
  return avalancheTx === null ? 'Signed, anchoring…' : formatAnchorSentence(createdAt, anchoredAt)
}

/**
 * Formats a duration, rounded down, with a larger unit for longer ones: "< 1 s", "3.1 s", "14 min",
 * "3 h", "2 d".
 */
export function formatDuration(ms: number): string {
  const seconds = ms / 1000
  if (seconds < 1) return '< 1 s'
  if (seconds < 60) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`
  return `${Math.floor(seconds / 86_400)} d`
}

const clauseLength = 60

/**
 * Returns the first clause of a summary with a prediction (docs/signal-protocol.md), for layouts
 * with only one line. Returns other summaries unchanged.
 */
export function extractClause({ summary, prediction }: Pick<Alert, 'summary' | 'prediction'>): string {
  const end = summary.indexOf('; ')
  return prediction && end > 0 && end <= clauseLength ? summary.slice(0, end) : summary
}

/**
 * Returns the direction of the price that a summary contains, as in "Price fell 1.23%" or "…, price
 * rose 0.2%".
 */
export function parseDirection(summary: string): 'up' | 'down' | null {
  const [, word] = /\bprice (rose|fell)\b/i.exec(summary) ?? []
  return word === undefined ? null : word.toLowerCase() === 'rose' ? 'up' : 'down'
}

export function formatConfidence(confidence: number): string {
  return `${confidence.toFixed(1)}%`
}
