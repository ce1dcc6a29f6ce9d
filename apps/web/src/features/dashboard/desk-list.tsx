import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { priorities } from '@tocsin/protocol'
import { ArrowUp, Pause, Play, RefreshCw, Rows2, Rows4, Star } from 'lucide-react'
import { useMemo, useState } from 'react'
import { queries } from '../../api/queries.ts'
import { paths } from '../../paths.ts'
import { usePreferences, useSavePreferences } from '../../session/preferences.ts'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Glyph, priorityLooks } from '../../ui/identity/priority-glyph.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { numberLocale } from '../../ui/locale.ts'
import { useNow } from '../../ui/now.ts'
import { ReadFailure } from '../../ui/read-failure.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { useTimeStyle } from '../../ui/time-style.ts'
import { isFiltered } from '../alert/alert-place.ts'
import { isLocked } from '../alert/alert-words.ts'
import { countWords } from '../alerts/count-words.ts'
import { type DayHead, dayHeads } from '../alerts/day-heads.ts'
import { DeskHeads, DeskRow, useDeskLayout } from '../alerts/desk-row.tsx'
import { VirtualRows } from '../alerts/virtual-rows.tsx'
import { showsAll } from '../live/listed-alert.ts'
import type { Desk } from './use-desk.ts'

/** Rows of the list on narrow screens, so that the cards below it stay reachable. */
const shownInFlow = 20
const minuteMs = 60_000

type DeskListProps = {
  desk: Desk
  /** The detail stands beside the list, and each scrolls by itself. */
  isBeside: boolean
  /** The alert that the detail shows. */
  selectedId: string | null
}

export function DeskList({ desk, isBeside, selectedId }: DeskListProps) {
  const { pages, list, live, place, clear } = desk
  const { layout, rowPx } = useDeskLayout()
  const shown = isBeside ? live.shown : live.shown.slice(0, shownInFlow)
  const isCut = shown.length < live.shown.length
  const heads = useDays(shown, !pages.hasNextPage && !isCut)
  const [top, setTop] = useState(0)
  const day = heads.filter(({ index }) => index <= top).at(-1)
  return (
    <section
      aria-label="Alerts"
      {...(isFiltered(place) ? {} : { [showsAll]: true })}
      className="flex min-w-0 flex-1 flex-col"
    >
      <Toolbar desk={desk} />
      <div data-scroller={isBeside || undefined} className="relative min-h-0 flex-1 lg:overflow-y-auto">
        <div className="sticky top-14 z-10 lg:top-0">
          <DeskHeads layout={layout} day={day ? dayLabel(day) : 'Alerts'} />
          <NewPill desk={desk} />
        </div>
        {pages.data && !desk.isPending ? (
          shown.length > 0 ? (
            <div aria-busy={pages.isPlaceholderData} className={pages.isPlaceholderData ? 'opacity-60' : undefined}>
              <VirtualRows
                list={list}
                entries={shown}
                rowPx={rowPx}
                targetId={desk.linked.id}
                total={pages.hasNextPage ? -1 : live.shown.length}
                isMoreComing={isBeside && pages.hasNextPage && !pages.isFetchNextPageError}
                heads={heads.slice(1).map((head) => ({
                  index: head.index,
                  content: <DeskHeads layout={layout} day={dayLabel(head)} />,
                }))}
                onNearEnd={isBeside ? pages.readMore : stayHere}
                onTop={setTop}
                renderRow={({ id, alert, isRead }, _open, isTabStop) =>
                  isLocked(alert) ? null : (
                    <DeskRow
                      alert={alert}
                      isRead={isRead}
                      layout={layout}
                      rowPx={rowPx}
                      isSelected={id === selectedId}
                      isTabStop={isTabStop}
                      onSelect={desk.select}
                    />
                  )
                }
              />
            </div>
          ) : (
            <Empty desk={desk} onClear={clear} isFiltered={isFiltered(place)} />
          )
        ) : pages.isError ? (
          <ReadFailure onRetry={() => void pages.refetch()}>Failed to fetch alerts</ReadFailure>
        ) : (
          <SkeletonRows rows={10} label="Loading alerts" />
        )}
        {pages.data && shown.length > 0 && (
          <footer className="flex min-h-11 items-center gap-3 px-4 text-base text-2">
            {isBeside ? (
              <LoadMore query={pages}>{`${shown.length.toLocaleString(numberLocale)} alerts shown`}</LoadMore>
            ) : (
              <Link to={paths.notifications} className="link touch-target">
                All alerts
              </Link>
            )}
          </footer>
        )}
      </div>
    </section>
  )
}

const stayHere = () => {}
const dayLabel = ({ words, count }: DayHead) => (count === null ? words : `${words} · ${count}`)

function useDays(shown: Desk['live']['shown'], isWhole: boolean): DayHead[] {
  const style = useTimeStyle()
  const nowMs = useNow((ms) => Math.floor(ms / minuteMs) * minuteMs)
  return useMemo(
    () =>
      dayHeads(
        shown.map(({ alert }) => alert.createdAt),
        { nowMs, style, isWhole },
      ),
    [shown, nowMs, style, isWhole],
  )
}

type EmptyProps = { desk: Desk; isFiltered: boolean; onClear: () => void }

