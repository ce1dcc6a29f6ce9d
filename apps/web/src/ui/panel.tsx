import { type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'

export type PanelProps = {
  /** Label of the 44 px header. Without it the panel has no header. */
  title?: string
  /** Shown after the title in text-2: a count, a sentence. */
  detail?: ReactNode
  /** Right end of the header: buttons, a badge. */
  actions?: ReactNode
  /** Below the content, separated by a line. */
  footer?: ReactNode
  /** No padding around the content, for lists and tables. */
  flush?: boolean
  /** No line below the header. */
  plainHeader?: boolean
  children: ReactNode
  className?: string
}

/** A bordered box with tick marks at its corners. */
export function Panel({ title, detail, actions, footer, flush, plainHeader, children, className }: PanelProps) {
  const titleId = useId()
  // On phones, `actions` can wrap below the title. If there is no detail, `actions` is then aligned
  // with the left edge of the title.
  const isSpread = actions !== undefined && detail === undefined
  return (
    <section
      aria-labelledby={title === undefined ? undefined : titleId}
      className={classNames('corner-ticks flex min-w-0 flex-col border border-line-1 bg-ink-1', className)}
    >
      {title !== undefined && (
        <header
          className={classNames(
            'flex min-h-11 items-center gap-3 px-5 phone:flex-wrap phone:gap-y-0 phone:px-4',
            isSpread && 'phone:justify-between',
            !plainHeader && 'border-b border-line-1',
          )}
        >
          <h2 id={titleId} className="text-label whitespace-nowrap phone:py-2.5 phone:whitespace-normal">
            {title}
          </h2>
          {detail !== undefined && <span className="min-w-0 truncate text-base text-2 phone:leading-9">{detail}</span>}
          {actions !== undefined && (
            <div
              className={classNames(
                'flex items-center gap-2 phone:min-h-9 max-[374px]:gap-1',
                isSpread ? 'md:ml-auto' : 'ml-auto',
              )}
            >
              {actions}
            </div>
          )}
        </header>
      )}
      <div className={classNames('min-h-0 flex-1', !flush && 'p-5 phone:p-4')}>{children}</div>
      {footer !== undefined && (
        <footer className="flex min-h-11 items-center gap-3 border-t border-line-1 px-5 py-2 text-base text-2 phone:px-4">
          {footer}
        </footer>
      )}
    </section>
  )
}
