import { numberLocale } from '../../ui/locale.ts'
/** "#18,499": the log index of an alert. */
export function logNumber(logIndex: number): string {
  return `#${logIndex.toLocaleString(numberLocale)}`
}
