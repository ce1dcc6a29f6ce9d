import { COUNTED_MATCHES } from '@tocsin/protocol'
import { numberLocale } from '../../ui/locale.ts'

/** "1,000+" if the server has stopped counting the matches of a search. */
export function formatMatches(matching: number, search: string | undefined): string {
  const isCapped = Boolean(search) && matching >= COUNTED_MATCHES
  return `${matching.toLocaleString(numberLocale)}${isCapped ? '+' : ''}`
}
