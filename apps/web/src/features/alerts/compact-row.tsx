import type { ListedAlert } from '@tocsin/protocol'
import { memo, type RefObject, Suspense, useState } from 'react'
import { usePreferences } from '../../session/preferences.ts'
import { classNames } from '../../ui/class-names.ts'
import { PriorityGlyph, priorityStyles } from '../../ui/identity/priority-glyph.tsx'
import { useIsPhone, useMediaQuery } from '../../ui/media-query.ts'
import { Time, ZoneName } from '../../ui/time.tsx'
import { formatConfidence, isLocked } from '../alert/alert-texts.ts'
import { OutcomeTag } from '../prediction/outcome-tag.tsx'
import { formatAnomalyType, formatHorizon } from '../prediction/prediction-names.ts'
import { AlertDetail } from './alert-detail.tsx'
import { AlertSeal } from './alert-seal.tsx'
import { Direction } from './direction.tsx'
import { RowPrice, RowSparkline } from './lazy-cells.ts'
import { RowShortcutControls } from './row-keys.tsx'
import { type ListLayout, RowSummary } from './row-summary.tsx'
import { RowTooltip } from './row-tip.tsx'

/**
 * Grid columns of a row. Below 1280 px the type is hidden, to leave space for the summary. The
 * price column has no width until a row has a price.
 */
const columns =
  'lg:grid-cols-[8px_84px_80px_96px_minmax(0,1fr)_64px_calc(72px*var(--priced))_52px_14px_24px] xl:grid-cols-[8px_84px_88px_100px_132px_minmax(0,1fr)_80px_calc(76px*var(--priced))_52px_14px_72px] lg:gap-x-3 max-lg:grid-cols-[auto_auto_minmax(0,1fr)_auto] max-lg:gap-x-3 max-lg:gap-y-1 phone:gap-x-2 in-data-priced:[--priced:1]'

/** Row heights in px, including the border. */
const heights: Record<ListLayout, number> = { line: 45, compact: 33, tablet: 117, stacked: 117 }
const borderPx = 1
const rowClasses =
  'group/row focus-inset relative grid w-full items-center pr-5 pl-4 text-left text-base transition-[background-color] hover:bg-ink-2 max-lg:grid-rows-[20px_40px_28px] max-lg:py-2.5 phone:pr-4 phone:pl-3 max-[374px]:gap-x-1.5! max-[374px]:pr-3! max-[374px]:pl-2!'

type CompactRowProps = {
  entry: ListedAlert
  layout: ListLayout
  rowPx: number
  /** Shows the day beside the time, for a row without the heading of its day. */
  showsDay?: boolean
  isOpen: boolean
  onToggle: (entry: ListedAlert) => void
  /** Ref of the expanded part. The list uses it to measure the part. */
  detailRef?: RefObject<HTMLDivElement | null>
}

/** Returns the layout of the rows that expand, and their height in px. */
export function useListLayout(): { layout: ListLayout; rowPx: number } {
  const { preferences } = usePreferences()
  const isWide = useMediaQuery('(width >= 64rem)')
  const isPhone = useIsPhone()
  const hasCoarsePointer = useMediaQuery('(pointer: coarse)')
  const wideLayout = preferences.density === 'compact' ? 'compact' : 'line'
  const layout = isWide ? wideLayout : isPhone ? 'stacked' : 'tablet'
  // On touch screens, compact rows have the height of a touch target.
  return { layout, rowPx: heights[layout === 'compact' && hasCoarsePointer ? 'line' : layout] }
}

/**
 * The row of an alert, on one line of 44 or 32 px, or on three lines below 1024 px. Unread alerts
 * have full contrast. All closed rows have the same height.
 */
