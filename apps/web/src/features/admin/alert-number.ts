import { formatCount } from '../../ui/count.ts'

/** Formats the log index of an alert: "#18,499". */
export function formatLogNumber(logIndex: number): string {
  return `#${formatCount(logIndex)}`
}

/** Formats how often something was done: "once", "3 times". */
export function formatRepeatCount(count: number): string {
  return count === 1 ? 'once' : `${formatCount(count)} times`
}
