import { numberLocale } from '../../ui/locale.ts'

/** Formats the log index of an alert: "#18,499". */
export function formatLogNumber(logIndex: number): string {
  return `#${logIndex.toLocaleString(numberLocale)}`
}

/** Formats how often something was done: "once", "3 times". */
export function formatRepeatCount(count: number): string {
  return count === 1 ? 'once' : `${count.toLocaleString(numberLocale)} times`
}
