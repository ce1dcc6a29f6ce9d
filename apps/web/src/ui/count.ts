import { groupSeparator } from './locale.ts'

/**
 * 12345 as "12,345". Does not use Intl: on a phone its first use takes as long as rendering a page.
 */
export function formatCount(count: number | bigint): string {
  return String(typeof count === 'bigint' ? count : Math.round(count)).replace(/\B(?=(?:\d{3})+$)/g, groupSeparator)
}

/** A count with its noun: "1 entry", "12,345 entries". */
export function formatCountOf(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}
