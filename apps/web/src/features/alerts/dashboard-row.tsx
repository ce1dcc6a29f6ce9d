import type { Alert } from '@tocsin/protocol'
import { memo, Suspense, useState } from 'react'
import { usePreferences } from '../../session/preferences.ts'
import { classNames } from '../../ui/class-names.ts'
import { PriorityGlyph, priorityStyles } from '../../ui/identity/priority-glyph.tsx'
import { useIsPhone, useMediaQuery } from '../../ui/media-query.ts'
import { Time, ZoneName } from '../../ui/time.tsx'
import { formatConfidence } from '../alert/alert-texts.ts'
import { OutcomeTag } from '../prediction/outcome-tag.tsx'
import { formatAnomalyType } from '../prediction/prediction-names.ts'
import { AlertSeal } from './alert-seal.tsx'
import { Direction } from './direction.tsx'
import { ExpectedChange, RowPrice, RowSparkline } from './lazy-cells.ts'
import { RowShortcutControls } from './row-keys.tsx'
import { type DashboardLayout, RowSummary } from './row-summary.tsx'
import { RowTooltip } from './row-tip.tsx'

/** Row heights in px, including the border. */
const heights: Record<DashboardLayout, number> = { comfortable: 64, narrow: 84, phone: 112, compact: 32 }
/** Height of compact rows in px on touch screens. */
const touchTargetPx = 44

/** Returns the layout of the rows in the list beside the detail, and their height in px. */
export function useDashboardLayout(): { layout: DashboardLayout; rowPx: number } {
  const { preferences } = usePreferences()
  const isPhone = useIsPhone()
  const isNarrow = useMediaQuery('(64rem <= width < 80rem)')
  const hasCoarsePointer = useMediaQuery('(pointer: coarse)')
  const layout = isPhone ? 'phone' : preferences.density === 'compact' ? 'compact' : isNarrow ? 'narrow' : 'comfortable'
  return { layout, rowPx: layout === 'compact' && hasCoarsePointer ? touchTargetPx : heights[layout] }
}

/**
 * Grid of a row for each layout. The price column has no width until a row has a price. The grid of
 * compact rows depends on the width of the window and is defined in styles.css.
 */
export const gridClasses: Record<DashboardLayout, string> = {
  comfortable:
    'grid-cols-[80px_minmax(0,1fr)_44px_88px_calc(80px*var(--priced))_88px] gap-x-3 [grid-template-areas:"priority_asset_conf_spark_price_proof""time_summary_summary_spark_price_proof""age_summary_summary_spark_price_proof"] grid-rows-[20px_16px_auto] in-data-priced:[--priced:1]',
  narrow:
    'grid-cols-[84px_minmax(0,1fr)_32px_64px_calc(80px*var(--priced))_88px] gap-x-3 [grid-template-areas:"priority_asset_conf_spark_price_proof""time_type_type_spark_price_proof""summary_summary_summary_spark_price_proof"] grid-rows-[20px_16px_auto] in-data-priced:[--priced:1]',
  phone:
    'grid-cols-[auto_minmax(0,1fr)_auto] gap-x-2 [grid-template-areas:"priority_asset_time""summary_summary_summary""foot_foot_foot"] grid-rows-[20px_auto_40px]',
  compact: 'grid-compact-row in-data-priced:[--priced:1]',
}

const sparkSizes: Record<DashboardLayout, string> = {
  comfortable: 'h-9',
  narrow: 'h-9',
  phone: 'h-10',
  compact: 'h-6',
}

/**
 * Layouts of the price cell. The cell shows the price when the alert was issued, and the change
 * since then: below the price, or beside it in compact rows.
 */
const stackedPriceClasses = 'flex flex-col items-end'
const inlinePriceClasses =
  'grid grid-cols-[minmax(0,1fr)_60px] gap-x-2.5 text-right lg:max-xl:grid-cols-1 lg:max-xl:leading-3.5'

export const rowClasses =
  'group/row focus-inset relative grid size-full content-center items-center pr-4 pl-3.5 text-left text-base transition-[background-color] hover:bg-ink-2/60 aria-[current]:bg-ink-2 aria-[current]:shadow-[inset_-2px_0_var(--color-text-1)] forced-colors:aria-[current]:outline-2 forced-colors:aria-[current]:-outline-offset-2'

type DashboardRowProps = {
  alert: Alert
  isRead: boolean
  layout: DashboardLayout
  rowPx: number
  /** True if the detail shows this alert. */
  isSelected: boolean
  /** True for the only row that Tab reaches. The arrow keys, j and k move to the other rows. */
  isTabStop: boolean
  onSelect: (alert: Alert) => void
}

