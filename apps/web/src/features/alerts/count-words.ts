import type { Counted } from '@tocsin/protocol'
import { alertsTexts } from '../../texts/alerts.tsx'
import { numberLocale } from '../../texts/language.ts'

const texts = alertsTexts.countWords

/** "37", "1,000+". */
export function countWords({ count, isMore }: Counted): string {
  return `${count.toLocaleString(numberLocale)}${isMore ? '+' : ''}`
}

/** "1 alert", "37 alerts". */
export function alertCount(counted: Counted): string {
  return texts.alerts({ counted: countWords(counted), count: counted.count, isMore: counted.isMore })
}
