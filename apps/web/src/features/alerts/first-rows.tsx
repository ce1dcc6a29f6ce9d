import { priorities } from '@tocsin/protocol'
import { classNames } from '../../ui/class-names.ts'
import { PriorityGlyph, priorityStyles } from '../../ui/identity/priority-glyph.tsx'
import { gridClasses, rowClasses } from './dashboard-row.tsx'
import {
  type DashboardLayout,
  getLineClampClass,
  getSummaryClasses,
  summaryFits,
  summaryLimits,
} from './row-summary.tsx'

/** Classes for the row heights, because the content security policy forbids style attributes. */
const heights = { comfortable: 'h-16', narrow: 'h-21', phone: 'h-28' } as const

/**
 * One row template for each layout except the compact one, and one for the heading of a day.
 * public/theme.js fills copies of a row template with the newest alerts while the scripts of the
 * page load. A template has a glyph for each priority and a summary element for each length; a copy
 * keeps only those of its alert. The rows have no link, time or proof, because those need the
 * scripts. The text must wrap as in `DashboardRow`. Otherwise the row that replaces the copy could
 * be larger, and the largest contentful paint would be seconds later.
 */
export function FirstRowTemplates() {
  return (
    <>
      <FirstRowTemplate layout="phone" />
      <FirstRowTemplate layout="narrow" />
      <FirstRowTemplate layout="comfortable" />
      <template data-first-row="heading">
        <EmptyListHeader />
      </template>
    </>
  )
}

/** Placeholder of `DashboardListHeader`. */
export function EmptyListHeader() {
  return <div className="h-6 border-b border-line-1 bg-ink-1" />
}

function FirstRowTemplate({ layout }: { layout: Exclude<DashboardLayout, 'compact'> }) {
  return (
    <template data-first-row={layout}>
      <div className={classNames('border-b border-line-1', heights[layout])}>
        <div className={classNames(rowClasses, gridClasses[layout])}>
          <span className="flex [grid-area:priority]">
            {[...priorities].reverse().map((priority) => (
              <span key={priority} data-priority={priority} data-rail={priorityStyles[priority].border}>
                <PriorityGlyph priority={priority} word />
              </span>
            ))}
          </span>
          <span data-field="asset" className="truncate font-semibold [grid-area:asset]" />
          {summaryFits.map((fit) => (
            <span
              key={fit}
              data-summary-limit={summaryLimits[layout][fit]}
              className={classNames('flex min-w-0 items-start [grid-area:summary]', getSummaryClasses(layout, fit))}
            >
              <span
                dir="auto"
                data-field="summary"
                className={classNames('wrap-anywhere text-1', getLineClampClass(fit))}
              />
            </span>
          ))}
        </div>
      </div>
    </template>
  )
}
