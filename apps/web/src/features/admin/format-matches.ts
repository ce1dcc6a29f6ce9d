import { maxCounted } from '@tocsin/protocol'
import { numberLocale } from '../../ui/locale.ts'

/**
 * Formats the number of matches of a search. Adds "+" ("1,000+") if the server stopped counting at
 * this number.
 */
export function formatMatches(matching: number, search: string | undefined): string {
  const isCapped = Boolean(search) && matching >= maxCounted
  return `${matching.toLocaleString(numberLocale)}${isCapped ? '+' : ''}`
}

/** Describes how much of a list is loaded: "Showing 50, newest first". */
export function formatNewestFirst(hasNextPage: boolean, count: number): string {
  const countText = count.toLocaleString(numberLocale)
  if (hasNextPage) return `Showing ${countText}, newest first`
  return count === 1 ? `${countText} shown, newest first` : `All ${countText} shown, newest first`
}
