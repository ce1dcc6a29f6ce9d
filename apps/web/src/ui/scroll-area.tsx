import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

/** An area with its own scroll bar, which can also be scrolled by keyboard. */
export function ScrollArea({ label, className, children }: { label: string; className: string; children: ReactNode }) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable, so it must be focusable
      tabIndex={0}
      className={classNames('overflow-y-auto', className)}
    >
      {children}
    </section>
  )
}
