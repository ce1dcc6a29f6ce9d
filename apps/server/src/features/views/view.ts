import { maxViews, type ViewFilter } from '@tocsin/protocol'
import { Refusal } from '../../refusal.ts'
import type { ViewRow } from './store.ts'

/** @throws Refusal too_many_views */
export function assertRoom(existing: readonly ViewRow[]): void {
  if (existing.length < maxViews) return
  throw new Refusal('too_many_views', `An account has at most ${maxViews} saved views. Delete one first.`)
}

/**
 * Checks that no other view has the name.
 * @param own the view that has or gets the name
 * @throws Refusal view_name_taken
 */
export function assertNameFree(existing: readonly ViewRow[], name: string, own: ViewRow | null = null): void {
  const wanted = name.toLowerCase()
  const holder = existing.find((view) => view.id !== own?.id && view.name.toLowerCase() === wanted)
  if (holder) throw new Refusal('view_name_taken', `You already have a view named “${holder.name}”.`)
}

/** Applies a change. Returns the same object if nothing changes. */
export function changeView(
  view: ViewRow,
  { name = view.name, filter = view.filter }: { name?: string | undefined; filter?: ViewFilter | undefined },
): ViewRow {
  const isSame = name === view.name && describe(filter) === describe(view.filter)
  return isSame ? view : { ...view, name, filter }
}

/** Sorts the keys, because their order in the database differs from that in a request. */
const describe = (filter: ViewFilter) => JSON.stringify(Object.entries(filter).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Describes a change for the activity log. */
export function describeViewChange(before: ViewRow, after: ViewRow): string {
  if (before.name !== after.name) return `View “${before.name}” renamed to “${after.name}”`
  return `Filters of the view “${after.name}” replaced`
}
