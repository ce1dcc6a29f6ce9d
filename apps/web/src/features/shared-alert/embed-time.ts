import { formatDateTime, zoneName } from '../../ui/format-time.ts'
import { utcStyle } from '../../ui/time-style.ts'

/** "21 Nov 14:32:07 UTC". The server writes UTC, the script of the embed the reader's zone. */
export function embedTime(atMs: number, style = utcStyle): string {
  return `${formatDateTime(atMs, style)} ${zoneName(atMs, style)}`
}
