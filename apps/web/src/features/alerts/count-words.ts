import type { Counted } from '@tocsin/protocol'

/** "37", "1,000+". */
export function countWords({ count, isMore }: Counted): string {
  return `${count.toLocaleString('en-US')}${isMore ? '+' : ''}`
}

/** "1 alert", "37 alerts". */
export function alertCount(counted: Counted): string {
  return `${countWords(counted)} ${counted.count === 1 && !counted.isMore ? 'alert' : 'alerts'}`
}
