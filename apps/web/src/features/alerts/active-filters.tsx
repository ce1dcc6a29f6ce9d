import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { priorityLooks } from '../../ui/identity/priority-glyph.tsx'
import { type AlertPlace, isFiltered } from '../alert/alert-place.ts'

type ActiveFiltersProps = {
  place: AlertPlace
  onRefine: (change: Partial<AlertPlace>) => void
  onClear: () => void
}

/** The active filters, each with a button to remove it. */
export function ActiveFilters({ place, onRefine, onClear }: ActiveFiltersProps) {
  if (!isFiltered(place)) return null
  const { q, priority, asset, type, from, to, read } = place
  const chips: [key: keyof AlertPlace, words: string | undefined][] = [
    ['q', q && `“${q}”`],
    ['priority', priority && priorityLooks[priority].word],
    ['asset', asset],
    ['type', type],
    ['from', from && `From ${from}`],
    ['to', to && `To ${to}`],
    ['read', read && 'Unread only'],
  ]
  return (
    <div className="flex flex-wrap items-center gap-2">
      <span className="text-hint text-2">Filtered by</span>
      {chips.map(
        ([key, words]) =>
          words && (
            <Chip
              key={key}
              removable
              aria-label={`Remove filter ${words}`}
              onClick={() => onRefine({ [key]: undefined })}
            >
              <span className="max-w-60 truncate">{words}</span>
            </Chip>
          ),
      )}
      <Button size="sm" variant="ghost" onClick={onClear}>
        Clear all
      </Button>
    </div>
  )
}