export const CompactRow = memo(function CompactRow({
  entry,
  layout,
  rowPx,
  showsDay = false,
  isOpen,
  onToggle,
  detailRef,
}: CompactRowProps) {
  const { alert, isRead } = entry
  const [wasFocused, setWasFocused] = useState(false)
  // The list has no locked rows: `useAlertPages` removes them.
  if (isLocked(alert)) return null
  const detailId = `alert-${entry.id}`
  return (
    <div className={classNames('border-t border-line-1', priorityStyles[alert.priority].border)}>
      <button
        type="button"
        data-alert-row={entry.id}
        aria-expanded={isOpen}
        aria-controls={isOpen ? detailId : undefined}
        onClick={() => onToggle(entry)}
        onFocus={() => setWasFocused(true)}
        className={classNames(rowClasses, columns, isOpen && 'bg-ink-2')}
        style={{ height: rowPx - borderPx }}
      >
        <span className={classNames('size-1.5 rounded-full', !isRead && 'bg-text-1')}>
          {!isRead && <span className="sr-only">Unread</span>}
        </span>
        <PriorityGlyph priority={alert.priority} word className="lg:order-2" />
        <span className="truncate font-semibold lg:order-3 phone:flex phone:items-baseline phone:[font-stretch:80%]">
          <span className="truncate">{alert.asset}</span>
          <span className="ml-2 font-normal text-2 lg:hidden phone:hidden">{formatAnomalyType(alert)}</span>
          {/* The horizon, shown at the widths where the type is hidden. It is never truncated,
              because “5 …” could be minutes or hours. The asset is truncated instead. */}
          <span className="hidden text-hint/3.5 font-normal text-2 lg:max-xl:block phone:ml-2 phone:block phone:shrink-0">
            {alert.prediction && formatHorizon(alert.prediction.horizonSeconds)}
          </span>
        </span>
        <span className="max-lg:justify-self-end lg:order-1">
          <span className="flex gap-x-1.5 text-data text-2 lg:flex-col lg:leading-3.5">
            {/* Screen readers do not read the headings of the days, so each row contains the
                day. */}
            <Time at={alert.createdAt} show="day" className={showsDay ? '' : 'sr-only'} />
            <Time at={alert.createdAt} show="clock" />
          </span>
          {wasFocused && <RowTooltip alert={alert} />}
        </span>
        <span className="truncate text-2 max-xl:hidden xl:order-4">{formatAnomalyType(alert)}</span>
        <RowSummary
          alert={alert}
          isRead={isRead}
          layout={layout}
          className="items-center max-lg:col-span-3 max-lg:col-start-2 lg:order-5"
        />
        <span className="flex min-w-0 items-center gap-3 max-lg:col-span-3 max-lg:col-start-2 lg:contents">
          <span className="grid w-16 min-w-0 shrink-0 grid-cols-[minmax(0,1fr)_8px] items-center gap-1 max-[389px]:hidden lg:order-6 lg:w-full lg:gap-1.5">
            <Suspense fallback={<span />}>
              <RowSparkline alert={alert} className={layout === 'compact' ? 'h-6' : 'h-7'} />
            </Suspense>
            <Direction summary={alert.summary} />
          </span>
          <span className="min-w-0 lg:order-7">
            <Suspense>
              <RowPrice alert={alert} className="flex flex-col items-end leading-3.5 [&_[data-phone-label]]:hidden" />
            </Suspense>
          </span>
          <span className="text-data max-lg:ml-auto lg:order-8 lg:text-right">
            <span className="sr-only">Confidence </span>
            {formatConfidence(alert.confidence)}
          </span>
          <span className="flex lg:order-9">
            <OutcomeTag alert={alert} compact />
          </span>
          <span className="flex lg:order-10">
            <AlertSeal alert={alert} size={20} variant="row" />
          </span>
        </span>
      </button>
      {wasFocused && <RowShortcutControls alert={alert} />}
      {isOpen && (
        <div ref={detailRef}>
          <AlertDetail alert={alert} id={detailId} className="border-t border-line-1 bg-ink-0" />
        </div>
      )}
    </div>
  )
})

export function CompactHeader() {
  return (
    <div
      aria-hidden
      className={classNames(
        'hidden h-8 items-center border-l-2 border-transparent pr-5 pl-4 text-label text-2 lg:grid',
        columns,
      )}
    >
      <span />
      <span>
        Time <ZoneName />
      </span>
      <span>Priority</span>
      <span>Asset</span>
      <span className="max-xl:hidden">Type</span>
      <span>Summary</span>
      <span>Series</span>
      <span className="justify-self-end whitespace-nowrap">At issue</span>
      <span className="text-right">Conf.</span>
      <span />
      <span className="max-xl:sr-only">Proof</span>
    </div>
  )
}
