import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'

/**
 * Filters of an empty list: no filter, filters that no alert matches, or a watchlist without
 * assets.
 */
export type ListFilter = 'none' | 'some' | 'no-watchlist'

type NoAlertsProps = {
  filter: ListFilter
  /** Text for a list without filters. It says what the list will contain. */
  children: string
  onClear: () => void
}

export function NoAlerts({ filter, children, onClear }: NoAlertsProps) {
  if (filter === 'none') return <EmptyState title="No alerts yet">{children}</EmptyState>
  if (filter === 'no-watchlist') {
    return (
      <EmptyState title="No watched assets" action={<Button onClick={onClear}>Show all alerts</Button>}>
        Open an alert and press Watch, or the key w, to add its asset to your watchlist.
      </EmptyState>
    )
  }
  return (
    <EmptyState title="No alerts match" action={<Button onClick={onClear}>Clear filters</Button>}>
      Search for something else, or remove a filter.
    </EmptyState>
  )
}
