import { type AlertSelection, isSelected, type ListedAlert, sumSelected } from '@tocsin/protocol'
import type { AlertPages, LoadedList } from '../alert/alert-queries.ts'
import { isLocked } from '../alert/alert-texts.ts'

/**
 * Returns the rows of a loaded list that match a narrower selection, so that they are shown before
 * the server responds. The response begins with the same rows. Undefined if no loaded list includes
 * the selection, or if no loaded row matches it: then only the server knows the first match.
 * @param lists the most recently updated first
 */
export function filterLoadedResults(lists: readonly LoadedList[], selection: AlertSelection): AlertPages | undefined {
  const widerList = lists.find((list) => isWider(list.selection, selection))
  const [firstPage, lastPage] = [widerList?.pages.pages[0], widerList?.pages.pages.at(-1)]
  if (!widerList || !firstPage || !lastPage) return
  const items = widerList.pages.pages
    .flatMap((page) => page.items)
    .filter((entry) => matchesSelection(entry, selection))
  if (items.length === 0) return
  const hasOnlyOtherPriorities = isWider({ ...selection, priority: undefined }, widerList.selection)
  const total = hasOnlyOtherPriorities
    ? sumSelected(firstPage.byPriority, selection.priority)
    : { count: items.length, isMore: lastPage.next !== null }
  const page = { ...firstPage, items, total, next: lastPage.next, listKey: JSON.stringify(selection) }
  return { pages: [page], pageParams: widerList.pages.pageParams.slice(0, 1) }
}

function matchesSelection({ alert, isRead }: ListedAlert, selection: AlertSelection): boolean {
  return !isLocked(alert) && isSelected(alert, selection) && !(selection.read === 'unread' && isRead)
}

/**
 * Returns whether `wide` includes every alert that `narrow` selects. Each filter of `wide` must be
 * set to the same value in `narrow`; for priorities, `narrow` may have fewer of them.
 */
function isWider(wide: AlertSelection, narrow: AlertSelection): boolean {
  return Object.entries(wide).every(([name, value]) => {
    if (value === undefined) return true
    const narrowValue = narrow[name as keyof AlertSelection]
    if (name !== 'priority') return JSON.stringify(value) === JSON.stringify(narrowValue)
    return (
      narrowValue !== undefined && [narrowValue].flat().every((priority) => [value].flat().includes(priority as never))
    )
  })
}
