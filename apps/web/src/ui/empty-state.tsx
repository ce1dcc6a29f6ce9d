import type { ReactNode } from 'react'
import { Seal } from './identity/seal.tsx'

/** Draws the seal of an alert, anchor or checkpoint that does not exist yet. */
export const ghostLeaf = `0x${'9c41f07a'.repeat(8)}`

export type EmptyStateProps = {
  title: string
  /** One line that says what will appear here. */
  children?: ReactNode
  /** One button, at most two. */
  action?: ReactNode
  /** Omits the ghost rows, for one of several panels of a page. */
  isCompact?: boolean
}

/** Placeholder for an empty list: ghost rows, what will appear here, and what to do. */
export function EmptyState({ title, children, action, isCompact = false }: EmptyStateProps) {
  return (
    <div className="p-5 phone:p-4">
      {!isCompact && (
        <div aria-hidden className="mb-5 border border-dashed border-line-1">
          <PlaceholderRow className="opacity-90" />
          <PlaceholderRow className="opacity-45" />
        </div>
      )}
      <p className="text-base font-semibold">{title}</p>
      {children !== undefined && <p className="text-base text-2">{children}</p>}
      {action !== undefined && <div className="mt-3 flex flex-wrap gap-2">{action}</div>}
    </div>
  )
}

function PlaceholderRow({ className }: { className: string }) {
  return (
    <div className={`flex h-8 items-center gap-3 px-3 ${className}`}>
      <span className="h-1.5 w-3 bg-ink-3" />
      <span className="h-1.5 w-14 bg-ink-3" />
      <span className="h-1.5 flex-1 bg-ink-3" />
      <span className="h-1.5 w-10 bg-ink-3" />
      <Seal leafHash={ghostLeaf} state="unsigned" size={20} />
    </div>
  )
}
