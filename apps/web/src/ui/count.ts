import { groupSign } from '../texts/language.ts'

/** 12345 as 12,345. By hand: on a phone, the first use of Intl costs as much as drawing a page. */
export function formatCount(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(?:\d{3})+$)/g, groupSign)
}
