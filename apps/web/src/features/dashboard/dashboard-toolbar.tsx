import { useQueryClient } from '@tanstack/react-query'
import { priorities } from '@tocsin/protocol'
import { Bookmark, Pause, Play, RefreshCw, SlidersHorizontal, Star } from 'lucide-react'
import { Suspense, useState } from 'react'
import { queries } from '../../api/queries.ts'
import { usePreferences } from '../../session/preferences.ts'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Glyph, priorityStyles } from '../../ui/identity/priority-glyph.tsx'
import { lazyLoad, waitUntilIdle } from '../../ui/lazy-load.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { type AlertSearchParams, toViewFilter } from '../alert/alert-search-params.ts'
import { createFilterParts, toggleValue } from '../alert/filter-texts.ts'
import { formatLimitedCount } from '../alerts/count-texts.ts'
import { DensitySwitch } from '../alerts/density-switch.tsx'
import type { Dashboard } from './use-dashboard.ts'

const FilterDialog = lazyLoad(async () => (await import('./filter-dialog.tsx')).FilterDialog)
/** Loaded after the rows, because menus need a large library. */
const ViewsMenu = lazyLoad(async () => {
  await waitUntilIdle()
  return (await import('../alerts/views-menu.tsx')).ViewsMenu
})

export function DashboardToolbar({ dashboard: { searchParams, refine, open, pages, live } }: { dashboard: Dashboard }) {
  const counts = pages.first?.byPriority
  return (
    <search className="flex h-9 shrink-0 items-center gap-2 border-b border-line-1 pr-2 pl-4 touch:h-13 phone:pl-4">
      {/* The chips fade out at the right edge, because a count that is cut off looks like a smaller
          number. */}
      <div className="flex min-w-0 flex-1 gap-1 overflow-x-auto touch:gap-1.5 py-2 pr-6 [mask-image:linear-gradient(to_right,black_calc(100%-2rem),transparent)] [scrollbar-width:none]">
        <Chip
          pressed={searchParams.watchlist === true}
          aria-label="Watchlist only"
          title="Watchlist only"
          onClick={() => refine({ watchlist: !searchParams.watchlist || undefined })}
          className="px-1.5!"
        >
          <Star
            aria-hidden
            size={14}
            strokeWidth={2.25}
            className={searchParams.watchlist && 'fill-current text-signal'}
          />
        </Chip>
        <Chip
          pressed={searchParams.priority === undefined}
          onClick={() => refine({ priority: undefined })}
          className="px-1.5! lg:max-xl:hidden"
        >
          All
        </Chip>
        {[...priorities].reverse().map((priority) => (
          <Chip
            key={priority}
            pressed={searchParams.priority?.includes(priority) ?? false}
            onClick={() => refine({ priority: toggleValue(searchParams.priority, priority) })}
            className="gap-1! px-1.5!"
          >
            <Glyph shape={priorityStyles[priority].shape} className={priorityStyles[priority].text} />
            <span className="lg:max-xl:sr-only phone:sr-only">{priorityStyles[priority].word}</span>
            {counts && <span className="text-data text-2">{formatLimitedCount(counts[priority])}</span>}
          </Chip>
        ))}
        {createOtherFilterParts(searchParams).map(({ key, words, without }) => (
          <Chip
            key={key}
            removable
            aria-label={`Remove filter ${words}`}
            onClick={() => refine(without)}
            className="px-1.5!"
          >
            <span className="max-w-40 truncate">{words}</span>
          </Chip>
        ))}
      </div>
      <FilterButton searchParams={searchParams} onRefine={refine} />
      <Suspense
        fallback={
          <Chip disabled aria-label="Saved views" className="px-1.5!">
            <Bookmark aria-hidden size={14} strokeWidth={2.25} />
          </Chip>
        }
      >
        <ViewsMenu searchParams={searchParams} onOpen={open} isIconOnly className="px-1.5!" />
      </Suspense>
      <SearchField
        label="Search alerts"
        placeholder="Search"
        keys="/"
        value={searchParams.q ?? ''}
        onSearch={(q) => refine({ q: q || undefined })}
        className={classNames(
          'shrink-0 transition-[width] focus-within:w-40 [&_input]:h-7 touch:[&_input]:h-11',
          searchParams.q === undefined
            ? 'w-9 touch:w-11 touch:[&_input:not(:focus)]:border-transparent [&_input:not(:focus)]:pr-0 [&_input:not(:focus)]:placeholder:text-transparent'
            : 'w-28',
        )}
      />
      <DensitySwitch className="phone:hidden" />
      <PauseOrRefresh live={live} pages={pages} />
    </search>
  )
}

function PauseOrRefresh({ live, pages }: Pick<Dashboard, 'live' | 'pages'>) {
  const client = useQueryClient()
  const { preferences } = usePreferences()
  const labelClasses = 'min-[1600px]:not-sr-only sr-only'
  if (!preferences.realTimeAlerts) {
    const refresh = () => {
      void client.invalidateQueries({ queryKey: queries.recentAlerts.queryKey })
      void pages.refetch()
    }
    return (
      <Button size="sm" variant="ghost" busy={pages.isFetching} onClick={refresh}>
        <RefreshCw aria-hidden size={16} strokeWidth={2.25} />
        <span className={labelClasses}>{pages.isFetching ? 'Refreshing…' : 'Refresh'}</span>
      </Button>
    )
  }
  const PauseIcon = live.isPaused ? Play : Pause
  return (
    <Button
      size="sm"
      variant="ghost"
      data-keys="p"
      title={live.isPaused ? 'Resume (p)' : 'Pause (p)'}
      onClick={() => live.setIsPaused(!live.isPaused)}
    >
      <PauseIcon aria-hidden size={16} strokeWidth={2.25} />
      <span className={labelClasses}>{live.isPaused ? 'Resume' : 'Pause'}</span>
    </Button>
  )
}

/** Returns the active filters that have no chip of their own in the toolbar. */
const createOtherFilterParts = ({
  priority: _priority,
  watchlist: _watchlist,
  q: _q,
  ...otherParams
}: AlertSearchParams) => createFilterParts(toViewFilter(otherParams))

type FilterButtonProps = { searchParams: AlertSearchParams; onRefine: (change: Partial<AlertSearchParams>) => void }

/** Opens a dialog with the filters by asset, type, regime, prediction and date. */
function FilterButton({ searchParams, onRefine }: FilterButtonProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Chip
        aria-haspopup="dialog"
        aria-label="More filters"
        title="More filters"
        onClick={() => setIsOpen(true)}
        className="px-1.5!"
      >
        <SlidersHorizontal aria-hidden size={14} strokeWidth={2.25} />
      </Chip>
      {isOpen && (
        <Suspense>
          <FilterDialog searchParams={searchParams} onRefine={onRefine} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
