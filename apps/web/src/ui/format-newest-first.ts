import { formatCount } from './count.ts'

/** Describes how much of a list is loaded: "Showing 50, newest first". */
export function formatNewestFirst(hasNextPage: boolean, count: number): string {
  if (hasNextPage) return `Showing ${formatCount(count)}, newest first`
  return count === 1 ? '1 shown, newest first' : `All ${formatCount(count)} shown, newest first`
}
