import { useQuery } from '@tanstack/react-query'
import { type AlertSearch, priorities } from '@tocsin/protocol'
import { SlidersHorizontal, Star } from 'lucide-react'
import { useId, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { Glyph, priorityLooks } from '../../ui/identity/priority-glyph.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { type AlertPlace, isFiltered } from '../alert/alert-place.ts'
import { alertQueries } from '../alert/alert-queries.ts'
import { countWords } from './count-words.ts'

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
          onSearch={(q) => onRefine({ q: q.trim() || undefined })}
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
            pressed={place.watchlist === true}
            onClick={() => onRefine({ watchlist: !place.watchlist || undefined })}
          >
            <Star aria-hidden size={14} strokeWidth={2.25} />
            Watchlist only
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

type ActiveFiltersProps = {
  place: AlertPlace
  onRefine: (change: Partial<AlertPlace>) => void
  onClear: () => void
}

/** The active filters, each with a button to remove it. */
function ActiveFilters({ place, onRefine, onClear }: ActiveFiltersProps) {
  if (!isFiltered(place)) return null
  const { q, priority, asset, type, from, to, read, watchlist } = place
  const chips: [key: keyof AlertPlace, words: string | undefined][] = [
    ['q', q && `“${q}”`],
    ['priority', priority && priorityLooks[priority].word],
    ['asset', asset],
    ['type', type],
    ['from', from && `From ${from}`],
    ['to', to && `To ${to}`],
    ['read', read && 'Unread only'],
    ['watchlist', watchlist && 'Watchlist only'],
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

type FilterDetailsProps = { place: AlertPlace; onRefine: (change: Partial<AlertPlace>) => void }

/** Asset, type, and the date range of issue. */
function FilterDetails({ place, onRefine }: FilterDetailsProps) {
  const { data } = useQuery(alertQueries.facets)
  return (
    <div className="grid grid-cols-[repeat(4,minmax(0,200px))] gap-3 pt-1 pb-2 max-lg:grid-cols-2 max-[374px]:grid-cols-1!">
      <SelectField
        label="Asset"
        size="sm"
        value={place.asset ?? ''}
        onChange={({ target }) => onRefine({ asset: target.value || undefined })}
      >
        <Options all="All assets" names={data?.assets ?? []} chosen={place.asset} />
      </SelectField>
      <SelectField
        label="Type"
        size="sm"
        value={place.type ?? ''}
        onChange={({ target }) => onRefine({ type: target.value || undefined })}
      >
        <Options all="All types" names={data?.types ?? []} chosen={place.type} />
      </SelectField>
      <TextField
        label="From (UTC)"
        type="date"
        size="sm"
        max={place.to}
        value={place.from ?? ''}
        onChange={({ target }) => onRefine({ from: target.value || undefined })}
      />
      <TextField
        label="To (UTC)"
        type="date"
        size="sm"
        min={place.from}
        value={place.to ?? ''}
        onChange={({ target }) => onRefine({ to: target.value || undefined })}
      />
    </div>
  )
}

/** Lists the chosen value even if no alert has it any more. */
function Options({ all, names, chosen }: { all: string; names: readonly string[]; chosen: string | undefined }) {
  const listed = chosen === undefined || names.includes(chosen) ? names : [chosen, ...names]
  return (
    <>
      <option value="">{all}</option>
      {listed.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </>
  )
}
