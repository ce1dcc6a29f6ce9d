import { priorities } from '@tocsin/protocol'
import { Search } from 'lucide-react'
import { Chip } from '../../ui/chip.tsx'
import { Glyph, priorityLooks } from '../../ui/identity/priority-glyph.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { type AlertFilter, countByPriority, type UserAlert } from './alert-filter.ts'

type FilterBarProps = {
  filter: AlertFilter
  onChange: (filter: AlertFilter) => void
  alerts: readonly UserAlert[]
}

export function FilterBar({ filter, onChange, alerts }: FilterBarProps) {
  const counts = countByPriority(alerts)
  return (
    <div className="mt-4 flex flex-wrap items-center gap-2">
      <TextField
        label="Search alerts"
        hideLabel
        type="search"
        size="sm"
        icon={Search}
        placeholder="Search asset, type or summary"
        value={filter.search}
        onChange={(event) => onChange({ ...filter, search: event.target.value })}
        className="w-68 phone:w-full"
      />
      <fieldset className="-mx-4 flex gap-2 overflow-x-auto px-4 py-1 md:mx-0 md:flex-wrap md:px-0 min-w-0">
        <legend className="sr-only">Priority</legend>
        <Chip
          pressed={filter.priority === 'all'}
          count={counts.all}
          onClick={() => onChange({ ...filter, priority: 'all' })}
        >
          All
        </Chip>
        {[...priorities].reverse().map((priority) => {
          const { shape, text, word } = priorityLooks[priority]
          return (
            <Chip
              key={priority}
              pressed={filter.priority === priority}
              count={counts[priority]}
              onClick={() => onChange({ ...filter, priority })}
            >
              <Glyph shape={shape} className={text} />
              {word}
            </Chip>
          )
        })}
        <Chip pressed={filter.unreadOnly} onClick={() => onChange({ ...filter, unreadOnly: !filter.unreadOnly })}>
          Unread only
        </Chip>
      </fieldset>
    </div>
  )
}
