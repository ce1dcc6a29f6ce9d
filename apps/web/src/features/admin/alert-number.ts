import { numberLocale } from '../../ui/locale.ts'
/** #18,499: an alert's place in the log. */
export function logNumber(logIndex: number): string {
  return `#${logIndex.toLocaleString(numberLocale)}`
}
