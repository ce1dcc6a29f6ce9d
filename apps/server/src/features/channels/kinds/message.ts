import type { Alert } from '@tocsin/protocol'

/**
 * An alert or its outcome as texts for people. The texts of the alert are untrusted: escape them.
 */
export interface AlertMessage {
  id: string
  /** For example "High", "Correction, High", "Retracted" or "Outcome, High". */
  label: string
  asset: string
  anomalyType: string
  /** For example "52%". */
  confidence: string
  summary: string
  /** The time to the second with its zone, such as "2026-11-24 14:32:12 UTC". */
  at: string
  /** For example "#2,497". */
  logIndexText: string
  priority: Alert['priority']
  link: string
  proofLink: string
  /**
   * Log index and link that acknowledge a critical alert from the message. Null for other alerts.
   */
  acknowledge: { logIndex: number; url: string } | null
}

/**
 * The content of a message: an alert, several alerts, or a text of this product with an optional
 * link.
 */
export type Message = { alert: AlertMessage } | { digest: Digest } | { text: string; link?: string }

export interface Digest {
  /** For example "12 alerts were held back: 1 critical, 11 medium". */
  heading: string
  /** Sorted with the most urgent alert first. */
  alerts: readonly AlertMessage[]
  /** Link to a page with all alerts. */
  link: string
}

interface WrittenMessage {
  alert: Alert
  logIndex: number
  isOutcome: boolean
  publicUrl: string
  /**
   * True for the later steps of an escalation: no one has acknowledged the alert at an earlier one.
   */
  isEscalation?: boolean
  /** Link that acknowledges the alert without a session. */
  acknowledgeUrl?: string
}

export function createAlertMessage(content: WrittenMessage): AlertMessage {
  const { alert, logIndex, isOutcome, publicUrl, isEscalation = false, acknowledgeUrl } = content
  const { asset, anomalyType, confidence, summary, createdAt, priority, id } = alert
  return {
    id,
    label: `${isEscalation ? 'Not acknowledged, ' : ''}${formatLabel(alert, isOutcome)}`,
    asset: cleanText(asset),
    anomalyType: cleanText(anomalyType),
    confidence: `${confidence}%`,
    summary: cleanText(summary),
    at: `${createdAt.slice(0, 19).replace('T', ' ')} UTC`,
    logIndexText: `#${String(logIndex).replace(/\B(?=(?:\d{3})+$)/g, ',')}`,
    priority,
    link: `${publicUrl}/a/${alert.logIndex}`,
    proofLink: `${publicUrl}/verification?alert=${id}`,
    acknowledge: acknowledgeUrl === undefined ? null : { logIndex, url: acknowledgeUrl },
  }
}

function formatLabel({ kind, priority, supersededBy, outcome }: Alert, isOutcome: boolean): string {
  const name = priority.charAt(0).toUpperCase() + priority.slice(1)
  if (isOutcome) return `Outcome${outcome ? ` (${verdictLabels[outcome.verdict]})` : ''}, ${name}`
  if (kind !== 'alert') return `${kind === 'correction' ? 'Correction' : 'Retraction'}, ${name}`
  if (supersededBy) return `${supersededBy.kind === 'correction' ? 'Corrected' : 'Retracted'} since, ${name}`
  return name
}

const verdictLabels = { 'came-true': 'came true', 'did-not': 'did not come true', void: 'void' } as const

/**
 * Returns the text as one line, without control characters and without characters that change the
 * direction of text.
 */
export function cleanText(text: string): string {
  return text
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
}

/** Shortens the text until the result of `render` is at most `limit` long. */
export function fitText(
  text: string,
  limit: number,
  render: (text: string) => string,
  length = countCharacters,
): string {
  const wholeText = render(text)
  if (length(wholeText) <= limit) return wholeText
  const characters = [...text]
  let [minLength, maxLength] = [0, characters.length]
  while (minLength < maxLength) {
    const middle = Math.ceil((minLength + maxLength) / 2)
    if (length(render(`${characters.slice(0, middle).join('')}…`)) <= limit) minLength = middle
    else maxLength = middle - 1
  }
  return render(`${characters.slice(0, minLength).join('')}…`)
}

/** Maximum length of one alert in a digest, so that several alerts fit. */
const MAX_LINE = 600

/** Writes one alert of a digest as one line, and shortens its summary if necessary. */
export function fitLine({ summary }: AlertMessage, render: (summary: string) => string): string {
  return fitText(summary, MAX_LINE, render)
}

/** Writes as many whole lines as fit, and the number of alerts that are left out. */
export function fitDigest(
  { heading, alerts }: Digest,
  limit: number,
  formatLine: (alert: AlertMessage) => string,
  length = countCharacters,
): string {
  const formatLines = (lines: readonly string[]) =>
    [heading, ...lines, ...formatRemaining(alerts.length - lines.length)].join('\n')
  let shownLines: string[] = []
  for (const alert of alerts) {
    const nextLines = [...shownLines, formatLine(alert)]
    if (length(formatLines(nextLines)) > limit) break
    shownLines = nextLines
  }
  return formatLines(shownLines)
}

export const formatRemaining = (remainingCount: number) => (remainingCount > 0 ? [`and ${remainingCount} more`] : [])

const countCharacters = (text: string) => text.length
export const countBytes = (text: string) => Buffer.byteLength(text)

export const formatTitle = ({ label, asset, anomalyType, confidence }: AlertMessage) =>
  `${[label, asset, anomalyType].filter((part) => part !== '').join(', ')} ${confidence}`
