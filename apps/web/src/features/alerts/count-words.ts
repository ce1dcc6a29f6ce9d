import type { Counted } from '@tocsin/protocol'
import { formatCount } from '../../ui/count.ts'

/** "37", "1,000+". */
export function countWords({ count, isMore }: Counted): string {
  return `${formatCount(count)}${isMore ? '+' : ''}`
}

/** "1 alert", "37 alerts". */
export function alertCount(counted: Counted): string {
  return `${countWords(counted)} ${counted.count === 1 && !counted.isMore ? 'alert' : 'alerts'}`
}
