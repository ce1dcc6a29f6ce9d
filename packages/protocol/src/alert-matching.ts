import type { AlertSelection, LimitedCount } from './alert-lists.ts'
import type { Alert } from './alerts.ts'
import { type ListedVerdict, maxCounted, type Priority, priorities } from './names.ts'
import { parseRangeEnd, parseRangeStart } from './time-range.ts'

/** Splits a text into lower-case search terms: runs of letters and digits. */
export function splitWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

/**
 * Applies the filter to an alert that arrives while the list is open. A new alert is always unread.
 */
export function isSelected(alert: Alert, selection: AlertSelection): boolean {
  const { q, priority: selectedPriority, asset, assets, type, types, regime, from, to, read } = selection
  const createdAtMs = Date.parse(alert.createdAt)
  return (
    (selectedPriority === undefined || [selectedPriority].flat().includes(alert.priority)) &&
    (asset === undefined || alert.asset === asset) &&
    (assets === undefined || [assets].flat().includes(alert.asset)) &&
    (type === undefined || alert.anomalyType === type) &&
    (types === undefined || [types].flat().includes(alert.anomalyType)) &&
    (regime === undefined || alert.regime === regime) &&
    hasVerdict(alert, selection.verdict) &&
    parseRangeStart(from) <= createdAtMs &&
    createdAtMs <= parseRangeEnd(to) &&
    read !== 'read' &&
    (q === undefined || alert.id === q || hasAllWords(alert, splitWords(q)))
  )
}

/** True if the prediction has the selected verdict now, or if no verdict is selected. */
export function hasVerdict({ prediction, outcome }: Alert, selectedVerdict: ListedVerdict | undefined): boolean {
  if (selectedVerdict === undefined) return true
  return selectedVerdict === 'open'
    ? prediction !== undefined && outcome === undefined
    : outcome?.verdict === selectedVerdict
}

function hasAllWords({ asset, anomalyType, regime, summary }: Alert, words: readonly string[]): boolean {
  const alertWords = splitWords(`${asset} ${anomalyType} ${regime} ${summary}`)
  return words.length > 0 && words.every((word) => alertWords.some((each) => each.startsWith(word)))
}

const zeroCount: LimitedCount = { count: 0, isMore: false }

/** Returns the sum of the counts of the selected priorities, by default of all. */
export function sumSelected(
  byPriority: Record<Priority, LimitedCount>,
  selected: AlertSelection['priority'],
): LimitedCount {
  const counts: readonly Priority[] = selected === undefined ? priorities : [selected].flat()
  return counts.reduce((sum, each) => addCounted(sum, byPriority[each]), zeroCount)
}

export function addCounted(one: LimitedCount, other: LimitedCount): LimitedCount {
  const count = one.count + other.count
  return { count: Math.min(count, maxCounted), isMore: one.isMore || other.isMore || count > maxCounted }
}
