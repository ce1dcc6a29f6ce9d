import { maxCounted } from '@tocsin/protocol'
import { formatCount } from '../../ui/count.ts'

/**
 * Formats the number of matches of a search. Adds "+" ("1,000+") if the server stopped counting at
 * this number.
 */
export function formatMatches(matching: number, search: string | undefined): string {
  const isCapped = Boolean(search) && matching >= maxCounted
  return `${formatCount(matching)}${isCapped ? '+' : ''}`
}
