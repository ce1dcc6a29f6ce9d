import { type AlertSelection, isSelected, type ListedAlert, totalOf } from '@tocsin/protocol'
import type { AlertPages, LoadedList } from '../alert/alert-queries.ts'
import { isLocked } from '../alert/alert-words.ts'

/**
 * The rows of a loaded list that a narrower selection keeps, so that they are painted before the
 * server has answered. They are the first rows of its answer. Undefined if no loaded list contains
 * the selection, or if it has no row of it: then only the server knows the first one.
 * @param lists freshest first
 */
export function localResults(lists: readonly LoadedList[], selection: AlertSelection): AlertPages | undefined {
  const wider = lists.find((list) => isWider(list.selection, selection))
  const [first, last] = [wider?.pages.pages[0], wider?.pages.pages.at(-1)]
  if (!wider || !first || !last) return
  const items = wider.pages.pages.flatMap((page) => page.items).filter((entry) => isKept(entry, selection))
  if (items.length === 0) return
  const hasOnlyOtherPriorities = isWider({ ...selection, priority: undefined }, wider.selection)
  const total = hasOnlyOtherPriorities
    ? totalOf(first.byPriority, selection.priority)
    : { count: items.length, isMore: last.next !== null }
  const page = { ...first, items, total, next: last.next, of: JSON.stringify(selection) }
  return { pages: [page], pageParams: wider.pages.pageParams.slice(0, 1) }
}

function isKept({ alert, isRead }: ListedAlert, selection: AlertSelection): boolean {
  return !isLocked(alert) && isSelected(alert, selection) && !(selection.read === 'unread' && isRead)
}

/** True if every filter of the first selection also limits the second one. */
function isWider(wide: AlertSelection, narrow: AlertSelection): boolean {
  return Object.entries(wide).every(([name, value]) => {
    if (value === undefined) return true
    const other = narrow[name as keyof AlertSelection]
    if (name !== 'priority') return JSON.stringify(value) === JSON.stringify(other)
    return other !== undefined && [other].flat().every((each) => [value].flat().includes(each as never))
  })
}