function Empty({ desk, isFiltered: hasFilter, onClear }: EmptyProps) {
  if (desk.isWatchlistEmpty) {
    const showAll = <Button onClick={onClear}>Show all alerts</Button>
    return (
      <EmptyState title="No watched assets" action={showAll}>
        Open an alert and press Watch, or the key w, to add its asset to your watchlist.
      </EmptyState>
    )
  }
  if (!hasFilter)
    return <EmptyState title="No alerts yet">Market alerts will appear here as they are issued.</EmptyState>
  return (
    <EmptyState title="No alerts match" action={<Button onClick={onClear}>Clear filters</Button>}>
      Search for something else, or choose another priority.
    </EmptyState>
  )
}

const highestFirst = [...priorities].reverse()

function Toolbar({ desk: { place, refine, pages, live } }: { desk: Desk }) {
  const counts = pages.first?.byPriority
  return (
    <search className="flex h-9 shrink-0 items-center gap-2 border-b border-line-1 pr-2 pl-4 touch:h-13 phone:pl-4">
      <div className="flex min-w-0 flex-1 gap-1.5 overflow-x-auto py-2 [scrollbar-width:none]">
        <Chip
          pressed={place.watchlist === true}
          aria-label="Watchlist only"
          title="Watchlist only"
          onClick={() => refine({ watchlist: !place.watchlist || undefined })}
          className="px-2!"
        >
          <Star aria-hidden size={14} strokeWidth={2.25} className={place.watchlist && 'fill-current text-signal'} />
        </Chip>
        <Chip pressed={place.priority === undefined} onClick={() => refine({ priority: undefined })} className="px-2!">
          All
        </Chip>
        {highestFirst.map((priority) => (
          <Chip
            key={priority}
            pressed={place.priority === priority}
            onClick={() => refine({ priority: place.priority === priority ? undefined : priority })}
            className="gap-1.5! px-2!"
          >
            <Glyph shape={priorityLooks[priority].shape} className={priorityLooks[priority].text} />
            <span className="lg:max-xl:sr-only">{priorityLooks[priority].word}</span>
            {counts && <span className="text-data text-2">{countWords(counts[priority])}</span>}
          </Chip>
        ))}
      </div>
      <SearchField
        label="Search alerts"
        placeholder="Search (/)"
        keys="/"
        value={place.q ?? ''}
        onSearch={(q) => refine({ q: q.trim() || undefined })}
        className="w-18 shrink-0 transition-[width] focus-within:w-40 phone:w-11 phone:focus-within:w-40 lg:max-xl:w-10 lg:max-xl:focus-within:w-36"
      />
      <DensitySwitch />
      <PauseOrRefresh live={live} pages={pages} />
    </search>
  )
}

function DensitySwitch() {
  const { preferences } = usePreferences()
  const save = useSavePreferences()
  return (
    <Segmented
      label="Density"
      className="phone:hidden"
      value={preferences.density}
      onChange={(density) => save({ density })}
      choices={[
        { value: 'comfortable', label: <Icon of={Rows2} name="Comfortable" /> },
        { value: 'compact', label: <Icon of={Rows4} name="Compact" /> },
      ]}
    />
  )
}

function Icon({ of: Drawing, name }: { of: typeof Rows2; name: string }) {
  return (
    <span title={name}>
      <Drawing aria-hidden size={14} strokeWidth={2.25} />
      <span className="sr-only">{name}</span>
    </span>
  )
}

function PauseOrRefresh({ live, pages }: Pick<Desk, 'live' | 'pages'>) {
  const client = useQueryClient()
  const { preferences } = usePreferences()
  const label = 'xl:not-sr-only sr-only'
  if (!preferences.realTimeAlerts) {
    const refresh = () => {
      void client.invalidateQueries({ queryKey: queries.recentAlerts.queryKey })
      void pages.refetch()
    }
    return (
      <Button size="sm" variant="ghost" busy={pages.isFetching} onClick={refresh}>
        <RefreshCw aria-hidden size={16} strokeWidth={2.25} />
        <span className={label}>{pages.isFetching ? 'Refreshing…' : 'Refresh'}</span>
      </Button>
    )
  }
  const Drawing = live.isPaused ? Play : Pause
  return (
    <Button
      size="sm"
      variant="ghost"
      data-keys="p"
      aria-pressed={live.isPaused}
      title={live.isPaused ? 'Resume (p)' : 'Pause (p)'}
      onClick={() => live.setIsPaused(!live.isPaused)}
    >
      <Drawing aria-hidden size={16} strokeWidth={2.25} />
      <span className={label}>{live.isPaused ? 'Resume' : 'Pause'}</span>
    </Button>
  )
}

function NewPill({ desk: { live, list } }: { desk: Desk }) {
  if (live.waiting === 0) return null
  const showNew = () => {
    live.showNew()
    list.current?.closest('[data-scroller]')?.scrollTo({ top: 0 })
  }
  return (
    <div className="absolute inset-x-0 top-0 flex h-6 items-center justify-center">
      <Button size="sm" data-keys="." title="Show new (.)" onClick={showNew} className="bg-ink-2! shadow-float">
        <ArrowUp aria-hidden size={16} strokeWidth={2.25} />
        {`${live.waiting} new`}
      </Button>
    </div>
  )
}
