import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

/** Holds `KeyValue` rows with hairlines between them. */
export function KeyValueList({ children, className }: { children: ReactNode; className?: string }) {
  return <dl className={classNames('divide-y divide-line-1', className)}>{children}</dl>
}

type KeyValueProps = {
  label: ReactNode
  /** Set in mono unless `plain`. */
  children: ReactNode
  plain?: boolean
  className?: string
}

/** A name at the left, its value at the right; 32 px high. */
export function KeyValue({ label, children, plain = false, className }: KeyValueProps) {
  return (
    <div className={classNames('flex min-h-8 items-baseline justify-between gap-4 py-1.5', className)}>
      <dt className="text-base text-2">{label}</dt>
      <dd className={classNames('min-w-0 text-right wrap-anywhere', plain ? 'text-base' : 'text-data')}>{children}</dd>
    </div>
  )
}

type FigureProps = { label: string; children: ReactNode; className?: string }

/** A mono label over a number in mono 20/28. */
export function Figure({ label, children, className }: FigureProps) {
  return (
    <div className={className}>
      <dt className="text-label text-2">{label}</dt>
      <dd className="mt-1 text-number-sm">{children}</dd>
    </div>
  )
}

/** `Figure`s side by side with hairlines between them; two columns on a phone. */
export function FigureRow({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <dl
      className={classNames(
        'flex phone:grid phone:grid-cols-2 phone:gap-y-4 md:divide-x md:divide-line-1 md:*:px-8 md:*:first:pl-0 md:*:last:pr-0',
        className,
      )}
    >
      {children}
    </dl>
  )
}
