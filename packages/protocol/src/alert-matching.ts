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
export function isSelected(of: Alert, selection: AlertSelection): boolean {
  const { q, priority: selected, asset, assets, type, types, regime, from, to, read } = selection
  const createdAtMs = Date.parse(of.createdAt)
  return (
    (selected === undefined || [selected].flat().includes(of.priority)) &&
    (asset === undefined || of.asset === asset) &&
    (assets === undefined || [assets].flat().includes(of.asset)) &&
    (type === undefined || of.anomalyType === type) &&
    (types === undefined || [types].flat().includes(of.anomalyType)) &&
    (regime === undefined || of.regime === regime) &&
    hasVerdict(of, selection.verdict) &&
    parseRangeStart(from) <= createdAtMs &&
    createdAtMs <= parseRangeEnd(to) &&
    read !== 'read' &&
    (q === undefined || of.id === q || isFound(of, splitWords(q)))
  )
}

/** True if the prediction has the selected verdict now, or if no verdict is selected. */
export function hasVerdict({ prediction, outcome }: Alert, selected: ListedVerdict | undefined): boolean {
  if (selected === undefined) return true
  return selected === 'open' ? prediction !== undefined && outcome === undefined : outcome?.verdict === selected
}

function isFound({ asset, anomalyType, regime, summary }: Alert, words: readonly string[]): boolean {
  const own = splitWords(`${asset} ${anomalyType} ${regime} ${summary}`)
  return words.length > 0 && words.every((word) => own.some((each) => each.startsWith(word)))
}

const nothingCounted: LimitedCount = { count: 0, isMore: false }

/** Returns the sum of the counts of the selected priorities, by default of all. */
export function sumSelected(
  byPriority: Record<Priority, LimitedCount>,
  selected: AlertSelection['priority'],
): LimitedCount {
  const counts: readonly Priority[] = selected === undefined ? priorities : [selected].flat()
  return counts.reduce((sum, each) => addCounted(sum, byPriority[each]), nothingCounted)
}

export function addCounted(one: LimitedCount, other: LimitedCount): LimitedCount {
  const count = one.count + other.count
  return { count: Math.min(count, maxCounted), isMore: one.isMore || other.isMore || count > maxCounted }
}
