import { formatDateTime, getZoneName } from '../../ui/format-time.ts'
import { utcStyle } from '../../ui/time-style.ts'

/**
 * "21 Nov 14:32:07 UTC". The server formats the time in UTC. The script of the embed formats it in
 * the reader's time zone.
 */
export function formatEmbedTime(atMs: number, style = utcStyle): string {
  return `${formatDateTime(atMs, style)} ${getZoneName(atMs, style)}`
}
