import { maxViews, type ViewFilter } from '@tocsin/protocol'
import { Refusal } from '../../refusal.ts'
import type { ViewRow } from './store.ts'

/** @throws Refusal too_many_views */
export function assertRoom(existingViews: readonly ViewRow[]): void {
  if (existingViews.length < maxViews) return
  throw new Refusal('too_many_views', `An account has at most ${maxViews} saved views. Delete one first.`)
}

/**
 * Checks that no other view has the name.
 * @param ownView the view that has or gets the name
 * @throws Refusal view_name_taken
 */
export function assertNameFree(existingViews: readonly ViewRow[], name: string, ownView: ViewRow | null = null): void {
  const lowerCaseName = name.toLowerCase()
  const holder = existingViews.find((view) => view.id !== ownView?.id && view.name.toLowerCase() === lowerCaseName)
  if (holder) throw new Refusal('view_name_taken', `You already have a view named “${holder.name}”.`)
}

/** Applies a change. Returns the same object if nothing changes. */
export function changeView(
  view: ViewRow,
  { name = view.name, filter = view.filter }: { name?: string | undefined; filter?: ViewFilter | undefined },
): ViewRow {
  const isSame = name === view.name && describeFilter(filter) === describeFilter(view.filter)
  return isSame ? view : { ...view, name, filter }
}

/** Sorts the keys, because their order in the database differs from that in a request. */
const describeFilter = (filter: ViewFilter) =>
  JSON.stringify(Object.entries(filter).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Describes a change for the activity log. */
export function describeViewChange(formerView: ViewRow, changedView: ViewRow): string {
  if (formerView.name !== changedView.name) return `View “${formerView.name}” renamed to “${changedView.name}”`
  return `Filters of the view “${changedView.name}” replaced`
}
