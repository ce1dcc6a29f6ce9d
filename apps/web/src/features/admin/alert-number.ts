import { numberLocale } from '../../ui/locale.ts'
/** Formats the log index of an alert: "#18,499". */
export function logNumber(logIndex: number): string {
  return `#${logIndex.toLocaleString(numberLocale)}`
}
