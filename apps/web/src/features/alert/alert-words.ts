import type { Alert, ReadableAlert } from '@tocsin/protocol'
import { paths } from '../../paths.ts'
import type { SealState } from '../../ui/identity/seal.tsx'

export type LockedAlert = Extract<ReadableAlert, { locked: true }>

export function isLocked(alert: ReadableAlert): alert is LockedAlert {
  return 'locked' in alert
}

/** Link that opens the alert in the list. */
export function hrefOf(id: string): string {
  return `${paths.notifications}?alert=${encodeURIComponent(id)}`
}

/** Name of an alert in a list, for screen readers: "High, ETH/USDT, Volume spike". */
export function alertName(alert: ReadableAlert): string {
  const priority = alert.priority.charAt(0).toUpperCase() + alert.priority.slice(1)
  if (isLocked(alert)) return `${priority}, locked alert`
  return [priority, alert.asset, alert.anomalyType].filter(Boolean).join(', ')
}

/** Link to the verification page of the alert. */
export function proofHrefOf(id: string): string {
  return `${paths.verification}?alert=${encodeURIComponent(id)}`
}

type Anchoring = { avalancheTx: string | null; anchoredAt: string | null; createdAt: string }

export function sealStateOf(alert: Pick<Alert, 'avalancheTx'>): SealState {
  return alert.avalancheTx === null ? 'signed' : 'anchored'
}

/**
 * Time between issue and anchor, such as "2.9 s" or "14 min". Null before the alert is anchored.
 * Block times are whole seconds, so the block can appear older than the alert: this counts as 0.
 */
export function anchorDelay({ avalancheTx, anchoredAt, createdAt }: Anchoring): string | null {
  return avalancheTx === null ? null : delayOf(createdAt, anchoredAt)
}

function delayOf(createdAt: string, anchoredAt: string | null): string | null {
  const ms = anchoredAt === null ? Number.NaN : Date.parse(anchoredAt) - Date.parse(createdAt)
  return Number.isNaN(ms) ? null : durationWords(Math.max(0, ms))
}

/** "Anchored 2.9 s after issue". */
export function anchorSentence(createdAt: string, anchoredAt: string | null): string {
  const delay = delayOf(createdAt, anchoredAt)
  if (delay === null) return 'Anchored on the chain'
  return delay.startsWith('<') ? 'Anchored within a second of issue' : `Anchored ${delay} after issue`
}

/** State of the proof in one sentence. */
export function proofSentence({ avalancheTx, anchoredAt, createdAt }: Anchoring): string {
  return avalancheTx === null ? 'Signed, anchoring…' : anchorSentence(createdAt, anchoredAt)
}

/** "< 1 s", then "3.1 s", "14 min", "3 h", "2 d". */
export function durationWords(ms: number): string {
  const seconds = ms / 1000
  if (seconds < 1) return '< 1 s'
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`
  return `${Math.floor(seconds / 86_400)} d`
}

const clauseLength = 60

/**
 * The clause that a model's summary begins with (docs/signal-protocol.md), for places with one
 * line. Other summaries are returned whole.
 */
export function clauseOf({ summary, prediction }: Pick<Alert, 'summary' | 'prediction'>): string {
  const end = summary.indexOf('; ')
  return prediction && end > 0 && end <= clauseLength ? summary.slice(0, end) : summary
}

/** The direction of the price that a summary states: "Price fell 1.2%", "…, price rose 0.2%". */
export function directionOf(summary: string): 'up' | 'down' | null {
  const [, word] = /\bprice (rose|fell)\b/i.exec(summary) ?? []
  return word === undefined ? null : word.toLowerCase() === 'rose' ? 'up' : 'down'
}

export function formatConfidence(confidence: number): string {
  return `${confidence.toFixed(1)}%`
}
