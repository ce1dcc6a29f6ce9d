import { type AlertSearch, priorities } from '@tocsin/protocol'
import { SlidersHorizontal, Star } from 'lucide-react'
import { useId, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { Glyph, priorityStyles } from '../../ui/identity/priority-glyph.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { type AlertSearchParams, isFiltered, toViewFilter } from '../alert/alert-search-params.ts'
import { createFilterParts, toggleValue } from '../alert/filter-texts.ts'
import { formatLimitedCount } from './count-texts.ts'
import { FilterDetails } from './filter-details.tsx'
import { ViewsMenu } from './views-menu.tsx'

type FilterBarProps = {
  searchParams: AlertSearchParams
  /**
   * Number of alerts of each priority in the last response. Undefined before the first response.
   */
  counts: AlertSearch['byPriority'] | undefined
  onRefine: (change: Partial<AlertSearchParams>) => void
  /** Called to replace all filters. */
  onOpenView: (filter: AlertSearchParams) => void
  onClear: () => void
}

/** Hides icons at the widths at which they would push the last filter to a second line. */
const oneLineClasses = 'lg:max-xl:hidden'

/**
 * Filters of the list. Search and priority are always visible, and a button shows the other
 * filters. The active filters are listed below.
 */
export function FilterBar({ searchParams, counts, onRefine, onOpenView, onClear }: FilterBarProps) {
  const { asset, type, regime, verdict, from, to } = searchParams
  const hasDetails = [asset, type, regime, verdict, from, to].some((value) => value !== undefined)
  const [isOpen, setIsOpen] = useState(hasDetails)
  const detailsId = useId()
  return (
    <search className="mt-4 flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <SearchField
          label="Search alerts"
          placeholder="Search asset, type or summary"
          keys="/"
          value={searchParams.q ?? ''}
          onSearch={(q) => onRefine({ q: q || undefined })}
          className="w-68 max-lg:w-full"
        />
        <fieldset className="-mx-4 flex min-w-0 gap-2 overflow-x-auto px-4 py-1 md:mx-0 md:flex-wrap md:px-0 md:max-xl:gap-1.5">
          <legend className="sr-only">Priority</legend>
          <Chip pressed={searchParams.priority === undefined} onClick={() => onRefine({ priority: undefined })}>
            All
          </Chip>
          {[...priorities].reverse().map((priority) => {
            const { shape, text, word } = priorityStyles[priority]
            return (
              <Chip
                key={priority}
                pressed={searchParams.priority?.includes(priority) ?? false}
                onClick={() => onRefine({ priority: toggleValue(searchParams.priority, priority) })}
              >
                <Glyph shape={shape} className={text} />
                {word}
                <span className="min-w-[2ch] text-right text-data text-2">
                  {counts && formatLimitedCount(counts[priority])}
                </span>
              </Chip>
            )
          })}
          <Chip
            pressed={searchParams.read === 'unread'}
            onClick={() => onRefine({ read: searchParams.read === 'unread' ? undefined : 'unread' })}
          >
            Unread only
          </Chip>
          <Chip
            pressed={searchParams.watchlist === true}
            onClick={() => onRefine({ watchlist: !searchParams.watchlist || undefined })}
          >
            <Star aria-hidden size={14} strokeWidth={2.25} className={oneLineClasses} />
            Watchlist only
          </Chip>
          <Chip
            aria-expanded={isOpen}
            aria-controls={isOpen ? detailsId : undefined}
            onClick={() => setIsOpen(!isOpen)}
          >
            <SlidersHorizontal aria-hidden size={14} strokeWidth={2.25} className={oneLineClasses} />
            More filters
          </Chip>
          <ViewsMenu searchParams={searchParams} onOpen={onOpenView} />
        </fieldset>
      </div>
      {isOpen && (
        <div id={detailsId}>
          <FilterDetails
            searchParams={searchParams}
            onRefine={onRefine}
            className="grid-cols-[repeat(6,minmax(0,176px))] pt-1 pb-2 max-xl:grid-cols-3 max-md:grid-cols-2 max-[374px]:grid-cols-1!"
          />
        </div>
      )}
      <ActiveFilters searchParams={searchParams} onRefine={onRefine} onClear={onClear} />
    </search>
  )
}

type ActiveFiltersProps = {
  searchParams: AlertSearchParams
  onRefine: (change: Partial<AlertSearchParams>) => void
  onClear: () => void
}

/** Lists the active filters, each with a button that removes it. */
function ActiveFilters({ searchParams, onRefine, onClear }: ActiveFiltersProps) {
  if (!isFiltered(searchParams)) return null
  return (
    <div className="flex flex-wrap items-center gap-2">
      <span className="text-hint text-2">Filtered by</span>
      {createFilterParts(toViewFilter(searchParams)).map(({ key, words, without }) => (
        <Chip key={key} removable aria-label={`Remove filter ${words}`} onClick={() => onRefine(without)}>
          <span className="max-w-60 truncate">{words}</span>
        </Chip>
      ))}
      <Button size="sm" variant="ghost" onClick={onClear}>
        Clear all
      </Button>
    </div>
  )
}
