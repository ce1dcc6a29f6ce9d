import type { Alert } from '@tocsin/protocol'
import { classNames } from '../../ui/class-names.ts'
import { addNoBreakSpaces } from '../../ui/keep-units.ts'
import { extractClause } from '../alert/alert-texts.ts'
import { RelationTags, supersededClasses } from '../alert/relations.tsx'
import { useProofFailure } from '../proof/proof-findings.ts'

/** Layouts of the rows in the list beside the detail. */
export type DashboardLayout = 'comfortable' | 'narrow' | 'phone' | 'compact'
/** Layouts of the rows that expand. Below 1024 px a row has three lines, otherwise one. */
export type ListLayout = 'line' | 'compact' | 'tablet' | 'stacked'

type SummaryLayout = DashboardLayout | ListLayout
type SummaryFit = 'normal' | 'condensed' | 'three lines'

/**
 * Maximum length of a summary in characters for each fit. `normal` and `condensed` are widths of
 * the font, with two lines of text. Longer summaries get three lines in a smaller font. The engine
 * writes at most 130 characters; other feeds can write more.
 */
export const summaryLimits: Record<Exclude<SummaryLayout, 'compact'>, Record<SummaryFit, number>> = {
  comfortable: { normal: 92, condensed: 130, 'three lines': Number.POSITIVE_INFINITY },
  narrow: { normal: 72, condensed: 92, 'three lines': Number.POSITIVE_INFINITY },
  phone: { normal: 96, condensed: 130, 'three lines': Number.POSITIVE_INFINITY },
  line: { normal: 76, condensed: 98, 'three lines': Number.POSITIVE_INFINITY },
  tablet: { normal: 180, condensed: 230, 'three lines': Number.POSITIVE_INFINITY },
  stacked: { normal: 80, condensed: 104, 'three lines': Number.POSITIVE_INFINITY },
}
export const summaryFits: readonly SummaryFit[] = ['normal', 'condensed', 'three lines']

function getFit({ length }: string, layout: SummaryLayout): SummaryFit {
  if (layout === 'compact') return 'normal'
  return summaryFits.find((fit) => length <= summaryLimits[layout][fit]) ?? 'three lines'
}

export const getLineClampClass = (fit: SummaryFit) => (fit === 'three lines' ? 'line-clamp-3' : 'line-clamp-2')

/** Layouts with a larger font, because the summary has the full width of the row. */
const largeLayouts: readonly SummaryLayout[] = ['phone', 'tablet', 'stacked']

export function getSummaryClasses(layout: SummaryLayout, fit: SummaryFit): string {
  if (layout === 'compact') return 'text-[12px]/3.5'
  // The line height is smaller than elsewhere, because three lines of 14 px would touch the border
  // of the row.
  if (fit === 'three lines') return 'h-9.75 text-[12px]/3.25 [font-stretch:85%]'
  return classNames(
    largeLayouts.includes(layout) ? 'h-9 leading-4.5' : 'h-8 text-hint',
    fit === 'condensed' && '[font-stretch:80%]',
  )
}

type RowSummaryProps = { alert: Alert; isRead: boolean; layout: SummaryLayout; className: string }

/**
 * The summary of an alert with its relations to other alerts. Compact rows show only the first
 * clause, other rows the whole summary.
 */
export function RowSummary({ alert, isRead, layout, className }: RowSummaryProps) {
  const hasFailedProof = useProofFailure(alert) !== null
  const summary = layout === 'compact' ? extractClause(alert) : alert.summary
  const fit = getFit(summary, layout)
  return (
    <span className={classNames('flex min-w-0 gap-2', className, getSummaryClasses(layout, fit))}>
      <RelationTags alert={alert} className="shrink-0 flex-nowrap" />
      <span
        dir="auto"
        data-field="summary"
        title={alert.summary}
        className={classNames(
          'wrap-anywhere',
          getLineClampClass(fit),
          (alert.supersededBy || hasFailedProof) && supersededClasses,
          isRead ? 'text-2' : 'text-1',
        )}
      >
        {addNoBreakSpaces(summary)}
      </span>
    </span>
  )
}
