import { hostname } from 'node:os'
import type { SecurityCategory } from '@tocsin/protocol'
import type { EventRow } from './store.ts'

/** The facility "log audit" (RFC 5424, 6.2.1). */
const FACILITY = 13
const severities: Record<SecurityCategory, number> = {
  alarm: 1,
  refused: 4,
  admin: 5,
  access: 5,
  'sign-in': 6,
}
/**
 * Uses the enterprise number that RFC 5612 reserves for documentation, because Tocsin has none of
 * its own.
 */
const SD_ID = 'tocsin@32473'

/**
 * Formats an event as one RFC 5424 message. Ids, category and network are structured data; the
 * detail is the text of the message.
 */
export function formatSyslog(row: EventRow, host = hostname(), pid = process.pid): string {
  const { event, account, subject } = row
  const { at, category, kind, network, detail, requestId, id } = event
  const facts: [string, string | null][] = [
    ['id', String(id)],
    ['category', category],
    ['account', account?.id ?? null],
    ['subject', subject?.id ?? null],
    ['network', network],
    ['request', requestId],
  ]
  const data = facts.flatMap(([name, value]) => (value === null ? [] : [`${name}="${escapeValue(value)}"`])).join(' ')
  const priority = FACILITY * 8 + severities[category]
  const head = `<${priority}>1 ${at.toISOString()} ${formatHeaderField(host, 255)} tocsin ${pid} ${formatHeaderField(kind, 32)}`
  const text = toOneLine(detail === '' ? kind : detail)
  return `${head} [${SD_ID} ${data}] ${text}`
}

/**
 * Reduces a value to printable ASCII without spaces. Returns "-", the nil value, if nothing is
 * left.
 */
function formatHeaderField(value: string, maxLength: number): string {
  return value.replace(/[^\x21-\x7e]/g, '').slice(0, maxLength) || '-'
}

function escapeValue(value: string): string {
  return toOneLine(value).replace(/["\\\]]/g, '\\$&')
}

/**
 * Replaces control characters with spaces. For receivers that split at lines, a line break would
 * end the message.
 */
function toOneLine(value: string): string {
  return value.replace(/\p{Cc}+/gu, ' ')
}
