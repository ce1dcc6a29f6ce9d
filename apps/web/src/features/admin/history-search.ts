import type { AdminAlert } from '@tocsin/protocol'

/** Every word must occur in asset, type, regime, priority or summary, or be the log index as "#18,499" or "18499". */
export function searchHistory(alerts: readonly AdminAlert[], search: string): readonly AdminAlert[] {
  const words = search.toLowerCase().replaceAll(',', '').split(/\s+/).filter(Boolean)
  if (words.length === 0) return alerts
  return alerts.filter(({ asset, anomalyType, regime, priority, summary, logIndex }) => {
    const text = `${asset} ${anomalyType} ${regime} ${priority} ${summary} #${logIndex}`
      .toLowerCase()
      .replaceAll(',', '')
    return words.every((word) => text.includes(word))
  })
}

/** #18,499 */
export function logNumber(logIndex: number): string {
  return `#${logIndex.toLocaleString('en-US')}`
}
