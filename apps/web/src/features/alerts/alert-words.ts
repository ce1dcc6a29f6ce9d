import type { Alert, ReadableAlert } from '@tocsin/protocol'
import { paths } from '../../paths.ts'
import type { SealState } from '../../ui/identity/seal.tsx'

export type LockedAlert = Extract<ReadableAlert, { locked: true }>

export function isLocked(alert: ReadableAlert): alert is LockedAlert {
  return 'locked' in alert
}

/** Where the alert is opened in the list. */
export function hrefOf(id: string): string {
  return `${paths.notifications}?alert=${encodeURIComponent(id)}`
}

/** Where its proof is checked. */
export function proofHrefOf(id: string): string {
  return `${paths.verification}?alert=${encodeURIComponent(id)}`
}

type Anchoring = { avalancheTx: string | null; anchoredAt: string | null; createdAt: string }

export function sealStateOf(alert: Pick<Alert, 'avalancheTx'>): SealState {
  return alert.avalancheTx === null ? 'signed' : 'anchored'
}

/** "2.9 s", "14 min": how long the anchor took. Blocks have whole seconds, so a quick one may seem older than its alert. Null before. */
export function anchorDelay({ avalancheTx, anchoredAt, createdAt }: Anchoring): string | null {
  return avalancheTx === null ? null : delayOf(createdAt, anchoredAt)
}

function delayOf(createdAt: string, anchoredAt: string | null): string | null {
  const ms = anchoredAt === null ? Number.NaN : Date.parse(anchoredAt) - Date.parse(createdAt)
  return Number.isNaN(ms) ? null : durationWords(Math.max(0, ms))
}

/** "Anchored 2.9 s after issue", the same words wherever an alert is shown. */
export function anchorSentence(createdAt: string, anchoredAt: string | null): string {
  const delay = delayOf(createdAt, anchoredAt)
  if (delay === null) return 'Anchored on the chain'
  return delay.startsWith('<') ? 'Anchored within a second of issue' : `Anchored ${delay} after issue`
}

/** How far an alert's proof is, in one sentence. */
export function proofSentence({ avalancheTx, anchoredAt, createdAt }: Anchoring): string {
  return avalancheTx === null ? 'Signed, anchoring…' : anchorSentence(createdAt, anchoredAt)
}

/** "< 1 s", "3.1 s" under a minute, then "14 min", "3 h", "2 d". */
export function durationWords(ms: number): string {
  const seconds = ms / 1000
  if (seconds < 1) return '< 1 s'
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`
  return `${Math.floor(seconds / 86_400)} d`
}

export function formatConfidence(confidence: number): string {
  return `${confidence.toFixed(1)}%`
}
