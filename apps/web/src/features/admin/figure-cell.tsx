import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'

/** Figures with labels in a grid: four columns, two on small screens, one on phones. */
export function FigureGrid({ children }: { children: ReactNode }) {
  return (
    // Each cell draws its right and lower border, so that no borders are drawn in the unused
    // columns of the last row.
    <dl className="grid grid-cols-4 overflow-hidden max-xl:grid-cols-2 phone:grid-cols-1 [&>*]:-mr-px [&>*]:-mb-px [&>*]:border-r [&>*]:border-b [&>*]:border-line-1">
      {children}
    </dl>
  )
}

export function FigureCell({ label, detail, children }: { label: string; detail: ReactNode; children: ReactNode }) {
  return (
    <div className="min-w-0 px-5 py-4 phone:px-4 phone:py-3">
      <dt className="text-label text-2">{label}</dt>
      <dd className="mt-1.5 flex min-h-7 items-center font-mono text-body font-medium wrap-anywhere">{children}</dd>
      <dd className="flex min-h-6 flex-wrap items-center gap-x-1 text-hint text-2">{detail}</dd>
    </div>
  )
}

/** A warning above the figures of a panel. */
export function PanelWarning({ children }: { children: ReactNode }) {
  return (
    <p
      role="status"
      className="flex items-start gap-3 border-b border-l-2 border-line-1 border-l-medium px-5 py-3 text-base phone:px-4"
    >
      <TriangleAlert aria-hidden size={18} strokeWidth={2} className="mt-0.5 shrink-0 text-medium" />
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </p>
  )
}
