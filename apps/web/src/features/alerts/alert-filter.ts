import type { Alert, Priority, ResponseOf } from '@tocsin/protocol'

export type UserAlert = ResponseOf<'userAlerts'>[number]
export type PriorityFilter = Priority | 'all'
export type AlertFilter = { search: string; priority: PriorityFilter; unreadOnly: boolean }

export const noFilter: AlertFilter = { search: '', priority: 'all', unreadOnly: false }

/**
 * Every word of the search must occur in asset, type, regime or summary, in any case. What was opened while only the unread ones are shown
 * (`opened`) stays: a row must not vanish from under its reader.
 */
export function filterAlerts(
  list: readonly UserAlert[],
  filter: AlertFilter,
  opened: ReadonlySet<string> = new Set(),
): UserAlert[] {
  const words = filter.search.toLowerCase().split(/\s+/).filter(Boolean)
  return list.filter(
    ({ alert, isRead }) =>
      (filter.priority === 'all' || alert.priority === filter.priority) &&
      !(filter.unreadOnly && isRead && !opened.has(alert.id)) &&
      words.every((word) => textOf(alert).includes(word)),
  )
}

/** How many alerts each priority has, before any other filter. */
export function countByPriority(list: readonly UserAlert[]): Record<PriorityFilter, number> {
  const counts: Record<PriorityFilter, number> = { all: list.length, critical: 0, high: 0, medium: 0, low: 0 }
  for (const { alert } of list) counts[alert.priority] += 1
  return counts
}

export function countUnread(list: readonly UserAlert[]): number {
  return list.filter(({ isRead }) => !isRead).length
}

function textOf({ asset, anomalyType, regime, summary }: Alert): string {
  return `${asset} ${anomalyType} ${regime} ${summary}`.toLowerCase()
}
