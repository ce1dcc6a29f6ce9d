import type { Counted } from '@tocsin/protocol'
import { numberLocale } from '../../ui/locale.ts'

/** "37", "1,000+". */
export function countWords({ count, isMore }: Counted): string {
  return `${count.toLocaleString(numberLocale)}${isMore ? '+' : ''}`
}

/** "1 alert", "37 alerts". */
export function alertCount(counted: Counted): string {
  return `${countWords(counted)} ${counted.count === 1 && !counted.isMore ? 'alert' : 'alerts'}`
}