/** The row of an alert in the list beside the detail. Unread alerts have full contrast. */
export const DashboardRow = memo(function DashboardRow({
  alert,
  isRead,
  layout,
  rowPx,
  isSelected,
  isTabStop,
  onSelect,
}: DashboardRowProps) {
  const [wasFocused, setWasFocused] = useState(false)
  const isCompact = layout === 'compact'
  const isPhone = layout === 'phone'
  const expectedChange = (
    <Suspense>
      <ExpectedChange prediction={alert.prediction} />
    </Suspense>
  )
  const type = (
    <>
      <span className="min-w-0 flex-1 truncate text-2 max-wide:[font-stretch:85%] phone:text-hint">
        {formatAnomalyType(alert)}
      </span>
      {layout === 'comfortable' && expectedChange}
    </>
  )
  return (
    <div
      className={classNames('border-b border-line-1', priorityStyles[alert.priority].border)}
      style={{ height: rowPx }}
    >
      <button
        type="button"
        data-alert-row={alert.id}
        aria-current={isSelected || undefined}
        tabIndex={isTabStop ? 0 : -1}
        onClick={() => onSelect(alert)}
        onFocus={() => setWasFocused(true)}
        className={classNames(rowClasses, gridClasses[layout])}
      >
        <span className="flex [grid-area:priority]">
          <PriorityGlyph
            priority={alert.priority}
            word
            className={isCompact ? 'text-hint lg:max-xl:[&>:last-child]:sr-only' : undefined}
          />
        </span>
        <span className="flex min-w-0 items-baseline gap-2 [grid-area:asset]">
          <span className={classNames('truncate', isRead ? 'font-medium' : 'font-semibold', isCompact && 'text-hint')}>
            {alert.asset}
          </span>
          {(layout === 'comfortable' || isPhone) && type}
          {!isRead && <span className="sr-only">Unread</span>}
        </span>
        {/* In this layout the type has its own line, because beside the asset it would be cut
            off. */}
        {layout === 'narrow' && <span className="flex min-w-0 text-hint [grid-area:type]">{type}</span>}
        <span className="[grid-area:time]">
          {/* Screen readers do not read the headings of the days, so each row contains the day. */}
          <Time at={alert.createdAt} show="day" className="sr-only" />{' '}
          <Time at={alert.createdAt} show="clock" className="block text-data" />
          {wasFocused && <RowTooltip alert={alert} />}
        </span>
        {layout === 'comfortable' && (
          <Time at={alert.createdAt} show="relative" className="self-start text-hint text-2 [grid-area:age]" />
        )}
        <RowSummary
          alert={alert}
          isRead={isRead}
          layout={layout}
          className={classNames('[grid-area:summary]', isCompact ? 'items-center' : 'items-start')}
        />
        <span className={isPhone ? 'flex items-center gap-3 [grid-area:foot]' : 'contents'}>
          <span className="grid min-w-0 grid-cols-[minmax(0,1fr)_8px] items-center gap-1.5 [grid-area:spark] phone:w-18 phone:shrink-0 max-[389px]:hidden">
            <Suspense fallback={<span />}>
              <RowSparkline alert={alert} className={sparkSizes[layout]} />
            </Suspense>
            <Direction summary={alert.summary} />
          </span>
          <span
            className={classNames(
              'text-data [grid-area:conf]',
              (layout === 'comfortable' || layout === 'narrow') && 'text-right',
              isPhone && 'flex flex-col whitespace-nowrap',
              isCompact && 'max-[100rem]:hidden',
            )}
          >
            <span className="sr-only">Confidence </span>
            {formatConfidence(alert.confidence)}
            {isPhone && expectedChange}
          </span>
          <span className="min-w-0 [grid-area:price] phone:flex-1">
            <Suspense>
              <RowPrice alert={alert} className={isCompact ? inlinePriceClasses : stackedPriceClasses} />
            </Suspense>
          </span>
          <span
            className={classNames(
              'flex [grid-area:proof]',
              isCompact
                ? 'items-center gap-1.5 justify-self-end'
                : 'flex-col gap-1 text-hint phone:w-22 phone:shrink-0',
            )}
          >
            <OutcomeTag alert={alert} compact={isCompact} />
            <AlertSeal alert={alert} size={16} variant={isCompact ? 'icon' : 'word'} />
          </span>
        </span>
      </button>
      {wasFocused && <RowShortcutControls alert={alert} />}
    </div>
  )
})

/** The headings of the columns, aligned with the rows. */
export function DashboardListHeader({ layout, day }: { layout: DashboardLayout; day: string | null }) {
  return (
    <div
      className={classNames(
        'grid h-6 items-center border-b border-l-2 border-b-line-1 border-l-transparent bg-ink-1 pr-4 pl-3.5 text-label text-2',
        layout === 'phone' ? 'grid-cols-1' : `${gridClasses[layout]} grid-rows-1!`,
      )}
    >
      <span
        className={classNames(
          'col-start-1 flex min-w-0 whitespace-pre text-1 [grid-row:1]',
          layout === 'comfortable' ? '[grid-column-end:conf-start]' : '[grid-column-end:spark-start]',
        )}
      >
        {day === null ? (
          'Alerts'
        ) : (
          // The day with its count can be truncated. The time zone is always shown in full.
          <>
            <span className="truncate">{day}</span> · <ZoneName />
          </>
        )}
      </span>
      {layout !== 'phone' && (
        <>
          {layout === 'comfortable' && <ColumnHeading area="conf">Expects, conf.</ColumnHeading>}
          <ColumnHeading area="spark">Series</ColumnHeading>
          <ColumnHeading area="price">Issue, since</ColumnHeading>
          <ColumnHeading area="proof">{layout === 'compact' ? 'State' : 'Result, proof'}</ColumnHeading>
        </>
      )}
    </div>
  )
}

const headingAreas = {
  spark: '[grid-area:1/spark]',
  // This heading also names the change to the left of the column.
  conf: '[grid-area:1/conf] justify-self-end',
  price: '[grid-area:1/price] justify-self-end',
  // This heading is wider than its column, so it extends into the right padding of the header.
  proof: '[grid-area:1/proof] -mr-4',
}

function ColumnHeading({ area, children }: { area: keyof typeof headingAreas; children: string }) {
  return (
    <span aria-hidden className={`whitespace-nowrap ${headingAreas[area]}`}>
      {children}
    </span>
  )
}
