import { type AlertSearch, priorities } from '@tocsin/protocol'
import { SlidersHorizontal } from 'lucide-react'
import { useId, useState } from 'react'
import { Chip } from '../../ui/chip.tsx'
import { Glyph, priorityLooks } from '../../ui/identity/priority-glyph.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import type { AlertPlace } from '../alert/alert-place.ts'
import { ActiveFilters } from './active-filters.tsx'
import { countWords } from './count-words.ts'
import { FilterDetails } from './filter-details.tsx'

type FilterBarProps = {
  place: AlertPlace
  /** Counts of the last answer. Undefined before the first. */
  counts: AlertSearch['byPriority'] | undefined
  onRefine: (change: Partial<AlertPlace>) => void
  onClear: () => void
}

/**
 * Search and priority are always visible, the other filters behind a button. Active filters are
 * listed below.
 */
export function FilterBar({ place, counts, onRefine, onClear }: FilterBarProps) {
  const hasDetails = [place.asset, place.type, place.from, place.to].some((value) => value !== undefined)
  const [isOpen, setIsOpen] = useState(hasDetails)
  const detailsId = useId()
  return (
    <search className="mt-4 flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <SearchField
          label="Search alerts"
          placeholder="Search asset, type or summary"
          keys="/"
          value={place.q ?? ''}
          onSearch={(q) => onRefine({ q: q.trim() === '' ? undefined : q.trim() })}
          className="w-68 max-lg:w-full"
        />
        <fieldset className="-mx-4 flex min-w-0 gap-2 overflow-x-auto px-4 py-1 md:mx-0 md:flex-wrap md:px-0 md:max-lg:gap-1.5">
          <legend className="sr-only">Priority</legend>
          <Chip pressed={place.priority === undefined} onClick={() => onRefine({ priority: undefined })}>
            All
          </Chip>
          {[...priorities].reverse().map((priority) => {
            const { shape, text, word } = priorityLooks[priority]
            return (
              <Chip
                key={priority}
                pressed={place.priority === priority}
                onClick={() => onRefine({ priority: place.priority === priority ? undefined : priority })}
              >
                <Glyph shape={shape} className={text} />
                {word}
                <span className="min-w-[2ch] text-right text-data text-2">
                  {counts && countWords(counts[priority])}
                </span>
              </Chip>
            )
          })}
          <Chip
            pressed={place.read === 'unread'}
            onClick={() => onRefine({ read: place.read === 'unread' ? undefined : 'unread' })}
          >
            Unread only
          </Chip>
          <Chip
            aria-expanded={isOpen}
            aria-controls={isOpen ? detailsId : undefined}
            onClick={() => setIsOpen(!isOpen)}
          >
            <SlidersHorizontal aria-hidden size={14} strokeWidth={2.25} />
            Asset, type, date
          </Chip>
        </fieldset>
      </div>
      {isOpen && (
        <div id={detailsId}>
          <FilterDetails place={place} onRefine={onRefine} />
        </div>
      )}
      <ActiveFilters place={place} onRefine={onRefine} onClear={onClear} />
    </search>
  )
}
